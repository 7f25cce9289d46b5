public import SyncPersistence

/// A store of records in an SQLite file.
///
/// ```swift
/// let store = try await SQLiteAdapter.open(at: path, schema: schema)
/// try await store.commit(changes)
/// ```
///
/// One writer and several readers work at the same time, in this process and in others.
///
/// A read sees one state of the file and does not wait. A commit is on the disk when it returns.
///
/// Any SQLite tool can read the file. There is a table for each hierarchy of entities, with a column for each attribute
/// and the key of each related record.
///
/// Changes by other programs bypass the journal and are not synchronized.
public final class SQLiteAdapter: PersistenceAdapter {
    /// The path of the file; nil for a store in memory.
    public let path: String?

    /// The connections to the file.
    let pool: ConnectionPool
    /// Whether writes throw.
    private let isReadOnly: Bool
    /// The latest known layout of the file.
    private let known: Locked<KnownLayout>
    /// The streams that receive this adapter's commits.
    private let feed = CommitFeed()

    /// Creates an adapter over an open file; without a path, over a database in memory.
    init(_ path: String?, _ pool: ConnectionPool, _ known: KnownLayout, isReadOnly: Bool) {
        self.path = path
        self.pool = pool
        self.isReadOnly = isReadOnly
        self.known = Locked(known)
    }

    /// The schema of the store.
    ///
    /// It includes entities that another process added to the file once this store has written.
    public var schema: Schema { known.withLock { $0.layout.schema } }
}

extension SQLiteAdapter {
    /// Reads from one state of the store.
    ///
    /// Up to ``Options/readerCount`` reads run at the same time, each on a connection of its own. A read waits for no
    /// writer, and delays none.
    ///
    /// - Throws: The error of the body; `PersistenceError` if the store is closed, or if the file cannot be read.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        // Read before the transaction begins, so that the file's layout is no older.
        let known = known.withLock { $0 }
        do {
            return try await pool.read { [latest = self.known] connection in
                let current = try known.current(on: connection)
                if current.version != known.version { latest.learn(current) }
                let storage = SQLiteStorage(connection, current.layout)
                return try storage.reading { try ReadTransaction.run(on: storage, body) }
            }
        } catch {
            throw SQLiteError.reported(error, path: path)
        }
    }

    /// Changes the store by one transaction.
    ///
    /// Writes of this adapter run one after the other. If another process writes, this one waits for up to
    /// ``Options/busyTimeout``. If the body throws, the file is as before.
    ///
    /// - Returns: The result of the body and the commit, which is on the disk if ``Options/isDurable`` is true.
    /// - Throws: The error of the body; `PersistenceError` if the store is read-only or closed, if another process
    ///   writes for too long, or if a change is invalid or cannot be stored.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        if isReadOnly {
            throw PersistenceError(
                .readOnly, "the store was opened for reading only: open it with 'isReadOnly' false to write", path: path
            )
        }
        let feed = feed
        do {
            return try await pool.write { [known] connection in
                // Read within the transaction, because an entity may have been added since the call.
                let current = try known.withLock { $0 }.current(on: connection)
                let storage = SQLiteStorage(connection, current.layout)
                return (try storage.finish { try WriteTransaction.run(on: storage, body) }, current)
            } committed: { [known] outcome, current in
                known.learn(current)
                feed.publish(outcome.commit)
            }.0
        } catch {
            throw SQLiteError.reported(error, path: path)
        }
    }

    /// Returns a stream of the later commits of this adapter.
    public func commits() -> AsyncStream<Commit> { feed.commits() }

    /// Publishes whether others have made commits since the last one of this adapter.
    ///
    /// SQLite does not report the commits of other processes. Call it after such a process has sent a signal.
    ///
    /// - Throws: `PersistenceError` if the store is closed, or if the file cannot be read.
    public func refresh() async throws { feed.publishOthers(through: try await read { try $0.sequence }) }

    /// Adds entities to the schema, and their tables to the file.
    ///
    /// A file that already has them is not written.
    ///
    /// - Throws: `PersistenceError` if the store is read-only or closed, if the schema has another entity of the same
    ///   name, or if the file was opened with another schema meanwhile.
    public func add(_ entities: [Entity]) async throws {
        do {
            _ = try await pool.layout(after: .add(entities), isReadOnly: isReadOnly, known: known)
        } catch {
            throw SQLiteError.reported(error, path: path)
        }
    }

    /// Closes the file when all pending work is done.
    ///
    /// Later calls throw, and so do calls that wait for ``resume()``.
    ///
    /// Streams of `commits()` end. Close a store before its file is moved or deleted.
    public func close() async {
        await pool.close()
        feed.finish()
    }
}
