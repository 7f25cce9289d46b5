#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Work with one run at a time: the cycles of the store, or the batches of one processor.
struct Lane: Hashable, Sendable {
    /// The number of the run in progress; nil if there is none.
    private(set) var run: Int?

    /// How many runs were begun.
    private(set) var runCount = 0

    /// When the run in progress has taken too long.
    private(set) var deadline: Duration?

    /// From when on there is something to do; nil if there is nothing.
    private(set) var due: Duration?

    /// When the first of several changes came that wait to be handled together.
    private var firstChange: Duration?

    /// The wait until postponed work is tried again; nil if there is none.
    private(set) var retry: Pause?

    /// When a run begins although nothing has happened; nil for never.
    private var poll: Duration?

    /// The wait after the last failure; nil if there is none.
    private(set) var pause: Pause?

    /// Why the lane only continues after an action of the app; nil if it continues by itself.
    private(set) var halt: WaitReason?

    /// How many runs have failed in succession.
    private var failures = 0

    /// How many answers in succession did not follow the protocol.
    private var incompatibleFailures = 0

    /// How often work was postponed since a run has done everything.
    private var postponements = 0

    /// A wait after a failure, or for postponed work.
    struct Pause: Hashable, Sendable {
        /// When the pause ends, on the coordinator's clock.
        let end: Duration
        /// The same as a date, for the status.
        let date: Date
        /// Why the lane waits.
        let reason: WaitReason
        /// Whether the remote or a processor has requested the wait, so that nothing shortens it.
        let isWished: Bool
    }
}

extension Lane {
    /// When the next run can begin; nil if there is nothing to do, or a run is in progress.
    var start: Duration? {
        guard run == nil, halt == nil, let time = [due, retry?.end, poll].compactMap({ $0 }).min() else { return nil }
        return max(time, pause?.end ?? time)
    }

    /// Whether there is nothing to do.
    var isDone: Bool { run == nil && halt == nil && due == nil && retry == nil }

    /// Whether a run begins now, or after the short wait for further changes.
    func isAboutToBegin(at time: Duration) -> Bool {
        guard let start else { return false }
        return start <= time || due != nil && (pause.map { $0.end <= time } ?? true)
    }

    /// Makes the lane due after a short wait for further changes.
    mutating func change(at time: Duration, _ settings: CoordinatorSettings) {
        if due != nil && firstChange == nil { return }
        let first = firstChange ?? time
        firstChange = first
        due = min(time + settings.quiet, max(time, first + settings.longestQuiet))
    }

    /// Makes the lane due at once, with its postponed work.
    mutating func request(at time: Duration) {
        (due, firstChange) = (time, nil)
        if let retry, !retry.isWished {
            self.retry = Pause(end: time, date: retry.date, reason: retry.reason, isWished: false)
        }
    }

    /// Ends the wait after a failure, unless the remote has requested it.
    mutating func endPause() { if pause?.isWished == false { pause = nil } }

    /// Lets the lane continue after a failure that only an action of the app can end.
    mutating func endHalt() { halt = nil }

    /// Begins a run; returns its number, and whether it tries postponed work again.
    mutating func begin(at time: Duration, timeout: Duration) -> (run: Int, isRetry: Bool) {
        runCount += 1
        run = runCount
        deadline = time + timeout
        let isRetry = retry.map { $0.end <= time } ?? false
        if isRetry { retry = nil }
        (due, firstChange, pause, poll) = (nil, nil, nil, nil)
        return (runCount, isRetry)
    }

    /// Gives a run in progress more time, or less.
    mutating func setDeadline(_ time: Duration) { if run != nil { deadline = time } }

    /// Ends a run that has done everything.
    mutating func succeed() {
        end()
        endFailures()
        (postponements, retry) = (0, nil)
    }

    /// Sets when the next run begins although nothing has happened; nil for never.
    mutating func setPoll(_ time: Duration?) { poll = time }

    /// Ends a run that has postponed some work, which does not delay later work.
    ///
    /// - Parameters:
    ///   - wish: After how many seconds all postponed work is tried again at the earliest; nil if that does not matter.
    ///   - moment: The present time.
    ///   - schedule: The delays.
    ///   - generator: Makes the random part.
    mutating func postpone(
        _ wish: Int?, at moment: Moment, _ schedule: RetrySchedule, using generator: inout some RandomNumberGenerator
    ) {
        end()
        if retry != nil && wish == nil { return }
        postponements += 1
        let delay = schedule.delay(after: postponements, wish: wish, using: &generator)
        let end = max(retry?.end ?? .zero, moment.elapsed + delay)
        retry = Pause(
            end: end, date: moment.date(of: end), reason: .postponed, isWished: wish != nil || retry?.isWished == true)
    }

    /// Ends a run that was cancelled; its work is still to be done.
    mutating func cancel(at time: Duration) {
        end()
        request(at: time)
    }

    /// Ends a run that must be made again after a delay.
    mutating func fail(at moment: Moment, delay: Duration, _ reason: WaitReason, isWished: Bool) {
        end()
        let end = moment.elapsed + delay
        pause = Pause(end: end, date: moment.date(of: end), reason: reason, isWished: isWished)
        due = moment.elapsed
    }

    /// Ends a run that must be made again once the app has acted.
    mutating func fail(at time: Duration, halt reason: WaitReason) {
        end()
        halt = reason
        due = time
    }

    /// Counts a failure; returns how many there were in succession.
    ///
    /// Answers that do not follow the protocol have a count of their own. Their delays grow up to a day. If failures of the
    /// network counted too, a single page of a proxy after an outage would cause such a delay.
    ///
    /// - Parameter isIncompatible: Whether the answer was not of the protocol.
    mutating func countFailure(isIncompatible: Bool) -> Int {
        failures += 1
        incompatibleFailures = isIncompatible ? incompatibleFailures + 1 : 0
        return isIncompatible ? incompatibleFailures : failures
    }

    /// Ends a succession of failures, also if some work was postponed.
    mutating func endFailures() { (failures, incompatibleFailures) = (0, 0) }

    private mutating func end() { (run, deadline) = (nil, nil) }
}
