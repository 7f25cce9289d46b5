import CDifferentialSyncSQLite

/// A connection to a database, and the statements that were prepared on it.
///
/// It is used by one thread at a time. ``ConnectionPool`` sees to that, and ``WriteBehind`` within a transaction.
final class Connection {
    /// Where the database is.
    let location: Location

    /// SQLite's connection; nil once it is closed.
    // because: this object alone owns it, and sets it to nil where it closes it.
    private(set) var handle: OpaquePointer?

    /// Prepared statements by their SQL.
    var statements: StatementCache

    /// How many pages the write-ahead log has, where this connection writes it back by itself.
    var logPageCount = 0

    /// Whether SQLite checks foreign keys.
    var checksForeignKeys = true

    /// What its user keeps with it: it ends before the connection does.
    var attachment: AnyObject?

    /// What functions for SQL look up by number.
    let lookup = LookupTable()

    /// Who is asked whether a record is to be written over the one that is there.
    let replacement = Replacement()

    /// The file that was opened, and its write-ahead log once it has been written to.
    var file: FileIdentity?
    var log: FileIdentity?

    /// A connection that owns the handle.
    init(_ location: Location, handle: OpaquePointer, statementCapacity: Int) {
        self.location = location
        self.handle = handle
        statements = StatementCache(capacity: statementCapacity)
    }

    deinit { close() }

    /// Finalises all statements and closes the database.
    ///
    /// Nothing happens the second time.
    func close() {
        attachment = nil
        statements.removeAll()
        sqlite3_close_v2(handle)
        handle = nil
    }
}

extension Connection {
    /// Where a database is.
    enum Location: Hashable, Sendable {
        /// In the file of the path.
        case file(String)
        /// In memory, for as long as its one connection is open.
        case memory

        /// The path of the file, if it is in one.
        var path: String? {
            if case .file(let path) = self { path } else { nil }
        }
    }

    /// Interrupts the statement that runs on the connection, from any thread.
    // because: SQLite allows this call from any thread while the connection is open. A `Ticket` holds the interrupter
    // only while its work runs on the connection, and calls it under a lock that the end of the work also takes.
    struct Interrupter: @unchecked Sendable {
        let handle: OpaquePointer?

        /// Makes the statement that runs fail.
        func interrupt() {
            if let handle { sqlite3_interrupt(handle) }
        }
    }

    /// What can interrupt the connection's statements until it is closed.
    var interrupter: Interrupter { Interrupter(handle: handle) }

    /// The row that was inserted last.
    var lastInsertRowID: Int64 { handle.map(sqlite3_last_insert_rowid) ?? 0 }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    var changes: Int { handle.map { Int(sqlite3_changes($0)) } ?? 0 }

    /// Whether a transaction is open.
    var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// A limit of SQLite, such as `SQLITE_LIMIT_VARIABLE_NUMBER`.
    func limit(_ category: Int32) -> Int {
        handle.map { Int(sqlite3_limit($0, category, -1)) } ?? 0
    }

    /// Lowers a limit of SQLite.
    func setLimit(_ category: Int32, to value: Int32) {
        if let handle { _ = sqlite3_limit(handle, category, value) }
    }

    /// SQLite's connection; throws if it is closed.
    var openHandle: OpaquePointer {
        get throws {
            guard let handle else { throw SQLiteError.closed(path: location.path) }
            return handle
        }
    }

    /// Throws the error that a result code stands for, if it does.
    @inline(__always)
    func check(_ resultCode: Int32, sql: String? = nil) throws {
        if resultCode != SQLITE_OK { throw error(resultCode, sql: sql) }
    }

    /// The error of the call to SQLite that was the last one and had the given result.
    @inline(never)
    func error(_ resultCode: Int32, sql: String?) -> SQLiteError {
        guard let handle else { return .closed(path: location.path, sql: sql) }
        let latest = sqlite3_extended_errcode(handle)
        // The connection knows nothing of a call that was refused as misuse.
        guard latest & 0xff == resultCode & 0xff else {
            return SQLiteError(resultCode: resultCode, path: location.path, sql: sql)
        }
        return SQLiteError(
            resultCode: latest, message: String(cString: sqlite3_errmsg(handle)), path: location.path, sql: sql)
    }
}
