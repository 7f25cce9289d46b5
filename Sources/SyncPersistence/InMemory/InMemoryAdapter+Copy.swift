extension InMemoryAdapter {
    /// Returns a store in memory with the content of another store, under the same or another schema.
    ///
    /// ```swift
    /// let preview = try await InMemoryAdapter.copy(of: store)
    /// ```
    ///
    /// The other store is only read. The journal and all other metadata of the records are copied with them.
    ///
    /// - Parameters:
    ///   - store: The other store.
    ///   - schema: The schema of the copy; by default that of the store.
    ///   - migration: The steps that drop, convert or fill data if the store has another schema.
    /// - Throws: ``PersistenceError`` if the store cannot be read, if the change of the schema would lose data, or if a
    ///   step fails.
    /// - Complexity: O(*n*)
    public static func copy(
        of store: some PersistenceAdapter, schema: Schema? = nil, migration: [MigrationStep] = []
    ) async throws -> InMemoryAdapter {
        let state = try await store.read { transaction in
            try InMemoryState(of: transaction.storage, as: schema ?? transaction.schema, by: migration)
        }
        return InMemoryAdapter(state: state)
    }
}

extension InMemoryState {
    /// Creates a state with the content of a store, under another schema.
    fileprivate init(of storage: any RecordStorage, as schema: Schema, by steps: [MigrationStep]) throws {
        try storage.schema.requireSpelling(of: schema.entities)
        let migration = try Migration(from: storage.schema, to: schema, by: steps)
        let changes = try SchemaChanges(from: migration.reduced, to: schema)
        var reduced = InMemoryStorage(InMemoryState(schema: migration.reduced))
        if migration.isEmpty {
            try reduced.insertAll(of: storage) { $0 }
        } else {
            let run = try MigrationRun(migration, on: storage)
            try reduced.insertAll(of: storage) { try run.converted($0, in: storage) }
            try run.convertInternalRecords(reduced)
        }
        try changes.check(reduced)
        if !changes.isEmpty || schema != migration.reduced {
            let renamed = InMemoryStorage(InMemoryState(schema: schema))
            try renamed.insertAll(of: reduced) { changes.converted($0) }
            try changes.convertInternalRecords(renamed)
            reduced = renamed
        }
        reduced.commit()
        self = reduced.state
    }
}

extension InMemoryStorage {
    /// Inserts all records of another storage, including the library's own.
    fileprivate func insertAll(of storage: any RecordStorage, as converted: (Record) throws -> Record?) throws {
        for root in storage.schema.roots {
            try storage.forEach(Query(root.name)) { record in
                if let record = try converted(record) { try insert(record) }
                return true
            }
        }
    }
}
