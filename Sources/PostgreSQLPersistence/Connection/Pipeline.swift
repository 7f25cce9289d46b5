import CDifferentialSyncPostgreSQL
import SyncPersistence

/// Statements that are sent together, so that the connection waits once for the results of all.
///
/// The server runs them one after the other, and none after the first error.
///
/// The results are read when the body has returned. So a statement cannot depend on the result of an earlier one of the
/// same pipeline.
final class Pipeline {
    /// A message that was sent.
    private struct Message {
        /// Called with the result.
        var received: (Rows) throws -> Void = { _ in }
        /// Called if the server has not executed the message.
        var failed: () -> Void = {}
    }

    private let connection: Connection
    // because: the connection owns the handle, and uses the pipeline only while it is open.
    private let handle: OpaquePointer

    /// The messages whose results were not read yet, in the order in which they were sent.
    private var messages: [Message] = []

    /// Creates a pipeline for a connection that is in pipeline mode.
    init(_ connection: Connection, _ handle: OpaquePointer) { (self.connection, self.handle) = (connection, handle) }

    /// Whether no statement was sent.
    var isEmpty: Bool { messages.isEmpty }

    /// Sends a statement, after a message that prepares it if it is new.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - parameters: Its parameters.
    ///   - isKept: Whether the prepared statement stays in the cache.
    ///   - received: Called with the result, at the end of the pipeline.
    func send(
        _ sql: String, _ parameters: Parameters = Parameters(), isKept: Bool = true,
        _ received: @escaping (Rows) throws -> Void = { _ in }
    ) throws {
        try parameters.checkLengths()
        let name = isKept ? try prepare(sql, parameters) : nil
        try send(Message(received: received)) { handle in
            parameters.withPointers { values, lengths, formats in
                let count = Int32(parameters.count)
                if let name { return PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) }
                return PQsendQueryParams(handle, sql, count, parameters.types, values, lengths, formats, 1)
            }
        }
    }

    /// Returns the name of the prepared statement of an SQL text, and prepares it at its first use.
    private func prepare(_ sql: String, _ parameters: Parameters) throws -> String {
        let connection = connection
        let key = connection.statements.key(of: sql)
        if let name = connection.statements.find(key) { return name }
        if let oldest = connection.statements.removeOldestIfFull() {
            let restore = Message(failed: { connection.statements.add(oldest.key, name: oldest.name) })
            try send(restore) { PQsendQueryParams($0, "DEALLOCATE \(quoted(oldest.name))", 0, nil, nil, nil, nil, 1) }
        }
        let name = connection.statements.newName()
        try send(Message(failed: { connection.statements.remove(key) })) {
            PQsendPrepare($0, name, sql, Int32(parameters.count), parameters.types)
        }
        connection.statements.add(key, name: name)
        return name
    }

    private func send(_ message: Message, _ body: (OpaquePointer) -> Int32) throws {
        guard body(handle) == 1 else { throw connection.lost(handle) }
        messages.append(message)
    }

    /// Reads the results of all messages, and returns the first error of a `received` closure.
    func receive(_ results: inout PendingResults) throws -> (any Error)? {
        var failure: (any Error)?
        var failed: [Message] = []
        for message in messages {
            guard let rows = try results.next() else {
                failed.append(message)
                continue
            }
            do {
                if failure == nil { try message.received(rows) }
            } catch {
                failure = error
            }
        }
        messages = []
        // The last change of the cache is undone first.
        for message in failed.reversed() { message.failed() }
        try results.skipEnd()
        return failure
    }
}
