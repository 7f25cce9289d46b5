import CDifferentialSyncSQLite

extension Connection {
    /// When a transaction acquires its locks.
    enum TransactionKind: String {
        /// At its first statement.
        case deferred = "BEGIN DEFERRED"
        /// At its start; it acquires the write lock.
        case immediate = "BEGIN IMMEDIATE"
    }

    /// Runs the body in a transaction.
    ///
    /// If the body or the commit throws, the transaction is rolled back.
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

    /// Runs the body in a read transaction, which sees the database as it is at the start.
    ///
    /// An interruption lasts until the end of the body, not only until the end of the current statement.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try transaction(.deferred) {
            // This read begins the transaction. The statement stays on its row: SQLite clears an interruption when the
            // last running statement ends.
            try withStatement("SELECT EXISTS (SELECT 1 FROM sqlite_master)") { first in
                _ = try first.step()
                return try body()
            }
        }
    }

    /// Throws if SQLite has already rolled the transaction back, for example after a disk failure.
    ///
    /// Without this check, later statements would commit one by one.
    @inline(__always)
    func requireTransaction() throws {
        if !isInTransaction { throw SQLiteError(resultCode: SQLITE_ABORT, path: location.path) }
    }

    /// Rolls the transaction back, unless SQLite has done so already.
    private func rollBack() {
        guard isInTransaction else { return }
        // The caller reports the original error. If the rollback fails too, SQLite rolls back before the next
        // transaction.
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }
}

extension Connection {
    /// Runs the body, whose statements cannot write.
    func readingOnly<Result>(_ body: () throws -> Result) throws -> Result {
        // A reader of a file was opened for reading only. A database in memory has one connection for both.
        guard location == .memory else { return try body() }
        try setPragma("query_only", to: 1)
        let result = Swift.Result(catching: body)
        try setPragma("query_only", to: 0)
        return try result.get()
    }
}
