import CDifferentialSyncPostgreSQL
import Dispatch
import SyncPersistence

/// Receives the announcements of the commits of a pool's stores, on a connection of its own.
///
/// Each commit sends its number to the channel of its store, by PostgreSQL's `NOTIFY`, which delivers it once the commit is
/// visible to others.
///
/// The connection is open while there are observers. After it was lost, it is opened again, and the numbers of the last
/// commits are read from the stores.
// because: all access to the variables goes through the serial queue, on which Dispatch also calls the handlers of the
// sources. Only `deinit` does not, when no other reference is left.
final class CommitListener: @unchecked Sendable {
    /// A stream that receives the numbers of a store's commits.
    private struct Observer {
        /// Whose stream it is.
        let owner: ObjectIdentifier
        /// Whether it receives the first known number, and not only later ones.
        var startsWithLast: Bool
        let yield: @Sendable (Int64) -> Void
        let finish: @Sendable () -> Void
    }

    /// A store with observers.
    private struct Channel {
        let namespace: Namespace
        /// The number of the last known commit.
        var latest: Int64?
        var observers: [Int: Observer] = [:]
    }

    private let settings: ConnectionSettings
    private let queue = DispatchQueue(label: "DifferentialSync.CommitListener")

    /// The stores with observers, by the names of their channels.
    private var channels: [String: Channel] = [:]
    private let observerCount = Locked(0)
    /// The open connection.
    private var connection: Connection?
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

    init(_ settings: ConnectionSettings) { self.settings = settings }

    deinit { disconnect() }
}

extension CommitListener {
    /// Returns a stream with an element for the numbers of commits; for a slow observer, only the latest one is kept.
    ///
    /// - Parameters:
    ///   - namespace: The namespace of the store.
    ///   - owner: The object whose streams ``end(for:)`` ends.
    ///   - startsWithLast: Whether the number of the last earlier commit comes first.
    ///   - element: Returns the element for a number.
    func stream<Element: Sendable>(
        of namespace: Namespace, for owner: AnyObject, startsWithLast: Bool,
        _ element: @escaping @Sendable (Int64) -> Element
    ) -> AsyncStream<Element> {
        let owner = ObjectIdentifier(owner)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observer = Observer(
                owner: owner, startsWithLast: startsWithLast, yield: { continuation.yield(element($0)) },
                finish: { continuation.finish() })
            let number = observerCount.withLock { count in
                count += 1
                return count
            }
            queue.async { self.add(observer, number, to: namespace) }
            continuation.onTermination = { [weak self] _ in
                guard let self else { return }
                queue.async { self.remove(number, from: namespace.channel) }
            }
        }
    }

    /// Ends the streams of an owner.
    func end(for owner: AnyObject) async {
        let owner = ObjectIdentifier(owner)
        await onQueue { $0.finish { $0.owner == owner } }
    }

    /// Ends all streams, and closes the connection.
    func close() async {
        await onQueue { listener in
            listener.isClosed = true
            listener.finish { _ in true }
        }
    }

    private func onQueue(_ body: @escaping @Sendable (CommitListener) -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                body(self)
                continuation.resume()
            }
        }
    }

    /// Ends the streams of some observers; their termination removes them.
    private func finish(_ isEnded: (Observer) -> Bool) {
        for (name, channel) in channels {
            for (number, observer) in channel.observers where isEnded(observer) {
                observer.finish()
                remove(number, from: name)
            }
        }
    }

    private func add(_ observer: Observer, _ number: Int, to namespace: Namespace) {
        if isClosed { return observer.finish() }
        let name = namespace.channel
        let isFirst = channels[name] == nil
        var observer = observer
        let isListening = connection != nil && !isFirst
        if isListening, observer.startsWithLast, let latest = channels[name]?.latest {
            observer.startsWithLast = false
            observer.yield(latest)
        }
        channels[name, default: Channel(namespace: namespace)].observers[number] = observer
        if isListening { return }
        if let connection {
            perform { try listen(to: name, on: connection) }
        } else if !isReopening {
            connect()
        }
        // What is committed until the connection is open must not be missed.
        observer.startsWithLast = true
        if connection == nil { channels[name]?.observers[number] = observer }
    }

    private func remove(_ number: Int, from name: String) {
        channels[name]?.observers[number] = nil
        guard let channel = channels[name], channel.observers.isEmpty else { return }
        channels[name] = nil
        guard let connection else { return }
        if channels.isEmpty { return disconnect() }
        perform { _ = try connection.execute("UNLISTEN \(quoted(channel.namespace.channel))") }
    }
}

extension CommitListener {
    /// Opens the connection, and listens to all channels.
    private func connect() {
        if isClosed || channels.isEmpty || connection != nil { return }
        let connection = Connection(settings)
        perform {
            try connection.open()
            // libpq closes its descriptor when it finds the connection lost. Dispatch must not watch a closed
            // descriptor, nor another file with its number, so it watches one of its own.
            let socket = connection.socket.map(differential_sync_postgresql_duplicate) ?? -1
            guard socket >= 0 else {
                throw PostgreSQLError(kind: .cannotConnect, message: "the process has too many open files")
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
            source.setEventHandler { [weak self] in self?.receive() }
            source.setCancelHandler { differential_sync_postgresql_close(socket) }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + Self.checkInterval, repeating: Self.checkInterval)
            timer.setEventHandler { [weak self] in self?.receive() }
            (self.connection, self.source, self.timer) = (connection, source, timer)
            source.activate()
            timer.activate()
            for name in channels.keys { try listen(to: name, on: connection) }
        }
    }

    /// Listens to a channel, and reads the number of the store's last commit.
    private func listen(to name: String, on connection: Connection) throws {
        guard let channel = channels[name] else { return }
        do {
            // Listening begins first, so no commit is missed in between.
            try connection.execute("LISTEN \(quoted(name))")
            let table = channel.namespace.qualified("sync.metadata")
            var condition = "name = 'sync.sequence'"
            if let account = channel.namespace.account {
                condition += " AND \(Namespace.accountColumn) = \(literal(account))"
            }
            let rows = try connection.execute("SELECT value FROM \(table) WHERE \(condition)")
            report(rows.count == 0 ? 0 : rows.text(0, 0).flatMap { Int64($0) } ?? 0, isRead: true, to: name)
        } catch let error as PostgreSQLError where error.isLasting {
            // The store was removed, which must not end the observation of others.
            for observer in channel.observers.values { observer.finish() }
        }
        // Announcements that arrived with the results make no event.
        receive()
    }

    /// Reports the announcements that have arrived.
    private func receive() {
        guard let connection else { return }
        perform {
            for (name, payload) in try connection.notifications() {
                if let number = Int64(payload) { report(number, to: name) }
            }
        }
    }

    /// Passes the number of a commit to the observers of a store that have not received it or a later one.
    ///
    /// - Parameter isRead: Whether the store has this number now. It is less than the latest one if another server has
    ///   taken the place of the former, and lacks its last commits.
    private func report(_ sequence: Int64, isRead: Bool = false, to name: String) {
        guard let channel = channels[name] else { return }
        let isNew = channel.latest.map { isRead ? $0 != sequence : $0 < sequence }
        if isNew != false { channels[name]?.latest = sequence }
        for (number, observer) in channel.observers {
            if isNew == true || observer.startsWithLast { observer.yield(sequence) }
            channels[name]?.observers[number]?.startsWithLast = false
        }
    }

    /// Runs a body that uses the connection; after an error, the connection is opened again.
    private func perform(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            disconnect()
            reopenLater()
        }
    }

    /// Closes the connection.
    private func disconnect() {
        source?.cancel()
        timer?.cancel()
        connection?.close()
        (source, timer, connection) = (nil, nil, nil)
    }

    /// Opens the connection again after a pause, if there are observers.
    private func reopenLater() {
        if isClosed || channels.isEmpty || isReopening { return }
        isReopening = true
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            guard let self else { return }
            isReopening = false
            connect()
        }
    }
}
