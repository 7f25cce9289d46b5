import Dispatch
import SyncPersistence

/// Work that waits for one of several connections; with one connection it runs in the order of its submission.
///
/// Work runs on threads of Dispatch, which it may block; work that waits holds no thread.
final class ConnectionQueue: Sendable {
    /// What is to be done with a connection, which must not escape.
    typealias Work = @Sendable (Connection) -> Void

    /// A connection that can go to another thread.
    // because: a connection is either idle and unused, or was taken from the idle ones under the lock. Only the thread
    // that took it uses it, until it puts it back. They are closed when all are idle and none is taken any more.
    private struct Exclusive: @unchecked Sendable {
        let connection: Connection

        /// Where its work runs.
        ///
        /// A serial queue of its own has a thread when it needs one, also where all the others are blocked.
        let thread = DispatchQueue(label: "DifferentialSync.Connection")
    }

    private struct State: Sendable {
        var idle: [Exclusive]
        var waiting = FIFO<Work>()
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>
    private let count: Int
    private let path: String?
    private let closing = DispatchQueue(label: "DifferentialSync.ConnectionQueue.closing")

    /// A queue that owns the connections, at least one.
    init(_ connections: sending [Connection]) {
        count = connections.count
        path = connections[0].location.path
        state = Locked(State(idle: connections.map { Exclusive(connection: $0) }))
    }

    /// Runs the work as soon as it is its turn; throws if the queue is closed.
    func submit(_ work: @escaping Work) throws {
        let free: Exclusive? = try state.withLock { state in
            if state.isClosed { throw SQLiteError.closed(path: path) }
            if let free = state.idle.popLast() { return free }
            state.waiting.append(work)
            return nil
        }
        if let free { free.thread.async { self.run(work, on: free) } }
    }

    /// Runs the work, and what waits behind it.
    private func run(_ work: @escaping Work, on exclusive: Exclusive) {
        var next: Work? = work
        while let work = next {
            work(exclusive.connection)
            next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.idle.append(exclusive) }
                return next
            }
        }
        finishClosing()
    }
}

extension ConnectionQueue {
    /// Takes no more work.
    func refuseWork() {
        state.withLock { $0.isClosed = true }
    }

    /// Takes no more work, and closes the connections once all that was submitted is done.
    nonisolated(nonsending) func close() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.isClosed = true
                state.closers.append(continuation)
            }
            finishClosing()
        }
    }

    /// Closes the connections if somebody waits for it and no work is left.
    private func finishClosing() {
        let last: State? = state.withLock { state in
            guard state.idle.count == count, !state.closers.isEmpty else { return nil }
            defer { state.closers = [] }
            return state
        }
        guard let last else { return }
        // One after another, so that whoever closes a second time waits for the first.
        closing.async {
            for exclusive in last.idle { exclusive.connection.close() }
            for closer in last.closers { closer.resume() }
        }
    }
}
