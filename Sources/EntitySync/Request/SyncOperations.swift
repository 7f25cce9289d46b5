import SyncPersistence

/// Which changes a sync may make.
///
/// ```swift
/// try await store.sync(page, into: "User", operations: [.insert, .update])
/// ```
///
/// The first three concern the objects of the payload itself, the other three, at every level below, objects within
/// objects and links: without ``deleteRelationships`` no link is taken away and no child is deleted.
public struct SyncOperations: OptionSet, Hashable, Sendable {
    /// The options, one bit each.
    public let rawValue: Int

    /// A set of options by its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Objects that are not stored become records.
    public static let insert = SyncOperations(rawValue: 1)
    /// Records that are stored take over what their objects say.
    public static let update = SyncOperations(rawValue: 2)
    /// Records that no object stands for are deleted, of those that the sync speaks of.
    public static let delete = SyncOperations(rawValue: 4)
    /// Objects within objects become records, and records are connected that were not.
    public static let insertRelationships = SyncOperations(rawValue: 8)
    /// Records of objects within objects take over what those say, and move from one owner to another.
    public static let updateRelationships = SyncOperations(rawValue: 16)
    /// What is no longer listed is separated, or deleted where it belonged to one owner.
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
