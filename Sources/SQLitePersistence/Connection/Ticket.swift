import SyncPersistence

/// What a task holds whose work waits for its turn on a connection, and then runs.
///
/// A task that is cancelled before its turn is told at once, and its work never runs. One that is cancelled while its
/// work runs interrupts it, where it may be interrupted, and no other work.
final class Ticket<Result: Sendable>: Sendable {
    private typealias Outcome = Swift.Result<Result, any Error>

    private struct State: Sendable {
        var phase = Phase.waiting
        var isCancelled = false
        /// The task, once it waits for the outcome.
        var task: CheckedContinuation<Result, any Error>?
        /// The outcome, until the task asks for it.
        var outcome: Outcome?
    }

    private enum Phase: Sendable {
        case waiting
        /// With what interrupts the work, while it may be interrupted.
        case running(Connection.Interrupter?)
        case finished
    }

    private let state = Locked(State())

    /// The outcome of the work, to be asked for once.
    var value: Result {
        get async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { task in
                    let outcome: Outcome? = state.withLock { state in
                        if state.outcome == nil { state.task = task }
                        return state.outcome
                    }
                    if let outcome { task.resume(with: outcome) }
                }
            } onCancel: {
                cancel()
            }
        }
    }

    /// Runs the work, now that it is its turn, unless the task was cancelled meanwhile.
    func run(_ work: () throws -> Result) {
        let mayRun = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .running(nil)
            return true
        }
        if mayRun { finish(Outcome(catching: work)) }
    }

    /// Runs a part of the work that is interrupted if the task is cancelled, and then throws a `CancellationError`, as
    /// it does if the task was cancelled before.
    ///
    /// When it returns nothing will be interrupted any more: the connection can go on to what is not to fail.
    func interruptibly(by interrupter: Connection.Interrupter, _ part: () throws -> Result) throws -> Result {
        if setInterrupter(interrupter) { throw CancellationError() }
        let outcome = Outcome(catching: part)
        let isCancelled = setInterrupter(nil)
        if case .failure = outcome, isCancelled { throw CancellationError() }
        return try outcome.get()
    }
}

extension Ticket {
    /// Takes the work out of the queue, or interrupts it.
    func cancel() {
        let isWaiting = state.withLock { state in
            state.isCancelled = true
            switch state.phase {
            case .waiting:
                state.phase = .finished
                return true
            case .running(let interrupter):
                // Inside of the lock, so that the part that may be interrupted cannot end before.
                interrupter?.interrupt()
            case .finished:
                break
            }
            return false
        }
        if isWaiting { finish(.failure(CancellationError())) }
    }

    /// Gives the outcome to the task, now or when it asks.
    private func finish(_ outcome: Outcome) {
        let task = state.withLock { state in
            state.phase = .finished
            if state.task == nil { state.outcome = outcome }
            return state.task
        }
        task?.resume(with: outcome)
    }

    /// Whether the task was cancelled since the work began.
    private func setInterrupter(_ interrupter: Connection.Interrupter?) -> Bool {
        state.withLock { state in
            state.phase = .running(interrupter)
            return state.isCancelled
        }
    }
}
