package import StoreSync
package import SyncPersistence

/// A failure, by the reaction of the coordinator.
package enum RunFailure: Hashable, Sendable {
    /// The remote does not answer now, or too many requests arrive there.
    case remote(isThrottled: Bool, after: Int?)
    /// The authorization is not accepted.
    case unauthorized
    /// One of both ends must be updated.
    case incompatible(String)
    /// There is no account or service.
    case gone(String)
    /// Store and remote do not match, and the app has not chosen what to do about it.
    case keptApart(RemoteMismatch)
    /// Another process synchronizes the store.
    case overtaken
    /// The run has taken too long.
    case timedOut
    /// The store fails.
    case store(PersistenceError)
    /// Another error, with its type.
    case other(String)
}

extension RunFailure {
    /// Creates the failure of an error.
    package init(_ error: any Error) {
        switch error {
        case let error as RemoteError: self.init(error)
        case let error as KeptApartError: self = .keptApart(error.mismatch)
        case let error as PersistenceError where error.code == .cycleOvertaken: self = .overtaken
        case let error as PersistenceError: self = .store(error)
        default: self = .other("\(type(of: error))")
        }
    }

    /// Creates the failure of a remote's error.
    init(_ error: RemoteError) {
        switch error {
        case .later(let seconds): self = .remote(isThrottled: false, after: seconds)
        case .throttled(let seconds): self = .remote(isThrottled: true, after: seconds)
        case .unauthorized: self = .unauthorized
        case .incompatible(let reason): self = .incompatible(reason)
        case .handshakeNeeded: self = .remote(isThrottled: false, after: nil)
        case .gone(let reason): self = .gone(reason)
        }
    }

    /// Why the coordinator waits after the failure.
    var reason: WaitReason {
        switch self {
        case .remote(let isThrottled, _): isThrottled ? .throttled : .unavailable
        case .unauthorized: .unauthorized
        case .incompatible(let text): .incompatible(text)
        case .gone(let text): .gone(text)
        case .keptApart(let mismatch): .mismatch(mismatch)
        case .overtaken: .busy
        case .timedOut: .timedOut
        case .store(let error): .store(error)
        case .other(let type): .other(type)
        }
    }

    /// The delay that the remote has requested, in seconds; nil for none.
    var wish: Int? { if case .remote(_, let seconds) = self { seconds } else { nil } }
}
