/// What becomes of records that the list of a relationship to many no longer has.
///
/// A relationship names it in its `userInfo`, under `sync.unlisted`, or a call in ``SyncOptions/unlisted``. Without that,
/// records that belong to one owner are deleted if they are listed as objects. Other records are separated.
public enum UnlistedRecords: String, Hashable, Sendable, CaseIterable {
    /// They are deleted if they belong to one owner and are listed as objects, and separated otherwise.
    case delete
    /// They are separated from the owner, and are kept.
    case separate
    /// They stay members: each list is a part of what the remote has.
    case keep
}
