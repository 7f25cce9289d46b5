import DifferentialSyncTesting
import SyncCoordination
import SyncPersistence

/// A service that fails, waits or loses responses as a test wants.
final class ScriptedRemote: Remote {
    private struct Script: Sendable {
        var failures: [any Error] = []
        var permanentFailure: (any Error)?
        var lostResponses = 0
        var chance: (generator: SeededGenerator, probability: Double)?

        /// Whether something fails by chance.
        mutating func failsByChance() -> Bool {
            guard let probability = chance?.probability else { return false }
            return chance?.generator.happens(probability) ?? false
        }

        /// How many requests are answered before others wait; nil if none waits.
        var heldFrom: Int?
        var notifies = false
        /// The position in the last notification of the service that its receiver has handled.
        var handledPosition: SyncCursor?

        /// The open streams of notifications that a test sends, and how many there were; nil if the service sends them.
        var streams: [Int: AsyncStream<SyncCursor?>.Continuation]?
        var streamCount = 0
        /// The only notification of each stream; nil if a test sends them and ends the streams.
        var onlyNotification: SyncCursor?
        var ignoresCancellation = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var requests: [String] = []
        var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var account: SyncService
    }

    private let script: Locked<Script>

    init(_ service: SyncService) { script = Locked(Script(account: service)) }

    /// The kinds of all requests so far.
    var requests: [String] { script.current.requests }

    /// The number of cycles that have reached the remote.
    var cycleCount: Int { requests.count { $0 == "handshake" } }

    /// Answers as another service.
    func become(_ service: SyncService) { script.withLock { $0.account = service } }

    /// Lets the next requests fail, one after the other.
    func fail(_ errors: any Error...) { script.withLock { $0.failures += errors } }

    /// Lets all requests fail from now on; nil ends that.
    func failAlways(_ error: (any Error)?) { script.withLock { $0.permanentFailure = error } }

    /// Lets requests and responses get lost by chance; a probability of 0 ends that.
    func loseMessages(_ probability: Double, seed: UInt64) {
        script.withLock { $0.chance = probability > 0 ? (SeededGenerator(seed: seed), probability) : nil }
    }

    /// Loses the responses of the next pushes.
    func loseResponses(_ count: Int) { script.withLock { $0.lostResponses = count } }

    /// Lets requests wait until ``release()``.
    func hold(after count: Int = 0, ignoringCancellation: Bool = false) {
        script.withLock { script in
            script.heldFrom = script.requests.count + count
            script.ignoresCancellation = ignoringCancellation
        }
    }

    /// Lets requests continue.
    func release() {
        let waiting = script.withLock { script in
            script.heldFrom = nil
            defer { script.waiting = [:] }
            return Array(script.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until there were so many requests.
    func waitForRequests(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = script.withLock { script in
                if script.requests.count >= count { return true }
                script.observers.append((count, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }

    private func request(_ kind: String) async throws -> SyncService {
        let (number, isHeld, ignores, observers) = script.withLock { script in
            script.requests.append(kind)
            let count = script.requests.count
            let met = script.observers.filter { $0.count <= count }
            script.observers.removeAll { $0.count <= count }
            return (count, script.heldFrom.map { count > $0 } ?? false, script.ignoresCancellation, met)
        }
        for observer in observers { observer.continuation.resume() }
        if isHeld { await wait(number, ignoresCancellation: ignores) }
        if !ignores { try Task.checkCancellation() }
        let failure: (any Error)? = script.withLock { script in
            if script.failsByChance() { return RemoteError.later() }
            return script.failures.isEmpty ? script.permanentFailure : script.failures.removeFirst()
        }
        if let failure { throw failure }
        return script.current.account
    }

    private func wait(_ number: Int, ignoresCancellation: Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = script.withLock { script in
                    if script.heldFrom == nil || Task.isCancelled && !ignoresCancellation { return true }
                    script.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            if !ignoresCancellation { script.withLock { $0.waiting.removeValue(forKey: number) }?.resume() }
        }
    }

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        try await self.request("handshake").handshake(request)
    }

    func pull(_ request: PullRequest) async throws -> PullResponse { try await self.request("pull").pull(request) }

    func push(_ request: PushRequest) async throws -> PushResponse {
        let response = try await self.request("push").push(request)
        let isLost = script.withLock { script in
            script.lostResponses -= 1
            return script.lostResponses >= 0 || script.failsByChance()
        }
        if isLost { throw RemoteError.later() }
        return response
    }

    /// Sends the notifications of the service from the next start of a coordinator on.
    ///
    /// They also report the changes of the device itself.
    func notify(_ notifies: Bool = true) { script.withLock { $0.notifies = notifies } }

    /// Waits until the receiver has handled the notification of the service's last change.
    func waitForNotifications() async throws {
        while try await script.current.account.position() != script.current.handledPosition { await Task.yield() }
    }

    /// Sends only the notifications of a test from the next start of a coordinator on.
    func notifyByHand() { script.withLock { $0.streams = [:] } }

    /// Lets each stream of a test's notifications end after one, from the next stream on.
    func endEachStream(after cursor: SyncCursor) { script.withLock { $0.onlyNotification = cursor } }

    /// How many streams of a test's notifications were begun.
    var streamCount: Int { script.current.streamCount }

    /// How many of them are open.
    var openStreamCount: Int { script.current.streams?.count ?? 0 }

    /// Sends a notification.
    func notify(of cursor: SyncCursor?) {
        for stream in script.current.streams?.values.map({ $0 }) ?? [] { stream.yield(cursor) }
    }

    /// Ends the notifications, as a remote does that refuses them.
    func endNotifications() {
        for stream in script.current.streams?.values.map({ $0 }) ?? [] { stream.finish() }
    }

    private func beginStream() -> AsyncStream<SyncCursor?> {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncCursor?.self)
        let (number, onlyNotification) = script.withLock { script in
            script.streamCount += 1
            let number = script.streamCount
            script.streams?[number] = continuation
            return (number, script.onlyNotification)
        }
        continuation.onTermination = { [script] _ in
            _ = script.withLock { $0.streams?.removeValue(forKey: number) }
        }
        if let onlyNotification {
            continuation.yield(onlyNotification)
            continuation.finish()
        }
        return stream
    }

    func notifications() -> AsyncStream<SyncCursor?> {
        if script.current.streams != nil { return beginStream() }
        if !script.current.notifies { return AsyncStream { $0.finish() } }
        let reader = NotificationReader(script.current.account.notifications()) { [script] position in
            script.withLock { $0.handledPosition = position }
        }
        return AsyncStream(unfolding: { await reader.next() })
    }
}

/// The notifications of a service, with a call of a function after each that the receiver has handled.
private final class NotificationReader: Sendable {
    // because: one task receives the notifications, one after the other.
    nonisolated(unsafe) private var iterator: AsyncStream<SyncCursor?>.Iterator
    private let position = Locked<SyncCursor?>(nil)
    private let didHandle: @Sendable (SyncCursor) -> Void

    init(_ notifications: AsyncStream<SyncCursor?>, didHandle: @escaping @Sendable (SyncCursor) -> Void) {
        iterator = notifications.makeAsyncIterator()
        self.didHandle = didHandle
    }

    /// Returns the next notification; nil if there is none any more.
    func next() async -> SyncCursor?? {
        // The receiver has handled the former one, or it would not request another.
        if let position = position.current { didHandle(position) }
        let notification = await iterator.next()
        position.exchange(with: notification.flatMap(\.self))
        return notification
    }
}
