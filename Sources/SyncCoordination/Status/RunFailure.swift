import StoreSync
import SyncPersistence

/// Why a run has failed, and the delay that the remote has requested.
package struct RunFailure: Hashable, Sendable {
    /// Why the coordinator waits after the failure.
    package let reason: WaitReason

    /// The delay that the remote has requested, in seconds; nil for none.
    package let wish: Int?

    /// Creates a failure.
    package init(reason: WaitReason, wish: Int? = nil) { (self.reason, self.wish) = (reason, wish) }
}

extension RunFailure {
    /// Creates the failure of an error.
    package init(_ error: any Error) {
        switch error {
        case let error as RemoteError: self.init(error)
        case let error as KeptApartError: self.init(reason: .mismatch(error.mismatch))
        case let error as PersistenceError where error.code == .cycleOvertaken: self.init(reason: .busy)
        case let error as PersistenceError: self.init(reason: .store(error))
        default: self.init(reason: .other("\(type(of: error))"))
        }
    }

    /// Creates the failure of a remote's error.
    init(_ error: RemoteError) {
        switch error {
        case .later(let seconds): self.init(reason: .unavailable, wish: seconds)
        case .throttled(let seconds): self.init(reason: .throttled, wish: seconds)
        case .unauthorized: self.init(reason: .unauthorized)
        case .incompatible(let reason): self.init(reason: .incompatible(reason))
        case .handshakeNeeded: self.init(reason: .unavailable)
        case .gone(let reason): self.init(reason: .gone(reason))
        }
    }
}
