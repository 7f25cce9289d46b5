import CDifferentialSyncPostgreSQL

/// The results of statements that were sent on a connection.
///
/// It waits on the socket instead of in libpq, so that a cancelled caller and a deadline of the connection are noticed within
/// 50 milliseconds.
struct PendingResults {
    private let connection: Connection
    // because: the connection owns the handle; after it was closed, no results are read.
    private let handle: OpaquePointer

    /// Whether the server was asked to cancel the statements.
    private var hasCancelled = false

    /// The first error of a statement.
    private(set) var failure: PostgreSQLError?

    /// Creates the results of a connection to which statements were sent.
    init(_ connection: Connection, _ handle: OpaquePointer) { (self.connection, self.handle) = (connection, handle) }

    /// Waits for the last result of the next message; nil if it has failed, or was omitted after a failure.
    ///
    /// - Throws: `PostgreSQLError` if the connection is lost, which is then closed.
    mutating func next() throws -> Rows? {
        var rows: Rows?
        while let result = try nextResult() {
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: rows = Rows(result)
            case PGRES_PIPELINE_ABORTED: PQclear(result)
            default:
                let error = PostgreSQLError(result, on: handle)
                PQclear(result)
                if error.kind == .connectionLost { throw connection.lost(error) }
                failure = failure ?? error
            }
        }
        return failure == nil ? rows : nil
    }

    /// Waits for the end of a pipeline.
    mutating func skipEnd() throws {
        guard let end = try nextResult() else { throw connection.lost(handle) }
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw connection.lost(handle) }
    }

    /// Waits for the next result; nil after the last one of a message.
    ///
    /// If the caller is cancelled meanwhile, the server is asked once to cancel the statements.
    private mutating func nextResult() throws -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            let waitsForServerOnly = connection.isInterrupted == nil && connection.deadline == nil
            let ready = differential_sync_postgresql_wait(PQsocket(handle), waitsForServerOnly ? -1 : 50)
            if ready == 0, let deadline = connection.deadline, deadline <= .now {
                throw connection.lost(
                    PostgreSQLError(kind: .connectionLost, message: "the server has not answered in time"))
            }
            if ready == 0, !hasCancelled, connection.isInterrupted?() == true {
                hasCancelled = true
                cancel()
            }
            if ready != 0, PQconsumeInput(handle) == 0 { throw connection.lost(handle) }
        }
        return PQgetResult(handle)
    }

    /// Asks the server to cancel the running statement.
    private func cancel() {
        guard let request = PQgetCancel(handle) else { return }
        var message = [CChar](repeating: 0, count: 256)
        // If the request fails, the statement runs to its end.
        PQcancel(request, &message, Int32(message.count))
        PQfreeCancel(request)
    }
}
