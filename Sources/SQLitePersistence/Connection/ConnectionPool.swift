import Dispatch

/// The connections to one database: one that writes, and several that read at the same time.
///
/// A read sees the database as it was at one moment, and waits for no writer. A database in memory has one connection
/// for both, and one that is opened for reading only has none that writes.
final class ConnectionPool: Sendable {
    private let writer: ConnectionQueue
    private let readers: ConnectionQueue

    /// Opens the connections; blocks meanwhile.
    ///
    /// - Parameters:
    ///   - verify: Throws if the database is not one to be used; nothing was written then.
    ///   - prepare: Readies each connection, such as with functions and collations.
    init(
        _ location: Connection.Location, _ configuration: Connection.Configuration = Connection.Configuration(),
        readerCount: Int = 4, verify: @Sendable (Connection) throws -> Void = { _ in },
        prepare: @Sendable (Connection) throws -> Void = { _ in }
    ) throws {
        precondition(readerCount > 0, "a pool needs a reader")
        let first = try Connection.open(location, configuration, verify: verify)
        try prepare(first)
        if configuration.access != .readOnly { first.postponeCheckpoints() }
        var others: [Connection] = []
        let isReadOnly = configuration.access == .readOnly
        if location != .memory {
            var configuration = configuration
            configuration.access = .readOnly
            for _ in 0..<readerCount - (isReadOnly ? 1 : 0) {
                let reader = try Connection.open(location, configuration)
                try prepare(reader)
                others.append(reader)
            }
        }
        if isReadOnly {
            writer = ConnectionQueue([first] + others)
            readers = writer
        } else {
            writer = ConnectionQueue([first])
            readers = others.isEmpty ? writer : ConnectionQueue(others)
        }
    }
}

extension ConnectionPool {
    /// Runs the body on a connection that reads, in a transaction of its own.
    ///
    /// If the task is cancelled before the body runs, it never does; if it is cancelled while the body runs, the body's
    /// statements fail. Either way the call throws a `CancellationError`.
    nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await submit(to: readers) { ticket, connection in
            ticket.run {
                try connection.readingOnly {
                    try connection.snapshot {
                        try ticket.interruptibly(by: connection.interrupter) { try body(connection) }
                    }
                }
            }
        }
    }

    /// Runs the body on the connection that writes, in a transaction of its own.
    ///
    /// Writes follow each other in the order of the calls. If the task is cancelled before the body runs, it never does,
    /// and the call throws a `CancellationError`; once the body runs, it runs to its end.
    ///
    /// - Parameter committed: Called with the body's result once it is committed, before the next write begins.
    nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result,
        committed: @escaping @Sendable (Result) -> Void = { _ in }
    ) async throws -> Result {
        try await submit(to: writer) { ticket, connection in
            ticket.run {
                let result = try connection.transaction(.immediate) {
                    try connection.requireFile()
                    let result = try body(connection)
                    try connection.requireFile()
                    return result
                }
                committed(result)
                return result
            }
            // The caller has its result by now.
            connection.checkpoint()
        }
    }

    /// Closes the connections once all reads and writes that were begun are done; later ones throw.
    nonisolated(nonsending) func close() async {
        writer.refuseWork()
        // The writer goes last: the last connection that closes empties the write-ahead log into the file.
        await readers.close()
        await writer.close()
    }

    private nonisolated(nonsending) func submit<Result: Sendable>(
        to queue: ConnectionQueue, _ work: @escaping @Sendable (Ticket<Result>, Connection) -> Void
    ) async throws -> Result {
        try Task.checkCancellation()
        let ticket = Ticket<Result>()
        // On the caller's actor, before anything is awaited: the order of its calls is that of their submission.
        try queue.submit { work(ticket, $0) }
        return try await ticket.value
    }
}
