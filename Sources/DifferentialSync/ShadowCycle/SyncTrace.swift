/// The messages of one cycle, in order, with the remote's answer to each and what it changed.
///
/// A ``SyncCycle`` records it, and its ``SyncOutcome`` holds it. As text it is one line for a log:
///
/// ```swift
/// let line = "\(outcome.trace)"  // push refused, pull, push accepted · pulled 1 added; pushed 1 replaced
/// ```
///
/// It holds the names of pushes and the versions of the remote. It holds no elements, no keys and no times.
public struct SyncTrace: Hashable, Sendable, Codable {
    /// The messages so far.
    public private(set) var events: [Event] = []

    /// The way in which the cycle ended; nil before.
    public private(set) var ending: SyncOutcome.Ending?

    /// What all messages changed, and how many conflicts are open at the end; no conflict is counted before.
    public private(set) var counts = SyncCounts()

    /// A trace without messages.
    public init() {}

    /// One message to the remote, and its answer.
    public struct Event: Hashable, Sendable, Codable {
        /// What was sent.
        public let message: Message

        /// What came back.
        public let answer: Answer

        /// What changed here when the answer was merged.
        public let pulled: ChangeCounts

        /// What changed there.
        public let pushed: ChangeCounts

        /// How many conflicts the policy resolved when the answer was merged.
        public let resolved: Int
    }

    /// What a cycle sends.
    public enum Message: Hashable, Sendable, Codable {
        /// The question whether the push with this name was applied.
        case confirm(pushID: String)
        /// The request for what changed since the version, or for everything if it is nil.
        case pull(since: RemoteVersion?)
        /// The push with this name.
        case push(pushID: String)
    }

    /// What a remote answers, without its elements.
    public enum Answer: Hashable, Sendable, Codable {
        /// To a question about a push: the remote has applied it.
        case applied
        /// To a question about a push: the remote has not applied it.
        case notApplied
        /// To a question about a push: the remote does not know.
        case unknown
        /// To a pull: the remote has no collection.
        case nothing
        /// To a pull: all elements.
        case everything
        /// To a pull: what changed since the version.
        case changes
        /// To a pull: changes in another epoch. The cycle ignores them and pulls everything.
        case otherEpoch
        /// To a push: the remote has applied it.
        case accepted
        /// To a push: the remote is in another state than the push expects.
        case refused
        /// No answer arrived, or it could not be read.
        case missing
    }
}

extension SyncTrace {
    /// Adds a message.
    ///
    /// - Parameters:
    ///   - message: What was sent.
    ///   - answer: What came back.
    ///   - total: What the cycle has changed so far.
    mutating func record(_ message: Message, _ answer: Answer, total: SyncCounts) {
        events.append(
            Event(
                message: message, answer: answer, pulled: total.pulled.since(counts.pulled),
                pushed: total.pushed.since(counts.pushed), resolved: total.settled - counts.settled))
        counts = total
        counts.open = 0
        ending = nil
    }

    /// Records the end of the cycle, or what a store knows better of it.
    package mutating func finish(_ ending: SyncOutcome.Ending, total: SyncCounts) {
        self.ending = ending
        counts = total
    }
}

extension ChangeCounts {
    /// Returns what was counted after `earlier`.
    fileprivate func since(_ earlier: ChangeCounts) -> ChangeCounts {
        ChangeCounts(
            added: added - earlier.added, deleted: deleted - earlier.deleted, replaced: replaced - earlier.replaced)
    }
}
