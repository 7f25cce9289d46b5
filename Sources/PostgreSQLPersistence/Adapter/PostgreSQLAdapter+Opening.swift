public import SyncPersistence

extension PostgreSQLAdapter {
    /// Opens a store with connections of its own, and creates it if there is none.
    ///
    /// Entities, attributes, relationships and indexes that the store lacks are added to it. Renamed definitions are
    /// found by their `renamedFrom`. Changes that lose data need a migration step:
    ///
    /// ```swift
    /// let store = try await PostgreSQLAdapter.open(
    ///     connection: database, namespace: "notes", schema: newer,
    ///     migration: [.drop("Book", "shelf"), .convert("Book", "pages")])
    /// ```
    ///
    /// All changes are one transaction, which waits for the writers of the store. If it changes existing tables, it also
    /// waits for the readers, and later readers wait for it, each for at most ``PostgreSQLPool/Options/lockTimeout``. A
    /// store that fits the schema is not written.
    ///
    /// - Parameters:
    ///   - connection: A connection string of libpq; see ``PostgreSQLPool/init(_:options:)``.
    ///   - namespace: The name of the PostgreSQL schema for the store's tables. It is created if there is none.
    ///   - schema: The schema.
    ///   - migration: The steps that may drop, convert or fill data if the store has another schema.
    ///   - options: The options of the connections.
    /// - Throws: `PersistenceError` if the server cannot be reached, or the namespace has tables of another program. Also
    ///   if a change of the schema would lose data, or a step fails. The store is unchanged then.
    /// - Complexity: O(size of the schema), for a store of any size. A new index or readable column is built from all
    ///   records. A step reads and writes all records of the entity's hierarchy.
    public static func open(
        connection: String, namespace: String, schema: Schema, migration: [MigrationStep] = [],
        options: PostgreSQLPool.Options = PostgreSQLPool.Options()
    ) async throws -> PostgreSQLAdapter {
        var options = options
        // The writes of one store run one after the other.
        options.writerCount = 1
        let pool = try PostgreSQLPool(connection, options: options)
        do {
            return try await open(on: pool, Namespace(namespace), schema, migration, ownsPool: true)
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Opens a store with the connections of a pool, and creates it if there is none.
    ///
    /// See ``open(connection:namespace:schema:migration:options:)``. The pool stays open when the store is closed.
    public static func open(
        on pool: PostgreSQLPool, namespace: String, schema: Schema, migration: [MigrationStep] = []
    ) async throws -> PostgreSQLAdapter {
        try await open(on: pool, Namespace(namespace), schema, migration, ownsPool: false)
    }

    static func open(
        on pool: PostgreSQLPool, _ namespace: Namespace, _ schema: Schema, _ migration: [MigrationStep], ownsPool: Bool
    ) async throws -> PostgreSQLAdapter {
        // Until the layout is known, the adapter has an older one than any store.
        let layout = Layout(try Schema([]), in: namespace, names: NameMap(), digestSeed: 0, added: [])
        let adapter = PostgreSQLAdapter(
            namespace, pool, Locked(KnownLayout(layout: layout, version: 0)), ownsPool: ownsPool)
        try await adapter.change(.open(schema, by: migration))
        return adapter
    }
}
