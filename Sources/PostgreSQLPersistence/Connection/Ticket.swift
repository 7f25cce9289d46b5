import SyncPersistence

/// A task's handle on work that waits for a connection and then runs.
///
/// If the task is cancelled before the work runs, it resumes at once and the work never runs. Running work can ask
/// whether the task was cancelled.
final class Ticket<Result: Sendable>: Sendable {
    private typealias Outcome = Swift.Result<Result, any Error>

    /// The mutable state, which `Locked` protects.
    private struct State: Sendable {
        /// Whether the work has begun, or will never run.
        var isTaken = false
        /// Whether the task was cancelled.
        var isCancelled = false
        /// The continuation of the task, once it waits for the outcome.
        var task: CheckedContinuation<Result, any Error>?
        /// The outcome, until the task reads it.
        var outcome: Outcome?
    }

    private let state = Locked(State())

    /// The outcome of the work.
    ///
    /// It can be read once.
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
                let isWaiting = state.withLock { state in
                    defer { state.isTaken = true }
                    state.isCancelled = true
                    return !state.isTaken
                }
                if isWaiting { finish(.failure(CancellationError())) }
            }
        }
    }

    /// Whether the task was cancelled.
    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Runs the work, unless the task was cancelled while it waited.
    func run(_ work: () throws -> Result) {
        let mayRun = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if mayRun { finish(Outcome(catching: work)) }
    }

    /// Resumes the task with the outcome, or stores the outcome until the task reads it.
    private func finish(_ outcome: Outcome) {
        let task = state.withLock { state in
            if state.task == nil { state.outcome = outcome }
            return state.task
        }
        task?.resume(with: outcome)
    }
}
