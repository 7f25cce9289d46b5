import SyncPersistence

/// The calls of one store: its writes in turn, and the end of all of them.
///
/// Writes of a store wait here, and not for a connection. So the waiting writes of one store do not occupy the connections
/// that other stores of the pool need.
final class CallQueue: Sendable {
    /// The mutable state, which `Locked` protects.
    private struct State: Sendable {
        /// The number of calls that have begun and not ended.
        var count = 0
        /// Whether a write has its turn.
        var isWriting = false
        /// The writes that wait for their turn, in the order of the calls.
        var waiting = FIFO<Start>()
        /// Whether later calls throw.
        var isClosed = false
        /// The callers of `close()` that wait for the last call.
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Starts a write, and returns false if it has ended already, because it could not start.
    typealias Start = @Sendable () -> Bool

    /// Begins a call.
    ///
    /// - Throws: `PersistenceError` if the store is closed.
    func begin() throws {
        try state.withLock { state in
            if state.isClosed { throw PersistenceError(.closed, "the store was closed: open it again") }
            state.count += 1
        }
    }

    /// Ends a call.
    func end() {
        let closers: [CheckedContinuation<Void, Never>] = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    /// Runs the start of a write when its turn has come.
    func awaitTurn(_ start: @escaping Start) {
        let isFirst = state.withLock { state in
            if state.isWriting { state.waiting.append(start) }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst, !start() { endTurn() }
    }

    /// Ends the turn of a write, and runs the start of the next one.
    func endTurn() {
        while let next = nextStart() {
            if next() { return }
        }
    }

    /// Returns the start of the next write; nil if none waits, which ends the turn.
    private func nextStart() -> Start? {
        state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.isWriting = false }
            return next
        }
    }

    /// Makes later calls throw, and waits for the earlier ones.
    func close() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isClosed = true
                if state.count > 0 { state.closers.append(continuation) }
                return state.count == 0
            }
            if isIdle { continuation.resume() }
        }
    }
}
