import CDifferentialSyncSQLite

/// A prepared statement: bind, step, read the columns, reset.
///
/// Parameters count from 1 and columns from 0, as in SQLite. Nothing but text and blobs that are read as values is
/// allocated by a call. Once the statement is finalised, which the closing of its connection does, it has no rows.
final class Statement {
    /// The statement's text, with parameters.
    let sql: String

    /// SQLite's statement; nil once it is finalised.
    // because: this object alone owns it and sets it to nil where it frees it; SQLite's functions take a null pointer.
    private(set) var handle: OpaquePointer?

    /// The connection it was prepared on.
    unowned let connection: Connection

    /// Whether a parameter was bound since the last reset.
    var hasBindings = false

    // What the cache knows of it.
    var isInUse = false
    var isCached = false
    var lastUse = 0

    /// A statement that owns the handle.
    init(_ handle: OpaquePointer?, sql: String, connection: Connection) {
        self.handle = handle
        self.sql = sql
        self.connection = connection
    }

    deinit { finalize() }

    /// Frees SQLite's statement.
    ///
    /// Nothing happens the second time.
    func finalize() {
        sqlite3_finalize(handle)
        handle = nil
        hasBindings = false
    }
}

extension Statement {
    /// Goes to the next row: whether there is one.
    @inline(__always)
    func step() throws -> Bool {
        let resultCode = sqlite3_step(handle)
        if resultCode == SQLITE_ROW { return true }
        if resultCode == SQLITE_DONE { return false }
        throw failure(resultCode)
    }

    /// Goes back to the start, and lets go of what was bound.
    @inline(__always)
    func reset() {
        // The result repeats that of the last step, which has been thrown.
        sqlite3_reset(handle)
        if hasBindings {
            sqlite3_clear_bindings(handle)
            hasBindings = false
        }
    }

    /// Goes back to the start, where all parameters are bound anew before the next step.
    @inline(__always)
    func rewind() { sqlite3_reset(handle) }

    /// Steps to the end, and resets.
    @inline(__always)
    func run() throws {
        defer { reset() }
        while try step() {}
    }

    /// The error of a result code; out of line, so that calls of this type stay short.
    @inline(never)
    func failure(_ resultCode: Int32) -> SQLiteError {
        handle == nil
            ? .closed(path: connection.location.path, sql: sql) : connection.error(resultCode, sql: sql)
    }
}
