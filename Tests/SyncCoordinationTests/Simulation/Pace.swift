import StoreSync
import SyncCoordination

/// The rules for when a coordinator may begin a cycle, written down a second time.
///
/// After failures, a cycle begins no sooner than the schedule of the failure allows, unless an event has come that ends
/// the wait. While nothing fails, each cycle has a reason: an edit, a notification, a start, or the time of a poll. Changes
/// that the remote has postponed are a reason too, but for few cycles in a minute.
struct Pace: Sendable {
    private let settings: CoordinatorSettings

    /// How many cycles have failed in succession.
    private var failures = 0

    /// When the wait after the last failure ends at the earliest; nil if nothing has failed.
    private var pauseEnd: Duration?

    /// Whether the remote has postponed changes.
    private var isPostponed = false

    /// Whether the remote has requested the wait.
    private var isWished = false

    /// Whether an event has come since the last cycle has begun that is a reason for another.
    private var hasReason = false

    /// Whether an event has come that ends a wait that the remote has not requested.
    private var endsWait = false

    /// When the last cycle has ended.
    private var lastEnd = Duration.zero

    /// The times of the cycles since the first failure, of those for postponed changes alone, and of the events that end waits.
    private var begun: [Duration] = []
    private var retried: [Duration] = []
    private var hurries: [Duration] = []

    /// Whether a wait after a failure or for postponed changes goes on, or has ended without another cycle.
    var isPaused: Bool { pauseEnd != nil || isPostponed }

    init(_ settings: CoordinatorSettings) { self.settings = settings }

    /// An edit, a notification, or a commit of another process.
    mutating func addReason() { hasReason = true }

    /// The network or the app is back, or the app has requested a cycle.
    mutating func addHurry(at time: Duration) {
        (hasReason, endsWait) = (true, true)
        hurries.append(time)
    }

    /// The process has begun, and knows nothing of earlier failures.
    mutating func restart(at time: Duration) {
        (failures, pauseEnd, isPostponed) = (0, nil, false)
        addHurry(at: time)
    }

    /// A cycle begins; returns the rule that it breaks, or nil.
    mutating func begin(at time: Duration) -> String? {
        defer { (hasReason, endsWait) = (false, false) }
        if pauseEnd != nil {
            begun.append(time)
        } else if isPostponed && !hasReason {
            retried.append(time)
        }
        let minute = time - .seconds(60)
        // Failures and postponed changes have schedules of their own.
        let count = max(begun.count { $0 > minute }, retried.count { $0 > minute })
        // A schedule from 2 seconds on, of which half is random, allows 6 cycles in a minute.
        let most = 7 * (1 + hurries.count { $0 > minute })
        if count > most { return "\(count) cycles in a minute, of \(most)" }
        if let pauseEnd {
            if time >= pauseEnd || endsWait && !isWished { return nil }
            return "a cycle at \(time), before the wait is over at \(pauseEnd)"
        }
        let isPolled = settings.pollInterval.map { time >= lastEnd + $0 } ?? false
        return hasReason || isPolled || isPostponed ? nil : "a cycle without a reason"
    }

    /// A cycle has ended, at a time at which nothing else happens.
    mutating func end(_ result: RunResult, at time: Duration) {
        lastEnd = time
        switch result {
        case .cycle(let outcome) where outcome.failure == nil && !outcome.hasPostponed:
            (failures, pauseEnd, isPostponed) = (0, nil, false)
            (begun, retried) = ([], [])
        case .cycle(let outcome):
            switch outcome.failure {
            case .throttled(let wish): fail(settings.throttledRetries, wish, at: time)
            case .later(let wish): fail(settings.retries, wish, at: time)
            case nil: (failures, pauseEnd, isPostponed, begun) = (0, nil, true, [])
            case .unauthorized:
                failures += 1
                (pauseEnd, isWished) = (time, false)
            default: fail(settings.retries, nil, at: time)
            }
        case .failed(let failure) where failure.reason == .busy: fail(settings.busyRetries, nil, at: time)
        case .failed: fail(settings.retries, nil, at: time)
        case .cancelled: addReason()
        case .processor: break
        }
    }

    private mutating func fail(_ schedule: RetrySchedule, _ wish: Int?, at time: Duration) {
        failures += 1
        let exponent = min(failures - 1, 20)
        let longest = min(schedule.first * (1 << exponent), schedule.longest)
        let shortest = longest * (1 - schedule.jitter)
        isWished = wish != nil
        pauseEnd = time + max(shortest, .seconds(wish ?? 0))
        endsWait = false
    }
}
