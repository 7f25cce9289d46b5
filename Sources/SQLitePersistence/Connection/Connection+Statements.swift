import CDifferentialSyncSQLite

extension Connection {
    /// Runs SQL of any number of statements whose results are not wanted.
    func execute(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
    }

    /// Calls the body with the statement of the SQL, prepared now or before.
    ///
    /// The statement is the body's alone, without bindings and at its start; afterwards it is reset, so it must not
    /// escape. Uses can be nested, also of the same SQL.
    ///
    /// - Parameter isKept: Whether the statement stays prepared for the next use.
    @inline(__always)
    func withStatement<Result>(
        _ sql: String, isKept: Bool = true, _ body: (Statement) throws -> Result
    ) throws -> Result {
        let statement = try isKept ? statement(sql) : prepare(sql)
        defer { statements.putBack(statement) }
        return try body(statement)
    }

    /// Runs a statement of the cache, without parameters and results.
    func run(_ sql: String) throws {
        try withStatement(sql) { try $0.run() }
    }

    /// The statement of the SQL, which is not in the cache; the caller finalises it.
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

    private func statement(_ sql: String) throws -> Statement {
        if let statement = statements.take(sql) { return statement }
        let statement = try prepare(sql, flags: SQLITE_PREPARE_PERSISTENT)
        statements.add(statement)
        return statement
    }
}
