public import StoreSync
public import SyncPersistence

/// An event of a coordinator.
public enum SyncEvent: Hashable, Sendable {
    /// A cycle has begun.
    case cycleBegan
    /// A cycle has ended, completely or with a failure.
    case cycleEnded(StoreOutcome)
    /// A processor is done with records.
    case processed(processor: String, count: Int)
    /// A processor cannot process a record, until that is edited.
    case refused(processor: String, RecordID, code: String, reason: String)
    /// A processor's change of a record cannot be stored.
    case unsaved(processor: String, RecordID, PersistenceError)
    /// Changes of others were dropped before a processor could receive them, because too many waited.
    case dropped(processor: String, count: Int)
    /// The cycle, or a processor, has failed, and waits.
    case failed(processor: String?, WaitReason, retry: Duration?)
    /// The authorization was renewed, or could not be.
    case renewedAuthorization(succeeded: Bool)
    /// Store and remote do not match, and this is done about it.
    case mismatch(RemoteMismatch, RemoteMismatch.Choice)
}

extension SyncEvent: CustomStringConvertible {
    /// The event in words, without values, keys and texts of the remote.
    public var description: String {
        switch self {
        case .cycleBegan: "cycle began"
        case .cycleEnded(let outcome):
            "cycle ended: \(outcome.pulledCount) pulled, \(outcome.pushedCount) pushed, "
                + "\(outcome.conflicts.count(where: \.isOpen)) open conflicts, \(outcome.refused.count) refused, "
                + "\(outcome.pending.count) pending, \(outcome.unready.count) not ready, \(outcome.waiting.count) waiting"
        case .processed(let processor, let count): "\(processor): processed \(count) records"
        case .refused(let processor, let id, _, _): "\(processor): refused a record of \(id.entity)"
        case .unsaved(let processor, let id, let error):
            "\(processor): cannot change a record of \(id.entity), \(error.code)"
        case .dropped(let processor, let count): "\(processor): dropped \(count) changes of others"
        case .failed(let processor, let reason, let retry):
            (processor ?? "cycle") + ": " + reason.name + (retry.map { ", retry in \($0)" } ?? ", no retry")
        case .renewedAuthorization(let succeeded): "authorization " + (succeeded ? "renewed" : "not renewed")
        case .mismatch(let mismatch, let choice): "mismatch: \(mismatch.name), \(choice.name)"
        }
    }
}

extension WaitReason {
    /// The kind of the reason, without details.
    var name: String {
        switch self {
        case .offline: "offline"
        case .unavailable: "unavailable"
        case .throttled: "throttled"
        case .postponed: "postponed"
        case .unauthorized: "unauthorized"
        case .incompatible: "incompatible"
        case .gone: "gone"
        case .mismatch(let mismatch): mismatch.name
        case .busy: "busy"
        case .timedOut: "timed out"
        case .store(let error): "store \(error.code)"
        case .other(let type): type
        }
    }
}

extension RemoteMismatch {
    /// The kind of the mismatch, without details.
    fileprivate var name: String {
        switch self {
        case .account: "another account"
        case .history: "another history"
        case .horizon: "a passed horizon"
        case .schema: "another schema"
        }
    }
}

extension RemoteMismatch.Choice {
    /// The choice in words.
    fileprivate var name: String {
        switch self {
        case .merge: "merged"
        case .keepApart: "kept apart"
        case .drop: "dropped"
        }
    }
}
