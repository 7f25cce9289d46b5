import SyncPersistence

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = VirtualClock()
/// let task = Task { try await clock.sleep(for: .seconds(30)) }
/// await clock.waitForSleepers()
/// clock.advance(by: .seconds(30))   // The task continues.
/// try await task.value
/// ```
public final class VirtualClock: Clock {
    /// A time of a virtual clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let elapsed: Duration

        /// Creates an instant.
        public init(elapsed: Duration) { self.elapsed = elapsed }

        /// Returns the instant after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }

        /// Returns the duration until another instant.
        public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }

        /// Whether an instant comes before another one.
        public static func < (left: Instant, right: Instant) -> Bool { left.elapsed < right.elapsed }
    }

    /// A task that waits for the clock.
    private struct Sleeper: Sendable {
        /// The number of the call, by which a cancellation finds it.
        let number: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// The time, and the tasks that wait for another time.
    private struct State: Sendable {
        var now = Instant(elapsed: .zero)
        var count = 0
        var sleepers: [Sleeper] = []
        /// The calls that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
        /// The tests that wait until a number of tasks wait for the clock.
        var observers: [(number: Int, count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Returns the number of a new call.
        mutating func nextNumber() -> Int {
            count += 1
            return count
        }

        /// The next instant for which a task waits.
        var nextDeadline: Instant? { sleepers.map(\.deadline).min() }

        /// Removes the observers that wait for no more sleepers than there are.
        mutating func takeObservers() -> [CheckedContinuation<Void, Never>] {
            let satisfied = observers.filter { $0.count <= sleepers.count }
            observers.removeAll { $0.count <= sleepers.count }
            return satisfied.map(\.continuation)
        }
    }

    private let state = Locked(State())

    /// Creates a clock at its beginning.
    public init() {}

    /// The time that the clock shows.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step of the clock.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the clock was advanced to an instant; returns at once if it is past that.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { $0.nextNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Sleeper(number: number, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Lets a task wait, or resumes it at once if its time has come or it was cancelled.
    private func add(_ sleeper: Sleeper) {
        let (result, observers) = state.withLock {
            state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
            if state.cancelled.remove(sleeper.number) != nil { return (.failure(CancellationError()), []) }
            if sleeper.deadline <= state.now { return (.success(()), []) }
            state.sleepers.append(sleeper)
            return (nil, state.takeObservers())
        }
        if let result { sleeper.continuation.resume(with: result) }
        for observer in observers { observer.resume() }
    }

    /// Resumes a task, or remembers the cancellation for its beginning.
    private func cancel(_ number: Int) {
        let (sleeper, observer) = state.withLock { state -> (Sleeper?, CheckedContinuation<Void, Never>?) in
            if let place = state.sleepers.firstIndex(where: { $0.number == number }) {
                return (state.sleepers.remove(at: place), nil)
            }
            if let place = state.observers.firstIndex(where: { $0.number == number }) {
                return (nil, state.observers.remove(at: place).continuation)
            }
            // It has not begun to wait.
            state.cancelled.insert(number)
            return (nil, nil)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
        observer?.resume()
    }
}

extension VirtualClock {
    /// The next instant for which a task waits; nil if none waits.
    ///
    /// A test that advances the clock from one such instant to the next misses none in between.
    public var nextDeadline: Instant? { state.withLock { $0.nextDeadline } }

    /// Advances the clock, and resumes the tasks whose time has come, the earliest first.
    ///
    /// A task that sleeps again after it was resumed waits for a further call, even if its new time has passed.
    ///
    /// - Complexity: O(*n* log *n*) for *n* waiting tasks
    public func advance(by duration: Duration) { _ = advance { $0.now.advanced(by: duration) } }

    /// Advances the clock to the next instant for which a task waits, unless that is later than a duration from now.
    ///
    /// A test that repeats it lets the short times pass for which tasks wait, but no long timeout.
    ///
    /// - Returns: Whether the clock was advanced.
    /// - Complexity: O(*n* log *n*) for *n* waiting tasks
    @discardableResult
    public func advanceToNextDeadline(within duration: Duration) -> Bool {
        advance { state in
            let latest = state.now.advanced(by: duration)
            return state.nextDeadline.flatMap { $0 <= latest ? $0 : nil }
        }
    }

    /// Advances the clock to the instant that a function returns; returns whether it returns one.
    private func advance(to instant: (State) -> Instant?) -> Bool {
        let woken = state.withLock { state -> [Sleeper]? in
            guard let now = instant(state) else { return nil }
            state.now = now
            let woken = state.sleepers.filter { $0.deadline <= now }.sorted {
                ($0.deadline, $0.number) < ($1.deadline, $1.number)
            }
            state.sleepers.removeAll { $0.deadline <= now }
            return woken
        }
        for sleeper in woken ?? [] { sleeper.continuation.resume() }
        return woken != nil
    }

    /// Waits until a number of tasks wait for the clock, or until the test is cancelled, as by its time limit.
    ///
    /// A test calls it before ``advance(by:)``. Otherwise the clock may be advanced before a task has begun to sleep,
    /// and the task would wait for the next advance.
    public func waitForSleepers(_ count: Int = 1) async {
        let number = state.withLock { $0.nextNumber() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let satisfied = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    if state.cancelled.remove(number) != nil { return [continuation] }
                    state.observers.append((number, count, continuation))
                    return state.takeObservers()
                }
                for observer in satisfied { observer.resume() }
            }
        } onCancel: {
            cancel(number)
        }
    }
}
