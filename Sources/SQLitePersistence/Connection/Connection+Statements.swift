import CDifferentialSyncSQLite

extension Connection {
    /// Runs one or more SQL statements and ignores their rows.
    func execute(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
    }

    /// Calls the body with the prepared statement of the SQL, from the cache if possible.
    ///
    /// The statement has no bindings and is before its first row. It is reset after the body and must not escape. Calls
    /// can be nested, also for the same SQL.
    ///
    /// - Parameter isKept: Whether the statement stays in the cache for the next call.
    @inline(__always)
    func withStatement<Result>(
        _ sql: String, isKept: Bool = true, _ body: (Statement) throws -> Result
    ) throws -> Result {
        let statement = try isKept ? statement(sql) : prepare(sql)
        defer { statements.putBack(statement) }
        return try body(statement)
    }

    /// Runs a cached statement without parameters and rows.
    func run(_ sql: String) throws {
        try withStatement(sql) { try $0.run() }
    }

    /// Prepares a statement without the cache.
    ///
    /// The caller finalises it.
    ///
    /// - Precondition: The SQL is exactly one statement.
    func prepare(_ sql: String, flags: Int32 = 0) throws -> Statement {
        var prepared: OpaquePointer?
        var text = sql
        let rest = try text.withUTF8 { text in
            try text.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                try check(
                    sqlite3_prepare_v3(
                        handle, text.baseAddress, Int32(clamping: text.count), UInt32(bitPattern: flags), &prepared,
                        &tail),
                    sql: sql)
                return text.count - (text.baseAddress.flatMap { start in tail.map { $0 - start } } ?? 0)
            }
        }
        let statement = Statement(prepared, sql: sql, connection: self)
        precondition(prepared != nil && rest == 0, "not exactly one statement: \(sql)")
        return statement
    }

    /// Returns the cached statement of the SQL, or prepares one and adds it to the cache.
    private func statement(_ sql: String) throws -> Statement {
        if let statement = statements.take(sql) { return statement }
        let statement = try prepare(sql, flags: SQLITE_PREPARE_PERSISTENT)
        statements.add(statement)
        return statement
    }
}
