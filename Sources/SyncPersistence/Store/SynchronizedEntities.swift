/// The entities whose records a cycle synchronizes.
///
/// A record of such an entity has a remote of its own, which reports each change and deletion of it. Other records are
/// stored with a payload, and are deleted with the record to which they belong.
final class SynchronizedEntities {
    /// By shape, whether its records have a remote of their own, as far as is known.
    private var shapes: [ObjectIdentifier: Bool] = [:]

    /// The entities with a cycle in progress.
    private var cyclingEntities: Set<String> = []

    /// Whether the store is synchronized as a whole; nil if unknown.
    private var isWhole: Bool?

    /// The name of the metadata with the account that the whole store is synchronized with.
    static let accountName = "sync.store.account"

    /// The name of the metadata with the entities that the remote of the whole store lacks, one a line.
    static let missingName = "sync.store.missing"

    /// Reads what is stored.
    private let store: ReadTransaction

    /// Creates the entities of a transaction.
    ///
    /// - Parameter store: Reads what is stored.
    init(of store: ReadTransaction) {
        self.store = store
    }

    /// Adds an entity with a cycle in progress, whether or not it has agreed with its remote before.
    func addCycle(of entity: String) {
        if cyclingEntities.insert(entity).inserted { shapes = [:] }
    }

    /// Reads the metadata anew after a change of the metadata under a name.
    func metadataChanged(_ name: String) {
        if name.hasPrefix(CycleMetadata.prefix) || name == Self.accountName || name == Self.missingName {
            (shapes, isWhole) = ([:], nil)
        }
    }

    /// Whether the store is synchronized as a whole, with a remote that has an entity.
    ///
    /// - Complexity: O(1)
    private func isPartOfWhole(_ shape: Shape) throws -> Bool {
        guard try isSynchronizedAsAWhole() else { return false }
        let missing = try store.metadata(Self.missingName)?.split(separator: "\n") ?? []
        return !missing.contains { $0 == shape.root }
    }

    /// Whether the store is synchronized as a whole. O(1)
    private func isSynchronizedAsAWhole() throws -> Bool {
        if let isWhole { return isWhole }
        let found = try store.metadata(Self.accountName) != nil
        isWhole = found
        return found
    }

    /// Whether a collection of links was opened, so that a cycle sends the local ones sooner or later.
    func isOpened(_ links: Shape) throws -> Bool {
        if try contains(links) { return true }
        return try store.metadata(CycleMetadata.turn(of: links.name)) != nil
    }

    /// Whether the records of a shape have a remote of their own.
    ///
    /// They do if the store is synchronized as a whole. They also do if a cycle of their collection has reached a
    /// remote before, or is in progress in the transaction.
    ///
    /// - Complexity: O(1); the metadata are read once for each shape
    func contains(_ shape: Shape) throws -> Bool {
        if let known = shapes[ObjectIdentifier(shape)] { return known }
        let isKnown =
            try isPartOfWhole(shape)
            || shape.lineage.contains { entity in
                if cyclingEntities.contains(entity) { return true }
                if let turn = try store.metadata(CycleMetadata.turn(of: entity)), turn != CycleMetadata.openedTurn {
                    return true
                }
                return try store.metadata(CycleMetadata.version(of: entity)) != nil
            }
        shapes[ObjectIdentifier(shape)] = isKnown
        return isKnown
    }

    /// Whether there are none.
    func isEmpty() throws -> Bool {
        if try !cyclingEntities.isEmpty || isSynchronizedAsAWhole() { return false }
        let prefix = CycleMetadata.prefix
        let names: [Filter] = [
            .comparison(path: "name", .greaterOrEqual, .string(prefix)),
            .comparison(path: "name", .less, .string(prefix + "\u{10FFFF}")),
        ]
        if try store.records(Query("sync.metadata", where: .and(names), limit: 1)).isEmpty { return true }
        return try !(store.schema.shapes + store.schema.internalShapes).contains {
            try ($0.role == nil || $0.role == .links) && contains($0)
        }
    }
}
