/// The effect of a sync on records that a to-many relationship no longer lists.
///
/// A relationship specifies it as `sync.unlisted` in its `userInfo`, or a call in ``SyncOptions/unlisted``.
///
/// By default, records that belong to one owner are deleted if they are listed as objects. Other records are
/// disconnected.
public enum UnlistedRecords: String, Hashable, Sendable, CaseIterable {
    /// The records are deleted if they belong to one owner and are listed as objects.
    ///
    /// Otherwise they are disconnected.
    case delete
    /// The records are disconnected from the owner, and kept.
    case separate
    /// The records stay connected, because each list is partial.
    case keep
}
