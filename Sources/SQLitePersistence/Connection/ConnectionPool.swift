import SyncPersistence

/// The connections to one database: one writer and several concurrent readers.
///
/// A read sees a snapshot of the database and never waits for a write.
///
/// - A database in memory has a single connection, so a read waits for earlier writes.
/// - A database that is opened for reading only has no writer.
final class ConnectionPool: Sendable {
    /// The queue of the connection that writes.
    ///
    /// It is the same queue as `readers` in memory and if the database is read-only.
    private let writer: ConnectionQueue<Connection>
    /// The queue of the connections that read.
    private let readers: ConnectionQueue<Connection>
    /// Held while both queues are suspended or resumed, so that they never differ.
    private let switching = Locked(())

    /// Opens the connections, and blocks the thread meanwhile.
    ///
    /// - Parameters:
    ///   - verify: Throws if the database must not be used. Nothing has been written by then.
    ///   - prepare: Prepares each connection, for example by registering functions and collations.
    init(
        _ location: Connection.Location, _ configuration: Connection.Configuration = Connection.Configuration(),
        readerCount: Int = 4, verify: @Sendable (Connection) throws -> Void = { _ in },
        prepare: @Sendable (Connection) throws -> Void = { _ in }
    ) throws {
        precondition(readerCount > 0, "a pool needs a reader")
        let first = try Connection.open(location, configuration, verify: verify)
        try prepare(first)
        if configuration.access != .readOnly { try first.postponeCheckpoints() }
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
        let closed = SQLiteError.closed(path: location.path)
        if isReadOnly {
            writer = ConnectionQueue([first] + others, closedError: closed)
            readers = writer
        } else {
            writer = ConnectionQueue([first], closedError: closed)
            readers = others.isEmpty ? writer : ConnectionQueue(others, closedError: closed)
        }
    }
}

extension ConnectionPool {
    /// Runs the body on a reader, in its own transaction.
    ///
    /// If the task is cancelled before the body runs, the body never runs. If the task is cancelled during the body,
    /// the body's statements fail. Both throw a `CancellationError`.
    nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await submit(to: readers) { ticket, connection in
            ticket.run {
                try connection.requireOpen()
                return try connection.readingOnly {
                    try connection.snapshot {
                        try ticket.interruptibly(by: connection.interrupter.interrupt) { try body(connection) }
                    }
                }
            }
        }
    }

    /// Runs the body on the writer, in its own transaction.
    ///
    /// Writes run in the order of the calls. If the task is cancelled before the body runs, the body never runs and the
    /// call throws a `CancellationError`. Once started, the body runs to its end.
    ///
    /// - Parameter committed: Called with the body's result after the commit, before the next write begins.
    nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result,
        committed: @escaping @Sendable (Result) -> Void = { _ in }
    ) async throws -> Result {
        try await submit(to: writer) { ticket, connection in
            ticket.run {
                try connection.requireOpen()
                let result = try connection.transaction(.immediate) {
                    try connection.requireFile()
                    let result = try body(connection)
                    try connection.requireFile()
                    return result
                }
                committed(result)
                return result
            }
            // The caller already has its result, so it does not wait for the checkpoint.
            connection.checkpoint()
        }
    }

    /// Begins no further read or write until `resume()`, and waits for those that run.
    ///
    /// A connection without a transaction has no lock that another connection waits for. A checkpoint belongs to the
    /// write before it.
    nonisolated(nonsending) func suspend() async {
        switching.withLock { _ in
            writer.suspend()
            readers.suspend()
        }
        await writer.waitForSuspension()
        await readers.waitForSuspension()
    }

    /// Begins the waiting reads and writes, and later ones.
    func resume() {
        switching.withLock { _ in
            writer.resume()
            readers.resume()
        }
    }

    /// Closes the connections after all submitted reads and writes.
    ///
    /// Later ones throw, and so do those that wait for `resume()`.
    nonisolated(nonsending) func close() async {
        writer.refuseWork()
        // The writer goes last: the last connection that closes empties the write-ahead log into the file.
        await readers.close()
        await writer.close()
    }

    /// Submits work to a queue and waits for its outcome.
    private nonisolated(nonsending) func submit<Result: Sendable>(
        to queue: ConnectionQueue<Connection>, _ work: @escaping @Sendable (Ticket<Result>, Connection) -> Void
    ) async throws -> Result {
        try Task.checkCancellation()
        let ticket = Ticket<Result>()
        // This runs on the caller's actor before the first `await`, so work is submitted in the order of the calls.
        try queue.submit { work(ticket, $0) }
        return try await ticket.value
    }
}
