import CDifferentialSyncSQLite

extension Connection {
    /// When a transaction takes its locks.
    enum TransactionKind: String {
        /// At the first statement.
        case deferred = "BEGIN DEFERRED"
        /// At once that of the writer.
        case immediate = "BEGIN IMMEDIATE"
    }

    /// Runs the body in a transaction, which is rolled back if the body or the commit fails.
    func transaction<Result>(_ kind: TransactionKind, _ body: () throws -> Result) throws -> Result {
        try run(kind.rawValue)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs the body in a transaction that sees the database as it is at the start.
    ///
    /// Once it has begun, an interruption holds until the end of the body, and not only for the statement that runs.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try transaction(.deferred) {
            // The transaction begins with this read. The statement stays at its row: SQLite forgets an interruption
            // when the last statement that runs has ended.
            try withStatement("SELECT EXISTS (SELECT 1 FROM sqlite_master)") { first in
                _ = try first.step()
                return try body()
            }
        }
    }

    /// Throws if SQLite has rolled the transaction back by itself, as it does when a disk fails: whatever is written then
    /// would be stored at once.
    @inline(__always)
    func requireTransaction() throws {
        if !isInTransaction { throw SQLiteError(resultCode: SQLITE_ABORT, path: location.path) }
    }

    /// Rolls back, unless SQLite has done it already.
    private func rollBack() {
        guard isInTransaction else { return }
        // The error that led here is the one to report. If this fails too, the disk did: SQLite then finds the journal
        // and rolls back before the next transaction.
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }
}

extension Connection {
    /// Runs the body, whose statements cannot write, on whichever connection it is.
    func readingOnly<Result>(_ body: () throws -> Result) throws -> Result {
        // One in a file has been opened for reading only.
        guard location == .memory else { return try body() }
        try setPragma("query_only", to: 1)
        let result = Swift.Result(catching: body)
        try setPragma("query_only", to: 0)
        return try result.get()
    }
}
