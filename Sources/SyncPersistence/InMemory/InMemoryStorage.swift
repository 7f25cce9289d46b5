/// The records of one transaction on a store in memory.
///
/// The changes of the transaction are recorded, so that undoing them costs only as much as they did.
package final class InMemoryStorage: RecordStorage {
    /// The state with the changes of the transaction.
    private(set) var state: InMemoryState

    /// How many records were examined to find those that queries select.
    package private(set) var examinedCount = 0

    /// The changes so far, in their order.
    private var undo: [Undo] = []

    /// The way to undo a change.
    private enum Undo {
        /// Removes the last record of a table.
        case append(Shape)
        /// Replaces the record at a place by the former one.
        case replace(Int, Record)
        /// Restores a record at a place.
        case remove(Int, Record)
    }

    /// Creates a storage over a state, which it changes.
    init(_ state: consuming InMemoryState) {
        self.state = state
    }

    /// Creates an empty storage.
    package convenience init(schema: Schema) { self.init(InMemoryState(schema: schema)) }
}

extension InMemoryStorage {
    /// The schema of the state.
    package var schema: Schema { state.schema }

    /// Returns a record by its key.
    ///
    /// - Complexity: O(1)
    package func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        state[hierarchy].record(key)
    }

    /// Calls a body with the records of a query, found by an index where a condition has one.
    package func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        let query = try BoundQuery(query, in: schema)
        // A copy, so that the body may read from the storage.
        let state = state
        try state.forEach(query, examined: { examinedCount += 1 }, body)
    }

    /// Counts the records of a query, without passing them.
    package func count(_ query: Query) throws -> Int {
        try state.count(BoundQuery(query, in: schema), examined: { examinedCount += 1 })
    }
}

extension InMemoryStorage {
    /// Inserts or replaces a record, and returns the replaced one.
    ///
    /// - Complexity: O(1) for each index, amortized
    package func put(_ record: Record) throws -> Record? {
        let record = try adopted(record)
        guard let place = state[record.shape].place(of: record.key) else {
            append(record)
            return nil
        }
        let old = state[record.shape].rows[place]
        if old == record { return old }
        undo.append(.replace(place, state[record.shape].replace(at: place, by: record)))
        return old
    }

    /// Inserts a record whose key no other has.
    package func insert(_ record: Record) throws {
        append(try adopted(record))
    }

    /// Removes a record, and returns it; nil if there is none.
    package func remove(_ key: Value, in hierarchy: Shape) throws -> Record? {
        guard let place = state[hierarchy].place(of: key) else { return nil }
        let old = state[hierarchy].remove(at: place)
        undo.append(.remove(place, old))
        return old
    }

    /// Inserts a record behind the others of its hierarchy.
    private func append(_ record: Record) {
        state[record.shape].append(record)
        undo.append(.append(record.shape))
    }

    /// Returns a record with the shape that the schema has for its entity.
    private func adopted(_ record: Record) throws -> Record {
        guard let shape = schema[record.entity] else {
            throw PersistenceError(
                .unknownName, "the schema has no entity '\(record.entity)': add it first", id: record.id)
        }
        if shape === record.shape { return record }
        if shape == record.shape { return Record(shape, slots: record.values) }
        throw PersistenceError(
            .schemaChange, "the record was made with another schema: make it with that of the store", id: record.id)
    }
}

extension InMemoryStorage {
    /// Undoes all changes, the last one first.
    ///
    /// - Complexity: O(number of changes)
    func rollBack() {
        while let change = undo.popLast() {
            switch change {
            case .append(let shape): state[shape].removeLast()
            case .replace(let place, let old): state[old.shape].replace(at: place, by: old)
            case .remove(let place, let old): state[old.shape].restore(old, at: place)
            }
        }
    }

    /// Removes free places if they are many; the changes can no longer be undone.
    func commit() {
        var roots: Set<Shape> = []
        for case .remove(_, let old) in undo { roots.insert(old.shape) }
        undo = []
        for root in roots { state[root].compactIfSparse() }
    }
}
