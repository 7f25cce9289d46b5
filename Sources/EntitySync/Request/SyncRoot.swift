public import SyncPersistence

/// A list of objects within a payload, and the entity that they are synced into.
///
/// ```swift
/// try await store.sync(data, roots: [SyncRoot("User", at: "data.users"), SyncRoot("Post", at: "data.posts")])
/// ```
///
/// The roots of one call are synced in one transaction. A key in one of them may name a record of another.
public struct SyncRoot: Sendable {
    /// The name of the entity.
    public let entity: String

    /// The names that lead to the list, separated by dots, such as `data.items`.
    ///
    /// An empty path is the payload itself. A name followed by `[]` leads through an array: with `data.entries[].item`,
    /// each element of `entries` has an object under `item`. `edges.node` leads through an array without `[]`.
    public let path: String

    /// The condition for records that may be deleted.
    public var filter: Filter?

    /// A record with which all records of the list are connected.
    public var parent: RecordID?

    /// The changes that may be made.
    public var operations: SyncOperations

    /// Whether the payload may lack the list, or have null in its place.
    ///
    /// The list then changes nothing.
    ///
    /// Otherwise a path that leads nowhere is an error. If only some of several pages have the list, it is partial.
    public var isOptional = false

    /// Whether the remote may have more objects than are listed, so that no record is deleted.
    public var isPartial = false

    /// The path of a value in the payload that states whether the remote has more objects, such as `has_more`,
    /// `pageInfo.hasNextPage` or `links.next`.
    ///
    /// The path begins at the payload itself. There are no more objects if the value is missing, `null`, `false`, 0 or
    /// empty text, or the text of `false` or 0. With any other value, the list is partial. Of several pages, the last
    /// one counts.
    public var morePath: String?

    /// Whether the list contains the keys of deleted records.
    let isDeletions: Bool

    /// Creates a root for a list of objects.
    ///
    /// If the path leads to one object instead of a list, the object is stored and no other record is deleted.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - path: The names that lead to the list; empty for the payload itself.
    ///   - filter: A condition for the records that may be deleted.
    ///   - parent: A record with which all records of the list are connected.
    ///   - operations: The changes that may be made.
    public init(
        _ entity: String, at path: String = "", filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all
    ) {
        self.init(entity, path, filter, parent, operations, isDeletions: false)
    }

    /// Returns the root within the value to which a path leads.
    func below(_ outer: String) -> SyncRoot {
        if outer.isEmpty { return self }
        var root = SyncRoot(
            entity, path.isEmpty ? outer : "\(outer).\(path)", filter, parent, operations, isDeletions: isDeletions)
        (root.isOptional, root.isPartial, root.morePath) = (isOptional, isPartial, morePath)
        return root
    }

    private init(
        _ entity: String, _ path: String, _ filter: Filter?, _ parent: RecordID?, _ operations: SyncOperations,
        isDeletions: Bool
    ) {
        self.entity = entity
        self.path = path
        self.filter = filter
        self.parent = parent
        self.operations = operations
        self.isDeletions = isDeletions
    }

    /// Returns a root for a list of keys, or of objects with keys, whose records the remote has deleted.
    ///
    /// ```swift
    /// let deletions = SyncRoot.deletions(of: "Item", at: "deleted_ids")
    /// ```
    ///
    /// Each record is deleted, together with its dependents by the schema's delete rules. Unknown keys are ignored, and
    /// a payload without the list deletes nothing. A record with a local change is kept, as with other deletions. If
    /// the payload also has an object of the record, that is reported, and the record is deleted.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - path: The names that lead to the list; empty for the payload itself.
    public static func deletions(of entity: String, at path: String) -> SyncRoot {
        var root = SyncRoot(entity, path, nil, nil, .all, isDeletions: true)
        root.isOptional = true
        return root
    }
}
