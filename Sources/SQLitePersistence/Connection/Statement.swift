import CDifferentialSyncSQLite

/// A prepared statement: bind, step, read the columns, reset.
///
/// Parameters count from 1 and columns from 0, as in SQLite. Calls allocate only for text and blobs that they return as
/// values. A finalised statement has no rows; closing the connection finalises its statements.
final class Statement {
    /// The SQL text, with parameters.
    let sql: String

    /// The handle of SQLite's statement; nil after `finalize()`.
    // because: only this object owns the handle, and sets it to nil when it frees it. SQLite's functions accept a null
    // pointer.
    private(set) var handle: OpaquePointer?

    /// The connection that prepared the statement.
    unowned let connection: Connection

    /// Whether a parameter was bound since the last reset.
    var hasBindings = false

    // The state that `StatementCache` maintains.
    /// Whether a caller is executing it, so that another one must prepare its own.
    var isInUse = false
    /// Whether the cache has it, and finalizes it.
    var isCached = false
    /// The number of its last use, by which the cache finds the one that was unused for longest.
    var lastUse = 0

    /// Creates a statement that owns the handle.
    init(_ handle: OpaquePointer?, sql: String, connection: Connection) {
        self.handle = handle
        self.sql = sql
        self.connection = connection
    }

    deinit { finalize() }

    /// Frees SQLite's statement.
    ///
    /// A second call has no effect.
    func finalize() {
        sqlite3_finalize(handle)
        handle = nil
        hasBindings = false
    }
}

extension Statement {
    /// Advances to the next row, and returns whether there is one.
    @inline(__always)
    func step() throws -> Bool {
        let resultCode = sqlite3_step(handle)
        if resultCode == SQLITE_ROW { return true }
        if resultCode == SQLITE_DONE { return false }
        throw failure(resultCode)
    }

    /// Moves before the first row, and clears the bindings.
    @inline(__always)
    func reset() {
        // The result code repeats that of the last step, which has already been thrown.
        sqlite3_reset(handle)
        if hasBindings {
            sqlite3_clear_bindings(handle)
            hasBindings = false
        }
    }

    /// Moves before the first row, and keeps the bindings.
    ///
    /// The caller binds all parameters anew before the next step.
    @inline(__always)
    func rewind() { sqlite3_reset(handle) }

    /// Runs the statement to its end, and resets it.
    @inline(__always)
    func run() throws {
        defer { reset() }
        while try step() {}
    }

    /// Returns the error of a result code.
    ///
    /// It is not inlined, so that calling functions stay small.
    @inline(never)
    func failure(_ resultCode: Int32) -> SQLiteError {
        handle == nil
            ? .closed(path: connection.location.path, sql: sql) : connection.error(resultCode, sql: sql)
    }
}
