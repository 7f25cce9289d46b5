public import SyncPersistence

/// The record of a synced object, and the changes.
///
/// A server's answer may give a new record another key than it was sent with. ``record`` has the key that is stored.
public struct ObjectSyncResult: Sendable {
    /// The record after the sync; nil if it could not be stored, or does not exist.
    public let record: Record?

    /// The changes, and reports of what could not be used.
    public let result: SyncResult
}
