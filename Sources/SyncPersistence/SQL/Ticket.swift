/// A task's handle on work that waits for a connection and then runs.
///
/// If the task is cancelled before the work runs, it resumes at once and the work never runs. If the task is cancelled
/// during an interruptible part, only this work is interrupted. Running work can also ask whether the task was cancelled.
package final class Ticket<Result: Sendable>: Sendable {
    /// The result of the work, or its error.
    private typealias Outcome = Swift.Result<Result, any Error>

    /// The mutable state, which `Locked` protects.
    private struct State: Sendable {
        /// How far the work has come.
        var phase = Phase.waiting
        /// Whether the task was cancelled.
        var isCancelled = false
        /// The continuation of the task, once it waits for the outcome.
        var task: CheckedContinuation<Result, any Error>?
        /// The outcome, until the task reads it.
        var outcome: Outcome?
    }

    /// The progress of the work.
    private enum Phase: Sendable {
        /// The work has not begun, and can still be withdrawn.
        case waiting
        /// Running; what interrupts it is nil while it must not be interrupted.
        case running(interrupt: (@Sendable () -> Void)?)
        /// The work has ended, or was withdrawn.
        case finished
    }

    /// How far the work has come, and its outcome until the task reads it.
    private let state = Locked(State())

    /// Creates the ticket of work that has not begun.
    package init() {}

    /// The outcome of the work.
    ///
    /// It can be read once.
    package var value: Result {
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

    /// Whether the task was cancelled.
    package var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Runs the work, unless the task was cancelled while it waited.
    package func run(_ work: () throws -> Result) {
        let mayRun = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .running(interrupt: nil)
            return true
        }
        if mayRun { finish(Outcome(catching: work)) }
    }

    /// Runs a part of the work that a cancellation interrupts.
    ///
    /// After the return, nothing interrupts the connection, which can then run statements that must not fail.
    ///
    /// - Parameter interrupt: Makes the running statement of the connection fail. Any thread may call it during the part.
    /// - Throws: `CancellationError` if the task is cancelled before the part, or if the part fails after a
    ///   cancellation.
    package func interruptibly(
        by interrupt: @escaping @Sendable () -> Void, _ part: () throws -> Result
    ) throws -> Result {
        if setInterrupt(interrupt) { throw CancellationError() }
        let outcome = Outcome(catching: part)
        let isCancelled = setInterrupt(nil)
        if case .failure = outcome, isCancelled { throw CancellationError() }
        return try outcome.get()
    }
}

extension Ticket {
    /// Cancels waiting work, or interrupts running work.
    package func cancel() {
        let isWaiting = state.withLock { state in
            state.isCancelled = true
            switch state.phase {
            case .waiting:
                state.phase = .finished
                return true
            case .running(let interrupt):
                // Within the lock, so that the interruptible part cannot end first.
                interrupt?()
            case .finished:
                break
            }
            return false
        }
        if isWaiting { finish(.failure(CancellationError())) }
    }

    /// Resumes the task with the outcome, or stores the outcome until the task reads it.
    private func finish(_ outcome: Outcome) {
        let task = state.withLock { state in
            state.phase = .finished
            if state.task == nil { state.outcome = outcome }
            return state.task
        }
        task?.resume(with: outcome)
    }

    /// Sets or clears what interrupts the work, and returns whether the task was cancelled since the work began.
    private func setInterrupt(_ interrupt: (@Sendable () -> Void)?) -> Bool {
        state.withLock { state in
            state.phase = .running(interrupt: interrupt)
            return state.isCancelled
        }
    }
}
