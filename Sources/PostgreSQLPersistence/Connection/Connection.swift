import CDifferentialSyncPostgreSQL
import SyncPersistence

/// A connection to a database, with its prepared statements.
///
/// It is opened at its first use, and again after it was lost. One thread uses it at a time; `ConnectionQueue`
/// guarantees that.
final class Connection {
    /// The parameters of the connection.
    let settings: ConnectionSettings

    /// The handle of libpq's connection; nil while it is not open.
    // because: only this object owns the handle, and it sets the handle to nil when it closes the connection.
    private var handle: OpaquePointer?

    /// The prepared statements.
    private var statements = StatementCache(capacity: 256)

    /// The versions of the layouts for which statements were prepared, by the namespaces' names.
    private var layoutVersions: [String: Int64] = [:]

    /// The first error since the transaction began.
    private(set) var failure: PostgreSQLError?

    /// Returns whether the running statement is to be cancelled.
    var isInterrupted: (() -> Bool)?

    /// The oldest supported version of the server, as libpq writes it.
    private static let oldestVersion: Int32 = 13_00_00

    /// Creates a connection that is not open yet.
    init(_ settings: ConnectionSettings) { self.settings = settings }

    deinit { close() }

    /// Whether the connection is open, as far as that is known.
    var isOpen: Bool { handle != nil }

    /// The identifier of the server's process; 0 while the connection is not open.
    var processID: Int32 { handle.map(PQbackendPID) ?? 0 }

    /// The number of the socket; nil while the connection is not open.
    var socket: Int32? { handle.map(PQsocket) }

    /// Closes the connection.
    ///
    /// A transaction that is still open is rolled back by the server. A second call has no effect.
    func close() {
        statements.removeAll()
        layoutVersions = [:]
        PQfinish(handle)
        handle = nil
    }

    /// Opens the connection, unless it is open.
    ///
    /// It blocks the thread.
    ///
    /// - Throws: `PostgreSQLError` if the server cannot be reached or refuses the connection; `PersistenceError` if
    ///   the server is not supported.
    func open() throws {
        if handle != nil { return }
        let new = settings.connect()
        guard PQstatus(new) == CONNECTION_OK else {
            defer { PQfinish(new) }
            throw PostgreSQLError(kind: .cannotConnect, message: PostgreSQLError.message(of: new))
        }
        handle = new
        differential_sync_postgresql_ignore_notices(new)
        do {
            let encoding = PQparameterStatus(new, "server_encoding").map { String(cString: $0) } ?? "unknown"
            guard PQserverVersion(new) >= Self.oldestVersion, encoding == "UTF8" else {
                throw PersistenceError(
                    .unsupportedServer,
                    "the server has the version \(PQserverVersion(new)) and the database the encoding \(encoding): use "
                        + "PostgreSQL 13 or later, and a database with the encoding UTF8")
            }
            try execute(settings.preparation)
        } catch {
            close()
            throw error
        }
    }
}

extension Connection {
    /// Forgets the errors of the last transaction.
    func forgetFailure() { failure = nil }

    /// Whether a transaction is open at the server.
    var isInTransaction: Bool {
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Runs statements without parameters in one round trip, and returns the result of the last one as text.
    @discardableResult
    func execute(_ sql: String) throws -> Rows {
        try run(sql) { PQsendQuery($0, sql) }
    }

    /// Runs a statement with parameters, prepared if it is kept, and returns its rows.
    ///
    /// - Parameter isKept: Whether the prepared statement stays in the cache for the next call.
    @discardableResult
    func query(_ sql: String, _ parameters: Parameters = Parameters(), isKept: Bool = true) throws -> Rows {
        do {
            try parameters.checkLengths()
        } catch let error as PostgreSQLError {
            throw noted(error)
        }
        guard isKept else {
            return try run(sql) { handle in
                parameters.withPointers { values, lengths, formats in
                    PQsendQueryParams(
                        handle, sql, Int32(parameters.count), parameters.types, values, lengths, formats, 1)
                }
            }
        }
        let name = try statement(sql, parameters.types)
        return try run(sql) { handle in
            parameters.withPointers { values, lengths, formats in
                PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1)
            }
        }
    }

    /// Returns the name of the prepared statement of an SQL text, and prepares it at its first use.
    private func statement(_ sql: String, _ types: [Oid]) throws -> String {
        if let name = statements.find(sql) { return name }
        if let oldest = statements.removeOldestIfFull() { try execute("DEALLOCATE \(quoted(oldest))") }
        let name = statements.newName()
        _ = try run(sql) { PQsendPrepare($0, name, sql, Int32(types.count), types) }
        statements.add(sql, name: name)
        return name
    }

    /// Removes all prepared statements.
    ///
    /// PostgreSQL refuses a prepared statement after the types of its columns have changed.
    func forgetStatements() throws {
        statements.removeAll()
        try execute("DEALLOCATE ALL")
    }

    /// Removes the prepared statements if the tables of a namespace have changed since they were prepared.
    func prepareFor(_ namespace: Namespace, version: Int64) throws {
        if let known = layoutVersions[namespace.name], known != version { try forgetStatements() }
        layoutVersions[namespace.name] = version
    }

    /// Sends a statement, and waits for its result.
    private func run(_ sql: String, _ send: (OpaquePointer) -> Int32) throws -> Rows {
        guard let handle else {
            throw noted(PostgreSQLError(kind: .connectionLost, message: "the connection is closed"))
        }
        if isInterrupted?() == true { throw CancellationError() }
        settings.roundTripCount.withLock { $0 += 1 }
        guard send(handle) == 1 else { throw lost(handle) }
        var rows: Rows?
        var first: PostgreSQLError?
        while let result = try nextResult(handle) {
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: rows = Rows(result)
            default:
                first = first ?? PostgreSQLError(result, on: handle)
                PQclear(result)
            }
        }
        if let first {
            if first.isCancellation, isInterrupted?() == true { throw CancellationError() }
            if first.kind == .connectionLost { close() }
            throw noted(first)
        }
        guard let rows else { throw lost(handle) }
        return rows
    }

    /// Waits for the next result of the running statement; nil after the last one.
    ///
    /// If the statement is interrupted meanwhile, the server is asked once to cancel it.
    private func nextResult(_ handle: OpaquePointer) throws -> OpaquePointer? {
        var hasCancelled = false
        while PQisBusy(handle) == 1 {
            let ready = differential_sync_postgresql_wait(PQsocket(handle), isInterrupted == nil ? -1 : 50)
            if ready == 0, !hasCancelled, isInterrupted?() == true {
                hasCancelled = true
                cancel(handle)
            }
            if ready != 0, PQconsumeInput(handle) == 0 { throw lost(handle) }
        }
        return PQgetResult(handle)
    }

    /// Asks the server to cancel the running statement.
    private func cancel(_ handle: OpaquePointer) {
        guard let request = PQgetCancel(handle) else { return }
        var message = [CChar](repeating: 0, count: 256)
        // If the request fails, the statement runs to its end.
        PQcancel(request, &message, Int32(message.count))
        PQfreeCancel(request)
    }

    /// Closes the connection, and returns the error that says so.
    private func lost(_ handle: OpaquePointer) -> PostgreSQLError {
        let message = PostgreSQLError.message(of: handle)
        close()
        return noted(PostgreSQLError(kind: .connectionLost, message: message))
    }

    /// Remembers the first error of the transaction.
    private func noted(_ error: PostgreSQLError) -> PostgreSQLError {
        failure = failure ?? error
        return error
    }

    /// Runs the body, and converts its errors to those of a store, which name the given record.
    @inline(__always)
    func reporting<Result>(
        _ id: @autoclosure () -> RecordID? = nil, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            throw PostgreSQLError.reported(error, id: id())
        }
    }
}

extension Connection {
    /// Reads the notifications that have arrived, and returns their channels and payloads.
    ///
    /// - Throws: `PostgreSQLError` if the connection was lost; the caller closes it.
    func notifications() throws -> [(channel: String, payload: String)] {
        guard let handle else { throw PostgreSQLError(kind: .connectionLost, message: "the connection is closed") }
        var found: [(channel: String, payload: String)] = []
        // A closed connection is readable too, after its last message.
        repeat {
            guard PQconsumeInput(handle) == 1 else {
                throw PostgreSQLError(kind: .connectionLost, message: PostgreSQLError.message(of: handle))
            }
            while let notification = PQnotifies(handle) {
                let (channel, payload) = (notification.pointee.relname, notification.pointee.extra)
                if let channel, let payload { found.append((String(cString: channel), String(cString: payload))) }
                PQfreemem(notification)
            }
        } while differential_sync_postgresql_wait(PQsocket(handle), 0) > 0
        return found
    }
}
