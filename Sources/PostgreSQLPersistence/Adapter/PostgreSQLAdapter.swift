public import SyncPersistence

/// A store of records in a PostgreSQL database.
///
/// ```swift
/// let store = try await PostgreSQLAdapter.open(
///     connection: "postgres://app@db.example/sync", namespace: "notes", schema: schema)
/// try await store.commit(changes)
/// ```
///
/// A store has a namespace of its own, a PostgreSQL schema. A database can have any number of them. Any number of
/// processes can use one store.
///
/// Writers of one store take turns by an advisory lock in the database. Writers of different stores run at the same
/// time. A read sees one state of the store and never waits for a writer, except for one that changes the schema. What a commit has returned is as durable as
/// the server's `synchronous_commit` makes it.
///
/// There is a table for each hierarchy of entities, with a column for each attribute and the key of each related record:
///
/// | Attribute | Column |
/// |---|---|
/// | bool, integer, double | `boolean`, `bigint`, `double precision` |
/// | decimal, bytes, UUID | `numeric`, `bytea`, `uuid` |
/// | string, URL | `text COLLATE "C"`; U+0000 is stored as U+0001 U+0001, and U+0001 as U+0001 U+0002 |
/// | date | `double precision` with the suffix `.seconds`, the seconds since 2001; and a computed `timestamptz` |
/// | JSON | `text` with the suffix `.text`; and a computed `jsonb` |
///
/// The computed columns have the names of their attributes. They are NULL for dates and JSON that PostgreSQL does not
/// support. Names of more than 63 bytes are shortened.
///
/// Changes by other programs bypass the journal and are not synchronized.
///
/// ## Lost connections
///
/// A connection that is lost between transactions is replaced without an error. If it is lost within a transaction, the
/// call throws the code `connectionLost`, and nothing is stored. If it is lost during the commit, the outcome is
/// queried. The code `unknownOutcome` says that this failed, or that the server was restarted, has recovered from a
/// crash, or was replaced.
///
/// A connection string with several hosts needs `target_session_attrs=read-write`, so that libpq finds the primary among
/// them. Without it, a standby that is connected to reports the code `readOnly` for writes; the next write connects again.
///
/// After a serialization failure or a deadlock, the body runs again, up to three times. Both need another program that
/// locks the same tables.
public final class PostgreSQLAdapter: PersistenceAdapter {
    /// The name of the PostgreSQL schema with the store's tables.
    public var namespaceName: String { namespace.name }

    /// The namespace of the tables.
    private let namespace: Namespace
    /// The connections.
    private let pool: PostgreSQLPool
    /// Whether the pool is closed with the store.
    private let ownsPool: Bool
    /// The calls that have begun and not ended.
    private let calls = CallQueue()
    /// The latest known layout of the store.
    private let known: Locked<KnownLayout>
    /// The streams that receive this adapter's commits.
    private let feed = CommitFeed()

    init(_ namespace: Namespace, _ pool: PostgreSQLPool, _ known: Locked<KnownLayout>, ownsPool: Bool) {
        self.namespace = namespace
        self.pool = pool
        self.ownsPool = ownsPool
        self.known = known
    }

    /// Returns the adapter of an account that shares the tables.
    func adapter(of account: String) throws -> PostgreSQLAdapter {
        PostgreSQLAdapter(try namespace.of(account: account), pool, known, ownsPool: false)
    }

    /// The schema of the store.
    ///
    /// It includes entities that another process added to the store once this adapter has written.
    public var schema: Schema { known.withLock { $0.layout.schema } }
}

extension PostgreSQLAdapter {
    /// Reads from one state of the store.
    ///
    /// ```swift
    /// let overdue = try await store.read { transaction in
    ///     try transaction.records(Query("ToDo", where: Field("due") < .date(.now), limit: 50))
    /// }
    /// ```
    ///
    /// The transaction is `REPEATABLE READ READ ONLY`. It ends when the body returns, so return values and no transaction.
    /// Up to ``PostgreSQLPool/Options/readerCount`` reads of all stores of a pool run at the same time.
    ///
    /// - Parameter body: Reads. It runs on a thread of its own, and must not wait for other calls of the store.
    /// - Returns: The result of the body.
    /// - Throws: `PersistenceError`, the errors of the body, and a `CancellationError` if the task is cancelled.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try calls.begin()
        defer { calls.end() }
        return try await reporting {
            try await pool.read { [namespace, known] connection in
                try connection.read(Format.versionQuery(in: namespace)) { rows in
                    let layout = try known.current(on: connection, version: rows.version, in: namespace)
                    return try ReadTransaction.run(on: PostgreSQLStorage(connection, layout), body)
                }
            }
        }
    }

    /// Changes the store by one transaction.
    ///
    /// ```swift
    /// let outcome = try await store.write { transaction in
    ///     var changes = ChangeSet()
    ///     changes.update(RecordID("Counter", 1), ["count": 7])
    ///     try transaction.apply(changes)
    /// }
    /// print(outcome.commit.sequence)
    /// ```
    ///
    /// The transaction holds the store's advisory lock, so the body sees what all earlier writers of any process have stored.
    /// It may run again after a conflict with another program, so it must have no effect outside of the transaction.
    ///
    /// - Parameter body: Reads and changes. It must not wait for a user or a network: others wait for the lock, and the
    ///   server ends a transaction that pauses for longer than ``PostgreSQLPool/Options/idleTimeout``.
    /// - Returns: The result of the body, and the commit.
    /// - Throws: `PersistenceError`, and the errors of the body; nothing is stored then, unless the code is
    ///   `unknownOutcome`. A `CancellationError` if the task is cancelled before the lock is held.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        try await inTurn { [namespace, known] connection, begun in
            try connection.write(namespace, Format.versionQuery(in: namespace), begun: begun) { rows in
                let layout = try known.current(on: connection, version: rows.version, in: namespace)
                let storage = PostgreSQLStorage(connection, layout)
                return (storage, try WriteTransaction.run(on: storage, body))
            } finish: { written, pipeline in
                let (storage, outcome) = written
                try storage.finish(in: pipeline)
                return outcome.commit.isEmpty ? nil : outcome.commit.sequence
            }.1
        } committed: { [feed] outcome in
            feed.publish(outcome.commit)
        }
    }

    /// Returns a stream of the later commits of this adapter.
    ///
    /// It has each commit with its changes, but none of other adapters and processes. For those, use ``sequences()``, or
    /// call ``refresh()`` after a wake-up.
    public func commits() -> AsyncStream<Commit> { feed.commits() }

    /// Publishes whether others have made commits since the last one of this adapter.
    ///
    /// Observers of ``commits()`` then receive one commit of others, without its changes.
    ///
    /// - Throws: `PersistenceError`.
    public func refresh() async throws { feed.publishOthers(through: try await read { try $0.sequence }) }

    /// Returns a stream of the numbers of commits, by this and all other processes.
    ///
    /// ```swift
    /// for await sequence in store.sequences() {
    ///     print("commit \(sequence)")
    /// }
    /// ```
    ///
    /// The first number is that of the last commit before. Numbers increase, unless another server takes the place of the
    /// former without its last commits. For a slow observer, only the latest number is kept. The server announces commits;
    /// after a lost connection, the number is read again, so none is missed for good. The stream ends when the store is
    /// closed or removed.
    ///
    /// All streams of all stores of a pool share one connection, which is open while there are any.
    public func sequences() -> AsyncStream<Int64> { observed(startsWithLast: true) { $0 } }

    /// Returns an element after commits from now on, by this and all other processes.
    ///
    /// As with ``sequences()``, no commit is missed for good. After a lost connection, there may be an element without a
    /// commit.
    public func changes() -> AsyncStream<Void> { observed(startsWithLast: false) { _ in } }

    private func observed<Element: Sendable>(
        startsWithLast: Bool, _ element: @escaping @Sendable (Int64) -> Element
    ) -> AsyncStream<Element> {
        // The observer is added before the end of the call, so a store that is closed meanwhile ends the stream.
        guard (try? calls.begin()) != nil else { return AsyncStream { $0.finish() } }
        defer { calls.end() }
        return pool.listener.stream(of: namespace, for: calls, startsWithLast: startsWithLast, element)
    }

    /// Adds entities to the schema, and their tables to the store.
    ///
    /// A store that already has them is not written. Entities that were added stay in the schema of later openings, which
    /// need not name them. New tables disturb no reader of the store.
    ///
    /// - Throws: `PersistenceError` if the store has another entity of one of the names, or was opened with another schema
    ///   meanwhile.
    /// - Complexity: O(size of the schema)
    public func add(_ entities: [Entity]) async throws {
        try await change(.add(entities))
    }

    /// Closes the store when all pending work is done.
    ///
    /// Later calls throw. A pool that was passed to the store stays open.
    public func close() async {
        await calls.close()
        await pool.listener.end(for: calls)
        if ownsPool { await pool.close() }
        feed.finish()
    }
}

extension PostgreSQLAdapter {
    /// Changes the schema of the store, unless it already has the result.
    func change(_ change: LayoutChange) async throws {
        try calls.begin()
        let namespace = namespace.ofAllAccounts
        // Read before the transaction begins, so that the store's layout is no older.
        let latest = known.current
        let isCurrent: Bool
        do {
            defer { calls.end() }
            isCurrent = try await reporting {
                try await pool.read { [known] connection in
                    try connection.read("SELECT 1") { _ in
                        let layouts = LayoutStore(connection: connection, namespace: namespace)
                        try layouts.requireEntities(of: latest, before: change)
                        guard let layout = try layouts.layout(unlessChangedBy: change) else { return false }
                        known.learn(layout)
                        return true
                    }
                }
            }
        }
        if isCurrent { return }
        try await inTurn { [known] connection, begun in
            try connection.write(namespace, "SELECT 1", begun: begun) { _ in
                let layouts = LayoutStore(connection: connection, namespace: namespace)
                try layouts.requireEntities(of: known.current, before: change)
                return try layouts.migrate(by: change)
            }
        } committed: { [known] new in
            known.learn(new)
        }
    }

    /// Runs a write in its turn, after the earlier ones of this adapter.
    ///
    /// If the task is cancelled before the write holds the lock, its body never runs.
    ///
    /// - Parameters:
    ///   - work: Writes on a connection. It calls its second argument when it can no longer be cancelled.
    ///   - committed: Called with the result after the commit, before the next write begins.
    @discardableResult
    private nonisolated(nonsending) func inTurn<Result: Sendable>(
        _ work: @escaping @Sendable (Connection, () -> Void) throws -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws -> Result {
        try Task.checkCancellation()
        try calls.begin()
        defer { calls.end() }
        let ticket = Ticket<Result>()
        calls.awaitTurn { [calls, pool] in
            let run: @Sendable (Connection) -> Void = { connection in
                ticket.run {
                    connection.isInterrupted = { ticket.isCancelled }
                    defer { connection.isInterrupted = nil }
                    let result = try work(connection) { connection.isInterrupted = nil }
                    committed(result)
                    return result
                }
                calls.endTurn()
            }
            do {
                try pool.write(run)
                return true
            } catch {
                ticket.run { throw error }
                return false
            }
        }
        return try await reporting { try await ticket.value }
    }

    /// Runs the body, and converts its errors to those of a store.
    private nonisolated(nonsending) func reporting<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw PostgreSQLError.reported(error)
        }
    }
}

extension Rows {
    /// The version of the layout, which `Format.versionQuery(in:)` has read as text.
    fileprivate var version: Int64 { count == 0 ? 0 : text(0, 0).flatMap { Int64($0) } ?? 0 }
}

extension Locked<KnownLayout> {
    /// Returns the layout in the current transaction of a connection, and keeps it for later transactions.
    fileprivate func current(on connection: Connection, version: Int64, in namespace: Namespace) throws -> Layout {
        let known = try current.current(on: connection, version: version, in: namespace)
        connection.statements.version = known.version
        learn(known)
        return known.layout
    }
}
