public import SyncPersistence

/// A store of records in an SQLite file.
///
/// ```swift
/// let store = try await SQLiteAdapter.open(at: path, schema: schema)
/// try await store.commit(changes)
/// ```
///
/// One writer and several readers work at the same time, in this process and in others: a read sees one state of the
/// file, and waits for nobody. A commit is on the disk when it returns.
///
/// A person can read the file with any SQLite tool: there is a table for each hierarchy of entities, with a column for
/// each attribute and the key of each related record. What another program writes into it goes past the journal, and
/// is not synchronized.
public final class SQLiteAdapter: PersistenceAdapter {
    /// The path of the file; nil for a store in memory.
    public let path: String?

    private let pool: ConnectionPool
    private let layout: Locked<Layout>
    private let feed = CommitFeed()

    init(_ path: String?, _ pool: ConnectionPool, _ layout: Layout) {
        self.path = path
        self.pool = pool
        self.layout = Locked(layout)
    }

    /// The schema of the store.
    public var schema: Schema { layout.withLock { $0.schema } }
}

extension SQLiteAdapter {
    /// Reads from one state of the store.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        let layout = layout.withLock { $0 }
        return try await pool.read { connection in
            try ReadTransaction.run(on: SQLiteStorage(connection, layout), body)
        }
    }

    /// Changes the store by one transaction.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (commit: Commit, result: Result) {
        let feed = feed
        return try await pool.write { [layout] connection in
            // Taken here, because an entity may have been added since the call.
            try WriteTransaction.run(on: SQLiteStorage(connection, layout.withLock { $0 }), body)
        } committed: { result in
            feed.publish(result.commit)
        }
    }

    /// The commits of this adapter from now on.
    public func commits() -> AsyncStream<Commit> { feed.commits() }

    /// Adds entities to the schema, and tables for them to the file.
    public func add(_ entities: [Entity]) async throws {
        _ = try await pool.write { connection in
            try connection.migrate(adding: entities)
        } committed: { [layout] new in
            layout.withLock { $0 = new }
        }
    }

    /// Runs something on a connection that reads, for tests.
    func withConnection<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await pool.read(body)
    }

    /// Closes the file once all that was begun is done; later calls throw.
    public func close() async {
        await pool.close()
        feed.finish()
    }
}
