/// What a task holds that waits for its turn on a connection.
///
/// A task that is cancelled before its turn is told at once, and its work never runs. One that is cancelled while its
/// work runs interrupts it, and no other work.
final class Ticket<Result: Sendable>: Sendable {
    private enum State: Sendable {
        case new
        case waiting(CheckedContinuation<Result, any Error>)
        /// With what interrupts the work, while it may be interrupted.
        case running(Connection.Interrupter?, isCancelled: Bool)
        case finished
    }

    private let state = Locked(State.new)

    /// Whether the ticket waits now.
    ///
    /// It does not if the task is cancelled already, which it is then told.
    func wait(_ continuation: CheckedContinuation<Result, any Error>) -> Bool {
        let isWaiting = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !isWaiting { continuation.resume(throwing: CancellationError()) }
        return isWaiting
    }

    /// Fails the work before its turn.
    func refuse(_ error: any Error) {
        leaveQueue(for: .finished)?.resume(throwing: error)
    }

    /// Runs the work, now that it is its turn, unless the task was cancelled meanwhile.
    func run(_ work: () throws -> Result) {
        guard let continuation = leaveQueue(for: .running(nil, isCancelled: false)) else { return }
        let result = Swift.Result(catching: work)
        state.withLock { $0 = .finished }
        continuation.resume(with: result)
    }

    /// Runs a part of the work that is interrupted if the task is cancelled, and then throws a `CancellationError`, as
    /// it does if the task was cancelled before.
    ///
    /// When it returns nothing will be interrupted any more: the connection can go on to what is not to fail.
    func interruptibly(by interrupter: Connection.Interrupter, _ part: () throws -> Result) throws -> Result {
        if setInterrupter(interrupter) { throw CancellationError() }
        let result = Swift.Result(catching: part)
        let isCancelled = setInterrupter(nil)
        if case .failure = result, isCancelled { throw CancellationError() }
        return try result.get()
    }

    /// Takes the work out of the queue, or interrupts it.
    func cancel() {
        let waiting: CheckedContinuation<Result, any Error>? = state.withLock { state in
            switch state {
            case .new:
                state = .finished
            case .waiting(let continuation):
                state = .finished
                return continuation
            case .running(let interrupter, _):
                // Inside of the lock, so that the part that may be interrupted cannot end before.
                interrupter?.interrupt()
                state = .running(interrupter, isCancelled: true)
            case .finished:
                break
            }
            return nil
        }
        waiting?.resume(throwing: CancellationError())
    }

    /// The waiting task, which waits no longer.
    private func leaveQueue(for next: State) -> CheckedContinuation<Result, any Error>? {
        state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = next
            return continuation
        }
    }

    /// Whether the task was cancelled since the work began.
    private func setInterrupter(_ interrupter: Connection.Interrupter?) -> Bool {
        state.withLock { state in
            guard case .running(_, let isCancelled) = state else { return false }
            state = .running(interrupter, isCancelled: isCancelled)
            return isCancelled
        }
    }
}
