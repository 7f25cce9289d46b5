import SyncPersistence

extension Connection {
    /// How often a transaction runs again after a serialization failure or a deadlock.
    private static let retryLimit = 3

    /// Runs the body in a transaction that reads one state of the database, which it sees from its first statement on.
    ///
    /// - Parameters:
    ///   - first: A statement that runs with the beginning, in one round trip.
    ///   - body: Receives the result of that statement. It runs again after a conflict with a standby's recovery.
    func read<Result>(_ first: String, _ body: (Rows) throws -> Result) throws -> Result {
        try retrying {
            let rows = try begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \(first)")
            let result = try body(rows)
            isInterrupted = nil
            // The result was read already. A connection that fails now is opened again before its next use.
            endQuietly("COMMIT")
            return result
        }
    }

    /// Runs the body in a transaction that writes, after those of all other writers of the namespace.
    ///
    /// Nothing is stored if the body throws. If the server ends the transaction because of a serialization failure or a
    /// deadlock, the body runs again.
    ///
    /// - Parameters:
    ///   - namespace: The namespace, whose lock the transaction holds.
    ///   - first: A statement that runs with the beginning, after the lock was acquired.
    ///   - begun: Called before the body, when the lock is held.
    ///   - body: Receives the result of the first statement.
    ///   - finish: Sends the last statements. Returns the number of the commit if it is to be announced; nil otherwise.
    func write<Result>(
        _ namespace: Namespace, _ first: String, begun: () -> Void = {}, _ body: (Rows) throws -> Result,
        finish: (Result, Pipeline) throws -> Int64? = { _, _ in nil }
    ) throws -> Result {
        try retrying {
            // Each statement sees what was committed before it. So those after the lock see all earlier writers.
            let rows = try begin(
                "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; "
                    + "SELECT pg_advisory_xact_lock(\(namespace.lockNumber)); \(first)")
            begun()
            let result = try body(rows)
            // A body may have caught the error of a statement, after which nothing can be committed.
            if let failure { throw failure }
            var transaction: String?
            try pipelined { pipeline in
                var sql = "SELECT pg_current_xact_id_if_assigned()::text"
                var parameters = Parameters()
                if let sequence = try finish(result, pipeline) {
                    parameters.append(namespace.channel)
                    parameters.append("\(sequence)")
                    sql += ", pg_notify($1, $2)"
                }
                try pipeline.send(sql, parameters) { transaction = $0.text(0, 0) }
            }
            try commit(transaction, in: namespace)
            return result
        }
    }

    /// Begins a transaction on this connection, which is opened again if it was lost since its last use.
    ///
    /// It is also opened again if its server cannot be written, as libpq may find the primary among several servers.
    private func begin(_ sql: String) throws -> Rows {
        forgetFailure()
        if isOpen {
            do {
                return try execute(sql)
            } catch let error as PostgreSQLError where error.kind == .connectionLost || error.meansStandby {
                // Nothing has run in this transaction yet.
                forgetFailure()
                close()
            }
        }
        try open()
        do {
            return try execute(sql)
        } catch let error as PostgreSQLError where error.meansStandby {
            throw PostgreSQLError(kind: .server("25006"), message: error.message)
        }
    }

    /// Runs a transaction, which is rolled back if it throws, and again if that can help.
    private func retrying<Result>(_ transaction: () throws -> Result) throws -> Result {
        var count = 0
        while true {
            do {
                return try transaction()
            } catch {
                let isTransient = failure?.isTransient == true
                isInterrupted = isInterrupted.flatMap { $0() ? nil : $0 }
                endQuietly("ROLLBACK")
                count += 1
                if !isTransient || count > Self.retryLimit { throw error }
            }
        }
    }

    /// Ends a transaction whose outcome is known already; if that fails, the connection is closed.
    private func endQuietly(_ sql: String) {
        guard isOpen else { return }
        guard isInTransaction else { return close() }
        do {
            try execute(sql)
        } catch {
            close()
        }
    }
}

extension Connection {
    /// Commits the transaction.
    ///
    /// The server announces the commit to the listeners of its channel once it is visible to others, because `NOTIFY` is part
    /// of the transaction.
    ///
    /// If the connection is lost meanwhile, the outcome is queried on another connection.
    ///
    /// - Parameter transaction: The number of the transaction; nil if it has written nothing.
    private func commit(_ transaction: String?, in namespace: Namespace) throws {
        do {
            let rows = try execute("COMMIT")
            guard rows.command == "COMMIT" else {
                throw PostgreSQLError(kind: .server("25P02"), message: "the server has rolled the transaction back")
            }
        } catch let error as PostgreSQLError where error.kind == .connectionLost {
            guard let transaction else { throw error }
            guard let isCommitted = outcome(of: transaction, in: namespace) else {
                throw PostgreSQLError(kind: .unknownOutcome, message: error.message)
            }
            if !isCommitted { throw error }
            forgetFailure()
        }
    }

    /// Returns whether a transaction of the lost connection was committed; nil if that cannot be determined.
    ///
    /// The transaction holds the lock of the namespace until it ends, so its outcome is known once this connection has
    /// the lock. Another transaction may have the same number if another server has taken the place of the former one.
    /// The same is possible after a recovery from a crash, which forgets the numbers of lost transactions.
    private func outcome(of transaction: String, in namespace: Namespace) -> Bool? {
        let former = server
        do {
            try open()
            if server != former { return nil }
            _ = try execute("BEGIN; SELECT pg_advisory_xact_lock(\(namespace.lockNumber))")
            var number = Parameters()
            number.append(transaction)
            let status = try query("SELECT pg_xact_status($1::xid8)::text", number).text(0, 0)
            endQuietly("ROLLBACK")
            return status == "committed" ? true : status == "aborted" ? false : nil
        } catch {
            close()
            return nil
        }
    }
}
