/// The content of a store in memory as a value, on which transactions run at once.
///
/// A copy is a snapshot: simulations keep one for each state that they return to.
package struct InMemoryContent: Sendable {
    /// The tables, which share their memory with the store until one of them changes.
    private var state: InMemoryState

    /// Creates the content of a store without records.
    package init(schema: Schema) { state = InMemoryState(schema: schema) }

    /// Creates the content of another store, with the library's own records.
    ///
    /// - Throws: As ``InMemoryAdapter/copy(of:schema:migration:)``.
    package init(of store: some PersistenceAdapter) async throws {
        state = try await InMemoryAdapter.copy(of: store).state.current ?? InMemoryState(schema: store.schema)
    }

    /// The schema of the store.
    package var schema: Schema { state.schema }

    /// Runs a body that reads.
    package func read<Result>(_ body: (ReadTransaction) throws -> Result) rethrows -> Result {
        try ReadTransaction.run(on: InMemoryStorage(state), body)
    }

    /// Runs a body that changes the content, as a whole or not at all.
    ///
    /// - Parameters:
    ///   - wrap: Returns the storage of the transaction, which forwards to the given one.
    ///   - body: Reads from the transaction and applies changes to it.
    package mutating func write<Result>(
        through wrap: (any RecordStorage) -> any RecordStorage = { $0 }, _ body: (WriteTransaction) throws -> Result
    ) throws -> WriteResult<Result> {
        let storage = InMemoryStorage(state)
        let outcome = try WriteTransaction.run(on: wrap(storage), body)
        storage.commit()
        state = storage.state
        return outcome
    }

    /// Adds entities to the schema.
    ///
    /// - Throws: As ``PersistenceAdapter/add(_:)``.
    package mutating func add(_ entities: [Entity]) throws {
        state = state.adapted(to: try schema.adding(entities))
    }

    /// Calls a body with each record, the library's own among them, in no order.
    package func forEachRecord(_ body: (Record) -> Void) throws {
        let storage = InMemoryStorage(state)
        for root in schema.roots {
            try storage.forEach(Query(root.name)) { record in
                body(record)
                return true
            }
        }
    }
}
