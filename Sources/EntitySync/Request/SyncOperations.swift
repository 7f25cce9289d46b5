import SyncPersistence

/// The changes that a sync may make.
///
/// ```swift
/// try await store.sync(page, into: "User", operations: .all.subtracting(.delete))
/// ```
///
/// The first three concern the objects of the payload itself. The other three concern nested objects and links at every
/// level. Without ``deleteRelationships``, no link is removed and no child is deleted.
///
/// | payload | operations |
/// |---|---|
/// | all records of the server | ``all``, the default |
/// | a page of a longer list | all but ``delete`` |
/// | records that an app has already, for new values only | ``update`` |
public struct SyncOperations: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Inserts records for objects that are not stored.
    public static let insert = SyncOperations(rawValue: 1)
    /// Updates existing records from their objects.
    public static let update = SyncOperations(rawValue: 2)
    /// Deletes the records without an object, within the scope of the sync.
    public static let delete = SyncOperations(rawValue: 4)
    /// Inserts records for nested objects, and adds links.
    public static let insertRelationships = SyncOperations(rawValue: 8)
    /// Updates the records of nested objects, and moves records to another owner.
    public static let updateRelationships = SyncOperations(rawValue: 16)
    /// Disconnects records that are no longer listed, or deletes those that belong to one owner.
    public static let deleteRelationships = SyncOperations(rawValue: 32)

    /// All changes.
    public static let all: SyncOperations = [
        .insert, .update, .delete, .insertRelationships, .updateRelationships, .deleteRelationships,
    ]
}

extension SyncOperations {
    /// Whether new links are allowed.
    var mayConnect: Bool { !isDisjoint(with: [.insertRelationships, .updateRelationships]) }

    /// Whether a link to another record may replace the present target, or null.
    func mayReplace(_ target: Value) -> Bool { target.isNull ? mayConnect : contains(.updateRelationships) }
}
