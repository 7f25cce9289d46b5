import StoreSync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The decisions of a coordinator, as a value: events in, actions out.
///
/// The first lane is that of the cycles; each processor has one of its own. So a long upload of a processor does not
/// delay the cycles.
package struct CoordinatorState: Sendable {
    /// Whether the app has started the coordinator.
    enum Phase: Hashable, Sendable { case stopped, started, stopping }

    let settings: CoordinatorSettings

    /// The names of the processors.
    private let processors: [String]

    /// Whether the app can renew the authorization.
    private let canRenew: Bool

    private(set) var lanes: [Lane]
    package private(set) var counters = SyncCounters()
    private(set) var phase = Phase.stopped
    private(set) var isSuspended = false
    private(set) var isActive = true
    private(set) var isReachable = true
    /// When each bounded run in progress must return.
    private var boundedEnds: [Duration] = []
    /// When the renewal of the authorization has taken too long; nil if none is in progress.
    private(set) var renewalEnd: Duration?
    /// Whether the app is choosing what to do about a mismatch.
    private(set) var isChoosing = false

    /// The lanes whose authorization was renewed since their last success.
    private var renewedLanes: Set<Int> = []
    /// The lanes whose run has begun before the authorization was renewed.
    private var outdatedLanes: Set<Int> = []

    private(set) var fraction: Double?
    private(set) var lastSync: Date?
    private(set) var conflictCount = 0
    /// How many changes the remote has refused, and how many records each processor, by lane.
    private(set) var refusedCounts: [Int]

    /// The number of the last commit that was received.
    private var lastCommit: Int64?

    /// The numbers of the commits that cycles have made, and that were not received yet.
    private var ownCommits: Set<Int64> = []

    /// The numbers of commits that were received during a cycle, which may have made them.
    private var undecidedCommits: [Int64] = []

    /// The position up to which the last cycle has known the history of the remote.
    private var known: SyncCursor?

    /// The position of the last notification during a cycle, which may have caused it.
    private var undecidedNotification: SyncCursor?

    private var actions: [Action] = []

    /// Creates the state of a coordinator that was not started.
    package init(settings: CoordinatorSettings, processors: [String] = [], canRenew: Bool = false) {
        self.settings = settings
        self.processors = processors
        self.canRenew = canRenew
        lanes = Array(repeating: Lane(), count: processors.count + 1)
        refusedCounts = Array(repeating: 0, count: processors.count + 1)
    }
}

extension CoordinatorState {
    /// Handles an event; returns the actions that follow from it.
    package mutating func handle(
        _ event: Event, at moment: Moment, using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        let now = moment.elapsed
        switch event {
        case .started: start(at: now)
        case .stopRequested: stop(at: now)
        case .suspended: isSuspended = true
        case .resumed:
            // Meanwhile, no notifications were received.
            if isSuspended { lanes[0].request(at: now) }
            isSuspended = false
        case .activityChanged(let isActive):
            let wasActive = self.isActive
            self.isActive = isActive
            if isActive && !wasActive { hurry(at: now) }
            if isActive { actions.append(.refresh) }
        case .wokenUp: actions.append(.refresh)
        case .reachabilityChanged(let isReachable):
            let wasReachable = self.isReachable
            self.isReachable = isReachable
            if isReachable && !wasReachable { hurry(at: now) }
        case .committed(let sequence, let kind): receiveCommit(sequence, kind, at: now)
        case .notified(let cursor): receiveNotification(cursor, at: now)
        case .requested: request(at: now)
        case .refreshFailed: for lane in lanes.indices { lanes[lane].change(at: now, settings) }
        case .boundedRunBegan(let end):
            boundedEnds.append(end)
            request(at: now)
        case .boundedRunEnds(let end):
            guard let place = boundedEnds.firstIndex(of: end) else { break }
            boundedEnds.remove(at: place)
            if !canBegin { cancelRuns(by: end) }
        case .progressed(let lane, let run, let fraction, let commit):
            // Without a start, no commits are received.
            if let commit, phase != .stopped { ownCommits.insert(commit) }
            guard lanes[lane].run == run else { break }
            if lane == 0 { self.fraction = fraction }
            if phase != .stopping { lanes[lane].setDeadline(now + timeout(of: lane)) }
        case .ended(let lane, let run, let result):
            if lanes[lane].run == run { end(lane, result, at: moment, using: &generator) }
        case .renewedAuthorization(let succeeded): finishRenewal(succeeded, at: now)
        case .chose(let mismatch, let choice): finishChoice(mismatch, choice, at: now)
        case .timePassed:
            abandonLateRuns(at: moment, using: &generator)
            if let renewalEnd, renewalEnd <= now { finishRenewal(false, at: now) }
        }
        if phase == .stopping && isStill { phase = .stopped }
        beginRuns(at: now)
        defer { actions = [] }
        return actions
    }

    private mutating func start(at now: Duration) {
        if phase == .started { return }
        phase = .started
        // The streams of this start say otherwise.
        (isActive, isReachable) = (true, true)
        lastCommit = nil
        if isStill { ownCommits = [] }
        request(at: now)
    }

    private mutating func stop(at now: Duration) {
        (phase, boundedEnds) = (.stopping, [])
        cancelRuns(by: now + Self.grace)
    }

    /// How long a cancelled run may take to end.
    private static var grace: Duration { .seconds(10) }

    private func timeout(of lane: Int) -> Duration {
        lane == 0 ? settings.cycleTimeout : settings.processorTimeout
    }

    /// Cancels all runs, which must end by a time.
    private mutating func cancelRuns(by end: Duration) {
        for lane in lanes.indices {
            guard let run = lanes[lane].run else { continue }
            actions.append(.cancel(lane: lane, run: run, isAbandoned: false))
            lanes[lane].setDeadline(min(lanes[lane].deadline ?? end, end))
        }
    }

    /// Makes all lanes due, because the app has requested it.
    private mutating func request(at now: Duration) {
        for lane in lanes.indices {
            lanes[lane].request(at: now)
            lanes[lane].endPause()
            if case .mismatch = lanes[lane].halt, isChoosing { continue }
            lanes[lane].endHalt()
        }
        renewedLanes = []
    }

    /// Makes the other lanes due, whose work a run may have made.
    ///
    /// After a start, the commits of the run do that; a bounded run does not wait for them.
    private mutating func requestOthers(than lane: Int, at now: Duration) {
        if phase == .started, !isBounded { return }
        for other in lanes.indices where other != lane { lanes[other].request(at: now) }
    }

    /// Makes all lanes due, because they may succeed now.
    private mutating func hurry(at now: Duration) {
        for lane in lanes.indices {
            lanes[lane].request(at: now)
            lanes[lane].endPause()
        }
    }

    private mutating func receiveCommit(_ sequence: Int64, _ kind: CommitKind, at now: Duration) {
        let hasGap = lastCommit.map { sequence > $0 + 1 } ?? false
        lastCommit = sequence
        if kind == .records || hasGap {
            for lane in lanes.indices.dropFirst() { lanes[lane].change(at: now, settings) }
        }
        if lanes[0].run != nil && kind != .metadata {
            undecidedCommits.append(sequence)
        } else if ownCommits.remove(sequence) == nil && kind != .metadata {
            lanes[0].change(at: now, settings)
        }
        if hasGap { lanes[0].change(at: now, settings) }
    }

    private mutating func receiveNotification(_ cursor: SyncCursor?, at now: Duration) {
        if let cursor, lanes[0].run != nil {
            undecidedNotification = cursor
        } else if cursor == nil || !knows(cursor) {
            lanes[0].change(at: now, settings)
        }
    }

    /// Whether the last cycle has known everything up to a position.
    private func knows(_ cursor: SyncCursor?) -> Bool {
        guard let cursor, let known else { return false }
        return cursor.epoch == known.epoch && cursor.sequence <= known.sequence
    }

    /// Decides which of the commits and notifications during a cycle were not caused by it.
    private mutating func decideCauses(at now: Duration) {
        if undecidedNotification != nil && !knows(undecidedNotification) { lanes[0].change(at: now, settings) }
        undecidedNotification = nil
        for sequence in undecidedCommits where ownCommits.remove(sequence) == nil {
            lanes[0].change(at: now, settings)
        }
        undecidedCommits = []
    }
}

extension CoordinatorState {
    private mutating func end(
        _ lane: Int, _ result: RunResult, at moment: Moment, using generator: inout some RandomNumberGenerator
    ) {
        let now = moment.elapsed
        switch result {
        case .cancelled: lanes[lane].cancel(at: now)
        case .failed(let failure):
            guard case .mismatch(let mismatch) = failure.reason else {
                fail(lane, failure, at: moment, using: &generator)
                break
            }
            lanes[lane].fail(at: now, halt: failure.reason)
            actions.append(.choose(mismatch))
            isChoosing = true
        case .processor(let report):
            counters.processed += report.count
            if report.count > 0 { requestOthers(than: lane, at: now) }
            refusedCounts[lane] = report.refusedCount
            if report.isIncomplete {
                lanes[lane].postpone(report.retryAfter, at: moment, settings.retries, using: &generator)
            }
            if let failure = report.failure {
                fail(lane, failure, at: moment, using: &generator)
                break
            }
            renewedLanes.remove(lane)
            if report.isIncomplete { lanes[lane].endFailures() } else { lanes[lane].succeed() }
        case .cycle(let outcome):
            counters.pulled += outcome.pulledCount
            counters.pushed += outcome.pushedCount
            if outcome.pulledCount > 0 { requestOthers(than: lane, at: now) }
            known = outcome.known ?? known
            conflictCount = outcome.conflicts.count(where: \.isOpen)
            refusedCounts[lane] = outcome.refused.count
            actions.append(.report(.cycleEnded(outcome)))
            if let failure = outcome.failure {
                fail(lane, RunFailure(failure), at: moment, using: &generator)
                break
            }
            renewedLanes.remove(lane)
            lastSync = moment.date
            if outcome.hasPostponed {
                lanes[lane].endFailures()
                lanes[lane].postpone(outcome.retryAfter, at: moment, settings.retries, using: &generator)
            } else {
                lanes[lane].succeed()
            }
            lanes[lane].setPoll(settings.pollInterval.map { now + max($0, .seconds(1)) })
        }
        if lane == 0 {
            fraction = nil
            decideCauses(at: now)
        }
    }

    private mutating func fail(
        _ lane: Int, _ failure: RunFailure, at moment: Moment, using generator: inout some RandomNumberGenerator
    ) {
        counters.failures += 1
        let count = lanes[lane].countFailure(isIncompatible: failure.isIncompatible)
        var retry: Duration?
        if failure.reason == .unauthorized && outdatedLanes.contains(lane) {
            lanes[lane].cancel(at: moment.elapsed)
            return
        }
        if failure.reason == .unauthorized && canRenew && renewedLanes.insert(lane).inserted {
            lanes[lane].fail(at: moment.elapsed, halt: .unauthorized)
            if renewalEnd == nil {
                actions.append(.renewAuthorization)
                renewalEnd = moment.elapsed + settings.cycleTimeout
            }
        } else if let schedule = failure.schedule(settings) {
            let delay = schedule.delay(after: count, wish: failure.wish, using: &generator)
            lanes[lane].fail(at: moment, delay: delay, failure.reason, isWished: failure.wish != nil)
            retry = delay
        } else {
            lanes[lane].fail(at: moment.elapsed, halt: failure.reason)
        }
        let processor = lane == 0 ? nil : processors[lane - 1]
        actions.append(.report(.failed(processor: processor, failure.reason, retry: retry)))
    }

    private mutating func finishChoice(
        _ mismatch: RemoteMismatch, _ choice: RemoteMismatch.Choice, at now: Duration
    ) {
        isChoosing = false
        actions.append(.report(.mismatch(mismatch, choice)))
        if choice == .keepApart || lanes[0].halt != .mismatch(mismatch) { return }
        lanes[0].endHalt()
        lanes[0].request(at: now)
    }

    private mutating func finishRenewal(_ succeeded: Bool, at now: Duration) {
        renewalEnd = nil
        actions.append(.report(.renewedAuthorization(succeeded: succeeded)))
        if !succeeded { return renewedLanes = Set(lanes.indices) }
        outdatedLanes = Set(lanes.indices.filter { lanes[$0].run != nil })
        for lane in lanes.indices where lanes[lane].halt == .unauthorized {
            lanes[lane].endHalt()
            lanes[lane].request(at: now)
        }
    }

    private mutating func abandonLateRuns(at moment: Moment, using generator: inout some RandomNumberGenerator) {
        for lane in lanes.indices {
            guard let run = lanes[lane].run, let deadline = lanes[lane].deadline, deadline <= moment.elapsed else {
                continue
            }
            actions.append(.cancel(lane: lane, run: run, isAbandoned: true))
            end(lane, .failed(RunFailure(reason: .timedOut)), at: moment, using: &generator)
        }
    }

    private mutating func beginRuns(at now: Duration) {
        guard canBegin else { return }
        for lane in lanes.indices {
            guard let start = lanes[lane].start, start <= now else { continue }
            let (run, isRetry) = lanes[lane].begin(at: now, timeout: timeout(of: lane))
            actions.append(.begin(lane: lane, run: run, isRetry: isRetry))
            outdatedLanes.remove(lane)
            if lane == 0 {
                counters.cycles += 1
                actions.append(.report(.cycleBegan))
            }
        }
    }

    /// Whether a bounded run is in progress.
    var isBounded: Bool { !boundedEnds.isEmpty }

    /// Whether runs may begin.
    var canBegin: Bool { listens || !isSuspended && phase != .stopping && isBounded }
}
