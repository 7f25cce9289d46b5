public import StoreSync
public import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The state of a coordinator, for views.
public enum SyncStatus: Hashable, Sendable {
    /// It was not started, or was stopped.
    case stopped
    /// It begins nothing until it is resumed.
    case suspended
    /// There is nothing to do now; with the date of the last complete cycle, or nil if there was none yet.
    case idle(lastSync: Date?)
    /// It works, with the part of the download that is done; nil if that is unknown.
    case syncing(fraction: Double?)
    /// It waits for a date, or for an action of the app or of a person if there is none.
    case waiting(until: Date?, WaitReason)
    /// Only people can go on: there are open conflicts or refused changes.
    case attention(conflicts: Int, refused: Int)
}

/// Why a coordinator waits.
public enum WaitReason: Hashable, Sendable {
    /// The remote cannot be reached.
    case offline
    /// The remote does not answer now.
    case unavailable
    /// The remote receives too many requests.
    case throttled
    /// The remote has postponed some changes.
    case postponed
    /// The remote does not accept the authorization: sign in again, then call ``SyncCoordinator/syncNow()``.
    case unauthorized
    /// Both ends cannot understand each other: update one of them.
    case incompatible(String)
    /// The account or the service no longer exists.
    case gone(String)
    /// Store and remote do not match, and the app has not chosen to continue.
    case mismatch(RemoteMismatch)
    /// Another process synchronizes the store.
    case busy
    /// The remote or a processor has not ended within its time.
    case timedOut
    /// The store cannot be read or written.
    case store(PersistenceError)
    /// Another error, with its type.
    case other(String)
}
