/// The entities whose records have a remote of their own, which reports what becomes of them.
final class SynchronizedEntities {
    /// By shape, whether its records have a remote of their own, as far as is known.
    private var shapes: [ObjectIdentifier: Bool] = [:]

    /// The entities with a cycle in progress.
    private var cyclingEntities: Set<String> = []

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
        if name.hasPrefix(CycleMetadata.prefix) { shapes = [:] }
    }

    /// Whether a collection of links was opened, so that a cycle sends the local ones sooner or later.
    func isOpened(_ links: Shape) throws -> Bool {
        if try contains(links) { return true }
        return try store.metadata(CycleMetadata.turn(of: links.name)) != nil
    }

    /// Whether a collection synchronizes the records of a shape by cycles of its own.
    ///
    /// It does if a cycle has reached a remote of it before, or is in progress in the transaction.
    ///
    /// - Complexity: O(1); the metadata are read once for each shape
    func contains(_ shape: Shape) throws -> Bool {
        if let known = shapes[ObjectIdentifier(shape)] { return known }
        let isKnown = try shape.lineage.contains { entity in
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
        if !cyclingEntities.isEmpty { return false }
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
