/// What a store in memory holds at one time.
///
/// A value: a copy of it is a snapshot, and costs nothing before the store changes the tables that both share.
struct InMemoryState: Equatable, Sendable {
    /// The schema.
    private(set) var schema: Schema

    /// The tables, by the names of the hierarchies' roots.
    private var tables: [String: InMemoryTable]

    /// A state without records.
    init(schema: Schema) {
        self.schema = schema
        tables = Dictionary(
            schema.roots.map { ($0.name, InMemoryTable(schema.hierarchy(of: $0))) }
        ) { first, _ in first }
    }
}

extension InMemoryState {
    /// The table of a shape's hierarchy.
    ///
    /// - Precondition: The schema has the shape.
    subscript(hierarchy: Shape) -> InMemoryTable {
        get {
            guard let table = tables[hierarchy.root] else { preconditionFailure(missing(hierarchy.root)) }
            return table
        }
        // In place: a table that is taken out and put back would be copied.
        _modify {
            guard let index = tables.index(forKey: hierarchy.root) else { preconditionFailure(missing(hierarchy.root)) }
            yield &tables.values[index]
        }
    }

    /// The record to which a step of a path leads from another, or nil.
    ///
    /// - Complexity: O(1)
    func follow(_ step: BoundPath.Step, from record: Record) -> Record? {
        let table = self[step.destination]
        if !step.isInverse {
            let key = step.slot.value(of: record)
            return key.isNull ? nil : table.record(key).flatMap { $0.isOf(step.destination) ? $0 : nil }
        }
        let places = table.index(of: step.slot.name)?.places(of: record.key) ?? []
        return places.sorted().lazy.compactMap { table.rows[$0] }.first { $0.isOf(step.destination) }
    }

    /// The same records under a schema that has more entities.
    ///
    /// - Complexity: O(*n*)
    func adapted(to schema: Schema) -> InMemoryState {
        var state = InMemoryState(schema: schema)
        for root in schema.roots {
            if let table = tables[root.name] {
                state.tables[root.name] = table.adapted(to: schema.hierarchy(of: root))
            }
        }
        return state
    }

    private func missing(_ root: String) -> String { "the schema of the store has no entity '\(root)'" }
}

extension Record {
    /// Whether it is of an entity, or of one that inherits it.
    func isOf(_ shape: Shape) -> Bool { self.shape === shape || self.shape.inherits(shape.name) }
}
