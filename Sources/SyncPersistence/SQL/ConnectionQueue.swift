import Dispatch

/// A connection to a database, which one thread at a time uses.
package protocol QueuedConnection: AnyObject, SendableMetatype {
    /// Closes the connection; without effect if it is closed.
    func close()
}

/// A queue of work for a set of connections.
///
/// With one connection, work runs in the order of submission. Work runs on Dispatch threads, which it may block.
/// Waiting work occupies no thread.
///
/// The connection that became free last is used next. So with little work most connections stay unused, and the
/// prepared statements of one serve all.
package final class ConnectionQueue<Connection: QueuedConnection>: Sendable {
    /// Work on a connection.
    ///
    /// The connection must not escape.
    package typealias Work = @Sendable (Connection) -> Void

    /// A connection that can move to another thread.
    // because: a connection is either idle and unused, or in use by the one thread that removed it from `idle` under
    // the lock. The queue closes the connections once all are idle and no more work is accepted.
    private struct Exclusive: @unchecked Sendable {
        /// The connection, which one thread uses at a time.
        let connection: Connection

        /// The serial queue on which the connection's work runs.
        ///
        /// Each connection has its own, so that it gets a thread even while other work blocks its threads.
        let thread = DispatchQueue(label: "DifferentialSync.Connection")
    }

    /// The mutable state, which `Locked` protects.
    private struct State: Sendable {
        /// The connections without work.
        var idle: [Exclusive]
        /// The work that waits for a connection or for `resume()`, in the order of submission.
        var waiting = FIFO<Work>()
        /// Whether no further work begins.
        var isSuspended = false
        /// The callers of `waitForSuspension()` that wait for its end.
        var suspenders: [CheckedContinuation<Void, Never>] = []
        /// Whether later submissions throw.
        var isClosed = false
        /// The callers of `close()` that wait for its end.
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// The idle connections, the waiting work, and whether the queue is closed.
    private let state: Locked<State>
    /// The number of connections, idle or not.
    private let count: Int
    /// The error for work that is submitted to a closed queue.
    private let closedError: any Error
    /// The serial queue that closes the connections.
    private let closing = DispatchQueue(label: "DifferentialSync.ConnectionQueue.closing")

    /// Creates a queue that owns at least one connection.
    ///
    /// - Parameter closedError: The error for work that is submitted to a closed queue.
    package init(_ connections: sending [Connection], closedError: any Error) {
        count = connections.count
        self.closedError = closedError
        state = Locked(State(idle: connections.map { Exclusive(connection: $0) }))
    }

    /// Runs the work on the next free connection.
    ///
    /// - Throws: The queue's error if it is closed.
    package func submit(_ work: @escaping Work) throws {
        let free: Exclusive? = try state.withLock { state in
            if state.isClosed { throw closedError }
            if !state.isSuspended, let free = state.idle.popLast() { return free }
            state.waiting.append(work)
            return nil
        }
        if let free { free.thread.async { self.run(work, on: free) } }
    }

    /// Runs the work, then the waiting work, and marks the connection as idle when there is none or the queue is
    /// suspended.
    private func run(_ work: @escaping Work, on exclusive: Exclusive) {
        var next: Work? = work
        while let work = next {
            work(exclusive.connection)
            next = state.withLock { state in
                let next = state.isSuspended ? nil : state.waiting.popFirst()
                if next == nil { state.idle.append(exclusive) }
                return next
            }
        }
        finishSuspendingAndClosing()
    }
}

extension ConnectionQueue {
    /// Begins no further work until `resume()`.
    ///
    /// Work that runs continues. Later submissions wait.
    package func suspend() { state.withLock { $0.isSuspended = true } }

    /// Waits until no work runs; returns at once if the queue is not suspended, and at the latest when it is resumed.
    package nonisolated(nonsending) func waitForSuspension() async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.suspenders.append(continuation) }
            finishSuspendingAndClosing()
        }
    }

    /// Runs the waiting work, and later submissions, after `suspend()`.
    package func resume() {
        let begun = state.withLock { state in
            state.isSuspended = false
            var pairs: [(work: Work, free: Exclusive)] = []
            while let free = state.idle.last, let work = state.waiting.popFirst() {
                state.idle.removeLast()
                pairs.append((work, free))
            }
            return pairs
        }
        for (work, free) in begun { free.thread.async { self.run(work, on: free) } }
        finishSuspendingAndClosing()
    }
}

extension ConnectionQueue {
    /// Makes later submissions throw.
    package func refuseWork() { state.withLock { $0.isClosed = true } }

    /// Makes later submissions throw, and closes the connections after all submitted work.
    ///
    /// Work that waits for `resume()` then runs on a closed connection, whose operations throw.
    package nonisolated(nonsending) func close() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.isClosed = true
                state.closers.append(continuation)
            }
            finishSuspendingAndClosing()
        }
    }

    /// Resumes the callers that wait for the end of running work, and closes the connections if `close()` was called.
    ///
    /// It has no effect while work runs that such a caller waits for.
    private func finishSuspendingAndClosing() {
        let (suspenders, last): ([CheckedContinuation<Void, Never>], State?) = state.withLock { state in
            let isIdle = state.idle.count == count
            var suspenders: [CheckedContinuation<Void, Never>] = []
            if isIdle || !state.isSuspended { swap(&suspenders, &state.suspenders) }
            guard isIdle, !state.closers.isEmpty else { return (suspenders, nil) }
            defer {
                state.closers = []
                state.waiting = FIFO()
            }
            return (suspenders, state)
        }
        for suspender in suspenders { suspender.resume() }
        guard let last else { return }
        // A serial queue, so that a second caller of `close()` waits for the first to finish.
        closing.async {
            for exclusive in last.idle { exclusive.connection.close() }
            // Only a suspended queue has waiting work while all connections are idle.
            var waiting = last.waiting
            while let work = waiting.popFirst() { work(last.idle[0].connection) }
            for closer in last.closers { closer.resume() }
        }
    }
}
