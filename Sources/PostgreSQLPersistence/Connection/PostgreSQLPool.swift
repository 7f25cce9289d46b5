import SyncPersistence

/// The connections of a process to one database, which any number of stores can share.
///
/// ```swift
/// let pool = try PostgreSQLPool("postgres://app@db.example/sync")
/// let store = try await PostgreSQLAdapter.open(on: pool, namespace: "account 1", schema: schema)
/// ```
///
/// Connections are opened when they are first needed, and again after they were lost. There are never more than the
/// options state, apart from two. One is open while the commits of any store are observed by
/// ``PostgreSQLAdapter/sequences()`` or ``PostgreSQLAdapter/changes()``. The other is opened by the first
/// ``ping(within:)``. Calls for which no connection is free wait, without a thread.
public final class PostgreSQLPool: Sendable {
    /// The options of a pool.
    ///
    /// ```swift
    /// var options = PostgreSQLPool.Options()
    /// options.readerCount = 16
    /// options.lockTimeout = .seconds(5)
    /// let pool = try PostgreSQLPool(connection, options: options)
    /// ```
    ///
    /// The server's `max_connections` must suffice for all pools of all processes.
    public struct Options: Sendable {
        /// The number of reads that can run at the same time.
        ///
        /// Further reads wait for a free connection, in their order.
        public var readerCount = 4

        /// The number of stores that can write at the same time.
        ///
        /// The writes of one store run one after the other.
        public var writerCount = 4

        /// The longest wait for the writer of another process, or another lock in the database.
        ///
        /// A call that would wait for longer throws the code `locked`. A change of the schema waits for readers, and later
        /// readers wait for it, each for at most this time.
        public var lockTimeout = Duration.seconds(30)

        /// The longest pause of a transaction between two statements.
        ///
        /// The server ends a transaction that pauses for longer, because others wait for its locks. Its next statement
        /// throws the code `connectionLost`, and nothing is stored. So a body must not wait for a user or a network.
        public var idleTimeout = Duration.seconds(60)

        /// Creates the options that suit a server.
        public init() {}
    }

    /// The parameters of the connections.
    let settings: ConnectionSettings
    /// The queue of the connections that write.
    private let writers: ConnectionQueue<Connection>
    /// The queue of the connections that read.
    private let readers: ConnectionQueue<Connection>
    /// The queue of the connection of ``ping(within:)``.
    private let pings: ConnectionQueue<Connection>
    /// The observers of commits.
    let listener: CommitListener

    /// Creates a pool of connections, none of which is open yet.
    ///
    /// - Parameters:
    ///   - connection: A connection string of libpq: a URI, or keywords and values. It may name several hosts, TLS
    ///     files and a service. What it does not state is taken from libpq's environment variables.
    ///   - options: The options.
    /// - Throws: `PersistenceError` if the connection string is malformed.
    public init(_ connection: String, options: Options = Options()) throws {
        let settings = try ConnectionSettings(
            connection, lockTimeout: options.lockTimeout, idleTimeout: options.idleTimeout)
        self.settings = settings
        listener = CommitListener(settings)
        let closed = PersistenceError(.closed, "the pool of connections was closed: make another one")
        pings = ConnectionQueue([Connection(settings.opening(within: .seconds(5)))], closedError: closed)
        writers = ConnectionQueue(
            (0..<max(1, options.writerCount)).map { _ in Connection(settings) }, closedError: closed)
        readers = ConnectionQueue(
            (0..<max(1, options.readerCount)).map { _ in Connection(settings) }, closedError: closed)
    }

    /// Closes the connections after all earlier reads and writes.
    ///
    /// Later ones throw a `PersistenceError` with the code `closed`.
    public func close() async {
        await listener.close()
        await pings.close()
        await readers.close()
        await writers.close()
    }
}

extension PostgreSQLPool {
    /// Asks the server for a constant, and throws if it does not answer in time.
    ///
    /// ```swift
    /// do { try await pool.ping(within: .seconds(2)) } catch { return .serviceUnavailable }
    /// ```
    ///
    /// It has a connection of its own, so it does not wait for the calls of stores.
    ///
    /// - Parameter timeout: The longest time for the query. A connection that must be opened first has another 5 seconds.
    /// - Throws: `PersistenceError` with the code `cannotConnect` or `connectionLost`; `CancellationError`.
    public func ping(within timeout: Duration = .seconds(5)) async throws {
        try Task.checkCancellation()
        let ticket = Ticket<Void>()
        try pings.submit { connection in
            ticket.run {
                do { try connection.ping(within: timeout) } catch { throw PostgreSQLError.reported(error) }
            }
        }
        try await ticket.value
    }

    /// How often the connections have waited for the server, for tests.
    package var roundTripCount: Int { settings.roundTripCount.current }

    /// Runs the body on a connection that reads.
    ///
    /// If the task is cancelled before the body runs, the body never runs. If the task is cancelled during the body,
    /// the body's statements fail. Both throw a `CancellationError`.
    nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let ticket = Ticket<Result>()
        try readers.submit { connection in
            ticket.run {
                connection.isInterrupted = { ticket.isCancelled }
                defer { connection.isInterrupted = nil }
                return try body(connection)
            }
        }
        return try await ticket.value
    }

    /// Submits work to the connections that write.
    func write(_ work: @escaping @Sendable (Connection) -> Void) throws { try writers.submit(work) }
}
