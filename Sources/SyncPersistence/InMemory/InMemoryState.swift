/// What a store in memory holds at one time.
///
/// A value: a copy of it is a snapshot, and costs nothing before the store changes the tables that both share.
struct InMemoryState: Equatable, Sendable {
    /// The schema.
    let schema: Schema

    /// The tables of the hierarchies.
    private var tables: [InMemoryTable]

    /// Which table is that of a hierarchy, by the name of the root.
    private let tableNumbers: [String: Int]

    /// A state without records.
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
        // Where it is: a table that is taken out to be changed would be copied.
        _read { yield tables[tableNumber(of: hierarchy)] }
        _modify { yield &tables[tableNumber(of: hierarchy)] }
    }

    private func tableNumber(of hierarchy: Shape) -> Int {
        guard let number = tableNumbers[hierarchy.root] else {
            preconditionFailure("the schema of the store has no entity '\(hierarchy.root)'")
        }
        return number
    }

    /// The record to which a step of a path leads from another, or nil.
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

    /// The same records under a schema that has more entities.
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

extension Record {
    /// Whether it is of an entity, or of one that inherits it.
    func isOf(_ shape: Shape) -> Bool { self.shape === shape || self.shape.inherits(shape.name) }
}
