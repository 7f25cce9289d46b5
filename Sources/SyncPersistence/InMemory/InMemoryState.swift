/// The content of a store in memory at one time.
///
/// A copy of this value is a snapshot. It costs nothing until the store changes tables that both share.
struct InMemoryState: Equatable, Sendable {
    /// The schema, which determines the tables.
    let schema: Schema

    /// The tables of the hierarchies.
    private var tables: [InMemoryTable]

    /// The number of each hierarchy's table, by the name of the root.
    private let tableNumbers: [String: Int]

    /// Creates a state without records.
    init(schema: Schema) {
        let roots = schema.roots
        self.schema = schema
        tables = roots.map { InMemoryTable(schema.hierarchy(of: $0)) }
        tableNumbers = Dictionary(zip(roots.map(\.name), roots.indices)) { first, _ in first }
    }
}

extension InMemoryState {
    /// The table of a shape's hierarchy.
    ///
    /// - Precondition: The schema has the shape.
    subscript(hierarchy: Shape) -> InMemoryTable {
        // Changed in place, because a table that is taken out would be copied.
        _read { yield tables[tableNumber(of: hierarchy)] }
        _modify { yield &tables[tableNumber(of: hierarchy)] }
    }

    /// Returns the position of a hierarchy's table.
    ///
    /// - Precondition: The schema has the hierarchy.
    private func tableNumber(of hierarchy: Shape) -> Int {
        guard let number = tableNumbers[hierarchy.root] else {
            preconditionFailure("the schema of the store has no entity '\(hierarchy.root)'")
        }
        return number
    }

    /// Returns the record to which a step of a path leads from another, or nil.
    ///
    /// - Complexity: O(1)
    func follow(_ step: BoundPath.Step, _ record: Record) -> Record? {
        let table = self[step.destination]
        if !step.isInverse {
            let key = step.slot.value(of: record)
            return key.isNull ? nil : table.record(key).flatMap { $0.isOf(step.destination) ? $0 : nil }
        }
        let places = table.index(of: step.slot.name)?.places(of: record.key) ?? []
        return places.sorted().lazy.compactMap { table.rows[$0] }.first { $0.isOf(step.destination) }
    }

    /// Returns the same records under a schema with more entities.
    ///
    /// - Complexity: O(*n*)
    func adapted(to schema: Schema) -> InMemoryState {
        var state = InMemoryState(schema: schema)
        for root in schema.roots where tableNumbers[root.name] != nil {
            state[root] = self[root].adapted(to: schema.hierarchy(of: root))
        }
        return state
    }
}
