import CDifferentialSyncPostgreSQL
import SyncPersistence

/// A connection to a database, with its prepared statements.
///
/// It is opened at its first use, and again after it was lost. One thread uses it at a time; `ConnectionQueue`
/// guarantees that.
final class Connection: QueuedConnection {
    /// The parameters of the connection.
    let settings: ConnectionSettings

    /// The handle of libpq's connection; nil while it is not open.
    // because: only this object owns the handle, and it sets the handle to nil when it closes the connection.
    private var handle: OpaquePointer?

    /// The identity of the server that the connection was last opened to; see `ConnectionSettings.server`.
    private(set) var server = ""

    /// The prepared statements.
    var statements = StatementCache(capacity: 256)

    /// The first error since the transaction began.
    private(set) var failure: PostgreSQLError?

    /// Returns whether the running statement is to be cancelled.
    var isInterrupted: (() -> Bool)?

    /// The time from which on the server's silence counts as the loss of the connection; nil for none.
    var deadline: ContinuousClock.Instant?

    /// The oldest supported version of the server, as libpq writes it.
    private static let oldestVersion: Int32 = 13_00_00

    /// Creates a connection that is not open yet.
    init(_ settings: ConnectionSettings) { self.settings = settings }

    deinit { close() }

    /// Whether the connection is open, as far as that is known.
    var isOpen: Bool { handle != nil }

    /// The number of the socket; nil while the connection is not open.
    var socket: Int32? { handle.map(PQsocket) }

    /// Closes the connection.
    ///
    /// A transaction that is still open is rolled back by the server. A second call has no effect.
    func close() {
        statements.removeAll()
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
            server = try execute(settings.preparation).text(0, 0) ?? ""
        } catch {
            close()
            throw error
        }
    }
}

extension Connection {
    /// Makes a short query, on a connection that is opened again if it was lost since its last use.
    ///
    /// - Throws: `PostgreSQLError` if the server does not answer within the time.
    func ping(within timeout: Duration) throws {
        defer { deadline = nil }
        let end = ContinuousClock.now + timeout
        deadline = end
        if isOpen {
            do {
                try execute("SELECT 1")
                return
            } catch let error as PostgreSQLError where error.kind == .connectionLost && end > .now {
                forgetFailure()
            }
        }
        deadline = nil
        try open()
        deadline = .now + timeout
        try execute("SELECT 1")
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
        let handle = try handleForStatements()
        settings.roundTripCount.withLock { $0 += 1 }
        guard PQsendQuery(handle, sql) == 1 else { throw lost(handle) }
        var results = PendingResults(self, handle)
        let rows = try results.next()
        if let failure = results.failure { throw failed(failure) }
        guard let rows else { throw lost(handle) }
        return rows
    }

    /// Runs a statement with parameters, prepared if it is kept, and returns its rows.
    ///
    /// - Parameter isKept: Whether the prepared statement stays in the cache for the next call.
    @discardableResult
    func query(_ sql: String, _ parameters: Parameters = Parameters(), isKept: Bool = true) throws -> Rows {
        var rows: Rows?
        try pipelined { try $0.send(sql, parameters, isKept: isKept) { rows = $0 } }
        guard let rows else { preconditionFailure("a statement without an error has a result") }
        return rows
    }

    /// Sends statements together, and waits once for the results of all.
    ///
    /// - Parameter body: Sends the statements. It must not use the connection otherwise.
    /// - Throws: The first error of a statement, after which the server runs none; otherwise that of a `received` closure;
    ///   otherwise the body's.
    func pipelined(_ body: (Pipeline) throws -> Void) throws {
        let handle = try handleForStatements()
        guard PQenterPipelineMode(handle) == 1 else { throw lost(handle) }
        let pipeline = Pipeline(self, handle)
        let sending = Result { try body(pipeline) }
        // The connection may have been lost, and closed, while statements were sent.
        guard isOpen else { return try sending.get() }
        try receive(pipeline, handle)
        if case .failure(let error as PostgreSQLError) = sending { throw noted(error) }
        try sending.get()
    }

    /// Waits for the results of the statements of a pipeline.
    private func receive(_ pipeline: Pipeline, _ handle: OpaquePointer) throws {
        var results = PendingResults(self, handle)
        var failure: (any Error)?
        if !pipeline.isEmpty {
            settings.roundTripCount.withLock { $0 += 1 }
            guard PQpipelineSync(handle) == 1 else { throw lost(handle) }
            failure = try pipeline.receive(&results)
        }
        guard PQexitPipelineMode(handle) == 1 else { throw lost(handle) }
        if let failure = results.failure { throw failed(failure) }
        if let failure { throw failure }
    }

    /// Removes all prepared statements, also those at the server.
    ///
    /// PostgreSQL refuses a prepared statement after the types of its columns have changed.
    func forgetStatements() throws {
        statements.removeAll()
        try execute("DEALLOCATE ALL")
    }

    /// Returns libpq's handle for statements.
    ///
    /// - Throws: `PostgreSQLError` if the connection is closed; `CancellationError` if the caller was cancelled.
    private func handleForStatements() throws -> OpaquePointer {
        guard let handle else {
            throw noted(PostgreSQLError(kind: .connectionLost, message: "the connection is closed"))
        }
        if isInterrupted?() == true { throw CancellationError() }
        return handle
    }

    /// Returns the error to throw for that of a statement.
    private func failed(_ error: PostgreSQLError) -> any Error {
        error.isCancellation && isInterrupted?() == true ? CancellationError() : noted(error)
    }

    /// Closes the connection, and returns the error `connectionLost`.
    func lost(_ handle: OpaquePointer) -> PostgreSQLError {
        lost(PostgreSQLError(kind: .connectionLost, message: PostgreSQLError.message(of: handle)))
    }

    /// Closes the connection after the error `connectionLost`, and returns the error.
    func lost(_ error: PostgreSQLError) -> PostgreSQLError {
        close()
        return noted(error)
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
