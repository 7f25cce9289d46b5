import CDifferentialSyncSQLite
import SyncPersistence

/// A connection to a database, with its prepared statements.
///
/// One thread uses it at a time. `ConnectionPool` guarantees that, and `WriteBehind` within a transaction.
final class Connection: QueuedConnection {
    /// The location of the database.
    let location: Location

    /// The handle of SQLite's connection; nil after `close()`.
    // because: only this object owns the handle, and it sets the handle to nil when it closes the connection.
    private(set) var handle: OpaquePointer?

    /// The cached statements, by SQL.
    var statements: StatementCache

    /// The checkpoints between transactions; nil if SQLite's automatic ones run.
    private var checkpoints: Checkpoints?

    /// An object that a user of the connection keeps with it.
    ///
    /// The connection releases it before it closes, so it may hold statements.
    var attachment: AnyObject?

    /// The opened file; nil for a database in memory.
    private var file: OpenedFile?

    /// Creates a connection that owns the handle.
    init(_ location: Location, handle: OpaquePointer, statementCapacity: Int) {
        self.location = location
        self.handle = handle
        statements = StatementCache(capacity: statementCapacity)
    }

    deinit { close() }

    /// Finalises all statements and closes the database.
    ///
    /// A second call has no effect.
    func close() {
        attachment = nil
        statements.removeAll()
        sqlite3_close_v2(handle)
        handle = nil
        checkpoints = nil
    }

    /// Turns off SQLite's automatic checkpoints; `checkpoint()` then replaces them.
    func postponeCheckpoints() throws { checkpoints = Checkpoints(of: try openHandle) }

    /// Writes the write-ahead log back into the file if the log is long and automatic checkpoints are off.
    func checkpoint() { checkpoints?.run() }

    /// Records the identity of the opened file.
    ///
    /// - Throws: `SQLiteError` if the path names another file than SQLite has opened.
    func rememberFile() throws {
        guard location != .memory, let handle, let name = sqlite3_db_filename(handle, "main") else { return }
        file = OpenedFile(path: String(cString: name))
        if hasMoved { throw SQLiteError.movedFile(path: location.path) }
    }

    /// Throws if the path now names another file, or if the write-ahead log was replaced.
    ///
    /// SQLite continues to write to a deleted or replaced file, and those changes would be lost.
    ///
    /// - Complexity: O(1), three system calls
    func requireFile() throws {
        if file == nil { return }
        if hasMoved || file?.isInPlace() == false { throw SQLiteError.movedFile(path: location.path) }
    }

    /// Whether the path does not name the file that SQLite has opened.
    private var hasMoved: Bool {
        guard let handle else { return false }
        var hasMoved: Int32 = 0
        // A file system that does not know this operation returns another code.
        let resultCode = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return resultCode == SQLITE_OK && hasMoved != 0
    }
}

extension Connection {
    /// The location of a database.
    enum Location: Hashable, Sendable {
        /// A file at a path.
        case file(String)
        /// Memory; the database exists while its only connection is open.
        case memory

        /// The path of the file; nil for a database in memory.
        var path: String? {
            if case .file(let path) = self { path } else { nil }
        }
    }

    /// A handle that interrupts the connection's running statement, from any thread.
    // because: SQLite allows this call from any thread while the connection is open. A `Ticket` keeps the interrupter
    // only while its work runs, and calls it under a lock that the end of the work also acquires.
    struct Interrupter: @unchecked Sendable {
        let handle: OpaquePointer?

        /// Makes the running statement fail.
        func interrupt() {
            if let handle { sqlite3_interrupt(handle) }
        }
    }

    /// An interrupter of the connection, valid until the connection is closed.
    var interrupter: Interrupter { Interrupter(handle: handle) }

    /// The number of the row that was inserted last.
    var lastInsertRowID: Int64 { handle.map(sqlite3_last_insert_rowid) ?? 0 }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    var changes: Int { handle.map { Int(sqlite3_changes($0)) } ?? 0 }

    /// Whether a transaction is open.
    var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// The handle of SQLite's connection.
    ///
    /// - Throws: `SQLiteError` if the connection is closed.
    var openHandle: OpaquePointer {
        get throws {
            guard let handle else { throw SQLiteError.closed(path: location.path) }
            return handle
        }
    }

    /// Throws if the connection is closed.
    ///
    /// Work that waits in a suspended pool runs after the pool is closed.
    func requireOpen() throws { _ = try openHandle }

    /// Throws the error of a result code, unless the code is `SQLITE_OK`.
    @inline(__always)
    func check(_ resultCode: Int32, sql: String? = nil) throws {
        if resultCode != SQLITE_OK { throw error(resultCode, sql: sql) }
    }

    /// Returns the error of the latest SQLite call.
    ///
    /// - Parameter resultCode: The result of that call.
    @inline(never)
    func error(_ resultCode: Int32, sql: String?) -> SQLiteError {
        guard let handle else { return .closed(path: location.path, sql: sql) }
        let latest = sqlite3_extended_errcode(handle)
        // SQLite records no error on the connection for a call that it rejects as misuse.
        guard latest & 0xff == resultCode & 0xff else {
            return SQLiteError(resultCode: resultCode, path: location.path, sql: sql)
        }
        return SQLiteError(
            resultCode: latest, message: String(cString: sqlite3_errmsg(handle)), path: location.path, sql: sql)
    }
}
