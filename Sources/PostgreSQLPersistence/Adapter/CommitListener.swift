import CDifferentialSyncPostgreSQL
import Dispatch
import SyncPersistence

/// Receives the announcements of a store's commits, on a connection of its own.
///
/// The connection is open while there are observers. After it was lost, it is opened again, and the number of the last
/// commit is read from the store.
// because: all access to the variables goes through the serial queue.
final class CommitListener: @unchecked Sendable {
    private let namespace: Namespace
    private let settings: ConnectionSettings
    private let queue = DispatchQueue(label: "DifferentialSync.CommitListener")

    /// The observers by number.
    private var observers: [Int: AsyncStream<Int64>.Continuation] = [:]
    private var observerCount = 0

    /// The number of the last commit that observers have received.
    private var latest: Int64?
    /// The source of events of the open connection's socket.
    private var source: (any DispatchSourceRead)?
    /// The source of regular checks whether the connection was lost.
    private var timer: (any DispatchSourceTimer)?
    /// Whether the listener was closed.
    private var isClosed = false
    /// Whether opening the connection again is planned.
    private var isReopening = false

    /// The pause before a lost connection is opened again.
    private static let pause = DispatchTimeInterval.milliseconds(500)

    /// The time between two checks whether the connection was lost.
    ///
    /// On Linux, Dispatch reports no event for some of the closed connections.
    private static let checkInterval = DispatchTimeInterval.seconds(2)

    init(_ namespace: Namespace, _ settings: ConnectionSettings) {
        self.namespace = namespace
        self.settings = settings
    }

    deinit { disconnect() }

    /// Returns the numbers of the last and all later commits.
    func sequences() -> AsyncStream<Int64> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            queue.async { self.add(continuation) }
        }
    }

    /// Ends all streams, and closes the connection.
    func close() {
        queue.sync {
            isClosed = true
            for observer in observers.values { observer.finish() }
            observers = [:]
            disconnect()
        }
    }

    private func add(_ observer: AsyncStream<Int64>.Continuation) {
        if isClosed { return observer.finish() }
        observerCount += 1
        let number = observerCount
        observers[number] = observer
        observer.onTermination = { [weak self] _ in
            guard let self else { return }
            queue.async {
                self.observers[number] = nil
                if self.observers.isEmpty { self.disconnect() }
            }
        }
        if source == nil { connect() } else if let latest { observer.yield(latest) }
    }

    /// Opens the connection, and reads the number of the last commit.
    private func connect() {
        let connection = Connection(settings)
        do {
            try connection.open()
            // Listening begins first, so no commit is missed in between.
            try connection.execute("LISTEN \(quoted(namespace.channel))")
            let rows = try connection.execute(
                "SELECT value FROM \(namespace.qualified("sync.metadata")) WHERE name = 'sync.sequence'")
            report(rows.count == 0 ? 0 : rows.text(0, 0).flatMap { Int64($0) } ?? 0)
            // libpq closes its descriptor when it finds the connection lost. Dispatch must not watch a closed
            // descriptor, nor another file with its number, so it watches one of its own.
            let socket = connection.socket.map(differential_sync_postgresql_duplicate) ?? -1
            guard socket >= 0 else { return reopenLater() }
            let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
            source.setEventHandler { [weak self] in self?.receive(from: connection) }
            source.setCancelHandler {
                differential_sync_postgresql_close(socket)
                connection.close()
            }
            self.source = source
            source.activate()
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + Self.checkInterval, repeating: Self.checkInterval)
            timer.setEventHandler { [weak self] in self?.receive(from: connection) }
            self.timer = timer
            timer.activate()
            receive(from: connection)
        } catch {
            disconnect()
            reopenLater()
        }
    }

    /// Reports the announcements that have arrived.
    private func receive(from connection: Connection) {
        if source == nil { return }
        do {
            let numbers = try connection.notifications().compactMap { Int64($0) }
            if let last = numbers.max() { report(last) }
        } catch {
            disconnect()
            reopenLater()
        }
    }

    /// Passes the number of a commit to all observers, unless they have received it or a later one.
    private func report(_ sequence: Int64) {
        if let latest, latest >= sequence { return }
        latest = sequence
        for observer in observers.values { observer.yield(sequence) }
    }

    /// Closes the connection.
    private func disconnect() {
        source?.cancel()
        timer?.cancel()
        (source, timer) = (nil, nil)
    }

    /// Opens the connection again after a pause, if there are observers.
    private func reopenLater() {
        if isClosed || observers.isEmpty || isReopening { return }
        isReopening = true
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            guard let self else { return }
            isReopening = false
            if !isClosed, !observers.isEmpty, source == nil { connect() }
        }
    }
}
