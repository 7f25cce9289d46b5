import DifferentialSyncTesting
import Foundation
import SyncCoordination
import SyncPersistence
import Testing

/// The decisions of a coordinator, without a store, a remote and a clock.
@Suite struct CoordinatorStateTests {
    /// A state with a time that tests advance, and the actions so far.
    struct Machine {
        var state: CoordinatorState
        var now = Duration.zero
        var generator = SeededGenerator(seed: 7)

        init(
            processors: [String] = [], canRenew: Bool = false, settings: CoordinatorSettings = CoordinatorSettings()
        ) {
            state = CoordinatorState(settings: settings, processors: processors, canRenew: canRenew)
        }

        /// Takes an event; returns the lanes whose runs begin.
        @discardableResult
        mutating func take(_ event: CoordinatorState.Event) -> [Int] {
            let moment = Moment(elapsed: now, date: Date(timeIntervalSinceReferenceDate: 0))
            return state.handle(event, at: moment, using: &generator).compactMap { action in
                if case .begin(let lane, let run, let isRetry) = action {
                    runs[lane] = run
                    self.isRetry = isRetry
                    return lane
                }
                others.append(action)
                return nil
            }
        }

        /// Whether the last run that has begun tries postponed work again.
        var isRetry = false

        /// The last run of each lane.
        var runs: [Int: Int] = [:]

        var others: [CoordinatorState.Action] = []

        @discardableResult
        mutating func end(_ lane: Int, _ result: RunResult) -> [Int] {
            take(.ended(lane: lane, run: runs[lane] ?? 0, result))
        }

        /// Ends a cycle by an error.
        mutating func fail(_ error: any Error) { end(0, .failed(RunFailure(error))) }

        /// Advances to the next time that matters; returns how long that takes, and the lanes that begin.
        mutating func wake() -> (delay: Duration, lanes: [Int]) {
            guard let wake = state.nextWake else { return (.seconds(-1), []) }
            let delay = wake - now
            now = wake
            return (delay, take(.timePassed))
        }

        var status: SyncStatus { state.status(at: now) }
    }

    @Test func aStartAfterAStopInTheBackgroundBeginsAgain() {
        var machine = Machine.settled()
        machine.take(.activityChanged(isActive: false))
        machine.take(.reachabilityChanged(isReachable: false))
        machine.take(.stopRequested)
        #expect(machine.take(.started) == [0])
    }

    @Test func aStartBeginsACycleAndAllProcessors() {
        var machine = Machine(processors: ["a", "b"])
        #expect(machine.take(.notified(nil)).isEmpty && machine.state.nextWake == nil && machine.status == .stopped)
        #expect(machine.take(.started) == [0, 1, 2])
        #expect(machine.take(.started).isEmpty)
        #expect(machine.status == .syncing(fraction: nil))
    }

    @Test func oneCycleRunsAtATime() {
        var machine = Machine()
        machine.take(.started)
        #expect(machine.take(.requested).isEmpty)
        #expect(machine.take(.requested).isEmpty)
        #expect(machine.end(0, .cycle(StoreOutcome())) == [0])
        #expect(machine.end(0, .cycle(StoreOutcome())).isEmpty)
        #expect(machine.state.isIdle(at: machine.now) && machine.state.isDone)
    }

    @Test func editsThatFollowEachOtherAreSentTogether() {
        var machine = Machine.settled()
        for number in 0..<3 {
            #expect(machine.take(.committed(sequence: Int64(number) + 1, .records)).isEmpty)
            #expect(!machine.state.isIdle(at: machine.now))
            machine.now += .milliseconds(300)
        }
        #expect(machine.wake().lanes == [0])
        #expect(machine.now == .milliseconds(1_100))
    }

    @Test func endlessTypingDoesNotPreventCycles() {
        var machine = Machine.settled()
        var begun: [Int] = []
        var count: Int64 = 0
        while begun.isEmpty && count < 100 {
            count += 1
            begun = machine.take(.committed(sequence: count, .records))
            machine.now += .milliseconds(100)
        }
        #expect(begun == [0])
        #expect(machine.now <= .milliseconds(5_100) && machine.now > .seconds(4))
    }

    @Test func commitsOfACycleDoNotBeginAnother() {
        var machine = Machine()
        machine.take(.started)
        machine.take(.progressed(lane: 0, run: 1, fraction: 0.5, commit: 1))
        #expect(machine.status == .syncing(fraction: 0.5))
        machine.take(.committed(sequence: 1, .records))
        machine.take(.progressed(lane: 0, run: 1, fraction: nil, commit: 2))
        machine.end(0, .cycle(StoreOutcome()))
        // The store's stream may be late.
        machine.take(.committed(sequence: 2, .records))
        #expect(machine.state.nextWake == nil && machine.state.isDone)
    }

    @Test func aCommitOfTheAppDuringACycleBeginsAnother() {
        var machine = Machine()
        machine.take(.started)
        machine.take(.committed(sequence: 1, .records))
        machine.take(.progressed(lane: 0, run: 1, fraction: nil, commit: 2))
        machine.take(.committed(sequence: 2, .records))
        machine.end(0, .cycle(StoreOutcome()))
        #expect(machine.wake().lanes == [0])
    }

    @Test func aGapInTheCommitsIsAChangeOfAnotherProcess() {
        var machine = Machine.settled(processors: ["a"])
        machine.take(.started)
        machine.take(.committed(sequence: 1, .records))
        #expect(machine.wake().lanes == [0, 1])
        machine.take(.progressed(lane: 0, run: machine.runs[0] ?? 0, fraction: nil, commit: 3))
        machine.end(0, .cycle(StoreOutcome()))
        machine.end(1, .processor(ProcessorReport()))
        machine.take(.committed(sequence: 3, .other))
        #expect(machine.wake().lanes == [0, 1])
    }

    @Test(arguments: [
        RemoteError.later(), .later(after: 40), .throttled(), .throttled(after: 90), .handshakeNeeded("?"),
        .incompatible("?"),
    ])
    func eachFailureHasItsDelayWhichTypingDoesNotShorten(error: RemoteError) {
        var machine = Machine.settled()
        machine.take(.requested)
        machine.fail(error)
        var last = Duration.zero
        for failure in 0..<12 {
            #expect(machine.state.isIdle(at: machine.now))
            machine.now += .milliseconds(1)
            machine.take(.committed(sequence: Int64(failure) + 1, .records))
            machine.take(.notified(nil))
            let (delay, lanes) = machine.wake()
            #expect(lanes == [0])
            if failure == 0 { #expect(delay > bounds(error).first / 2 - .milliseconds(2)) }
            #expect(delay <= bounds(error).longest)
            last = delay
            machine.fail(error)
        }
        #expect(last > bounds(error).longest / 2 - .milliseconds(2))
        _ = machine.wake()
        machine.end(0, .cycle(StoreOutcome()))
        machine.take(.requested)
        machine.fail(error)
        #expect(machine.wake().delay <= bounds(error).first * 1.05, "a success ends the growth")
    }

    private func bounds(_ error: RemoteError) -> (first: Duration, longest: Duration) {
        switch error {
        case .later(nil), .handshakeNeeded: (.seconds(2), .seconds(300))
        case .later: (.seconds(40), .seconds(300))
        case .throttled(nil): (.seconds(20), .seconds(900))
        case .throttled: (.seconds(90), .seconds(900))
        default: (.seconds(60), .seconds(86_400))
        }
    }

    @Test func aPersonMayEndADelayButNotOneThatTheRemoteWants() {
        var machine = Machine.settled()
        machine.take(.requested)
        machine.fail(RemoteError.later())
        #expect(machine.take(.requested) == [0])
        machine.fail(RemoteError.throttled(after: 60))
        #expect(machine.take(.requested).isEmpty)
        #expect(machine.take(.reachabilityChanged(isReachable: false)).isEmpty)
        #expect(machine.take(.reachabilityChanged(isReachable: true)).isEmpty)
        guard case .waiting(_?, .throttled) = machine.status else { return #expect(Bool(false)) }
        #expect(machine.wake().delay >= .seconds(60))
    }

    @Test func aReachableNetworkEndsADelay() {
        var machine = Machine.settled()
        machine.take(.requested)
        machine.fail(RemoteError.later())
        machine.take(.reachabilityChanged(isReachable: false))
        #expect(machine.status == .waiting(until: nil, .offline) && machine.state.nextWake == nil)
        #expect(machine.take(.requested).isEmpty)
        #expect(machine.take(.reachabilityChanged(isReachable: true)) == [0])
    }

    @Test func nothingBeginsWhileTheAppIsInactive() {
        var machine = Machine.settled()
        machine.take(.activityChanged(isActive: false))
        machine.take(.committed(sequence: 1, .records))
        #expect(machine.state.nextWake == nil && machine.state.isIdle(at: machine.now) && !machine.state.isDone)
        #expect(machine.take(.activityChanged(isActive: true)) == [0])
    }

    @Test func nothingBeginsWhileSuspended() {
        var machine = Machine.settled()
        machine.take(.suspended)
        #expect(machine.take(.requested).isEmpty && machine.status == .suspended)
        #expect(machine.take(.boundedRunBegan(end: .seconds(10))).isEmpty)
        #expect(machine.take(.resumed) == [0])
    }

    @Test func aTokenIsRenewedOncePerRefusal() {
        var machine = Machine.settled(canRenew: true)
        machine.take(.requested)
        machine.fail(RemoteError.unauthorized)
        #expect(machine.renewals == 1 && !machine.state.isIdle(at: machine.now))
        #expect(machine.take(.renewedAuthorization(succeeded: true)) == [0])
        machine.fail(RemoteError.unauthorized)
        #expect(machine.renewals == 1 && machine.status == .waiting(until: nil, .unauthorized))
        machine.take(.committed(sequence: 1, .records))
        #expect(machine.state.nextWake == nil)
        #expect(machine.take(.requested) == [0])
        machine.end(0, .cycle(StoreOutcome()))
        machine.take(.requested)
        machine.fail(RemoteError.unauthorized)
        #expect(machine.renewals == 2)
        machine.take(.renewedAuthorization(succeeded: false))
        #expect(machine.status == .waiting(until: nil, .unauthorized) && machine.state.isIdle(at: machine.now))
    }

    @Test func aRunWithTheTokenBeforeIsMadeAgain() {
        var machine = Machine(processors: ["a"], canRenew: true)
        machine.take(.started)
        machine.fail(RemoteError.unauthorized)
        #expect(machine.take(.renewedAuthorization(succeeded: true)) == [0])
        #expect(machine.end(1, .failed(RunFailure(reason: .unauthorized))) == [1])
        #expect(machine.renewals == 1)
    }

    @Test func aRenewalThatNeverEndsBlocksNothingForGood() {
        var machine = Machine.settled(canRenew: true)
        machine.take(.requested)
        machine.fail(RemoteError.unauthorized)
        #expect(machine.wake().delay == .seconds(180))
        #expect(machine.state.isIdle(at: machine.now) && machine.status == .waiting(until: nil, .unauthorized))
    }

    @Test func aRemoteWithoutNotificationsIsPolled() {
        var settings = CoordinatorSettings()
        settings.pollInterval = .seconds(60)
        var machine = Machine(settings: settings)
        machine.take(.started)
        machine.end(0, .cycle(StoreOutcome()))
        #expect(machine.state.isIdle(at: machine.now) && machine.state.isDone)
        #expect(machine.wake() == (.seconds(60), [0]))
        machine.fail(RemoteError.throttled(after: 600))
        #expect(machine.wake().delay >= .seconds(600))
        machine.end(0, .cycle(StoreOutcome()))
        machine.take(.activityChanged(isActive: false))
        #expect(machine.state.nextWake == nil)
    }

    @Test func theMetadataOfTheAppIsNotSent() {
        var machine = Machine.settled()
        machine.take(.committed(sequence: 1, .metadata))
        #expect(machine.state.nextWake == nil)
        machine.take(.committed(sequence: 2, .other))
        #expect(machine.wake().lanes == [0], "a refusal may have been released")
    }

    @Test func aMismatchWaitsForAChoice() {
        let mismatch = RemoteMismatch.account(store: "a", remote: "b")
        var machine = Machine.settled()
        machine.take(.requested)
        machine.end(0, .failed(RunFailure(reason: .mismatch(mismatch))))
        #expect(machine.others.contains { if case .choose(mismatch) = $0 { true } else { false } })
        #expect(machine.take(.requested).isEmpty && machine.state.nextWake == nil)
        #expect(machine.status == .waiting(until: nil, .mismatch(mismatch)))
        #expect(!machine.state.isIdle(at: machine.now))
        #expect(machine.take(.chose(mismatch, .keepApart)).isEmpty && machine.state.isIdle(at: machine.now))
        machine.take(.committed(sequence: 1, .records))
        #expect(machine.state.nextWake == nil, "an edit changes nothing about the mismatch")
        #expect(machine.take(.requested) == [0], "the app may choose otherwise now")
        machine.end(0, .failed(RunFailure(reason: .mismatch(mismatch))))
        #expect(machine.take(.chose(mismatch, .merge)) == [0])
        #expect(machine.state.counters.failures == 0)
    }

    @Test func aMissingAccountIsNotAskedForAgainByItself() {
        var machine = Machine.settled()
        machine.take(.requested)
        machine.fail(RemoteError.gone("deleted"))
        machine.take(.committed(sequence: 1, .records))
        machine.take(.reachabilityChanged(isReachable: false))
        machine.take(.reachabilityChanged(isReachable: true))
        #expect(machine.state.nextWake == nil && machine.status == .waiting(until: nil, .gone("deleted")))
    }

    @Test func aCycleOfAnotherProcessIsWaitedFor() {
        var machine = Machine.settled()
        machine.take(.requested)
        machine.fail(PersistenceError(.cycleOvertaken, "another cycle"))
        guard case .waiting(_?, .busy) = machine.status else { return #expect(Bool(false)) }
        #expect(machine.wake().delay <= .seconds(2))
    }

    @Test func aRunThatNeverEndsIsAbandoned() {
        var machine = Machine()
        machine.take(.started)
        machine.now += .seconds(100)
        machine.take(.progressed(lane: 0, run: 1, fraction: nil, commit: nil))
        #expect(machine.wake().delay == .seconds(180))
        guard case .waiting(_?, .timedOut) = machine.status else { return #expect(Bool(false)) }
        #expect(machine.cancellations == 1)
        _ = machine.wake()
        machine.take(.ended(lane: 0, run: 1, .cycle(StoreOutcome())))
        #expect(machine.status == .syncing(fraction: nil), "the late result counts for nothing")
    }

    @Test func aStopWaitsForWhatRunsAndNotForGood() {
        var machine = Machine(processors: ["a"])
        machine.take(.started)
        machine.take(.stopRequested)
        #expect(machine.cancellations == 2 && !machine.state.isStill)
        machine.end(0, .cancelled)
        #expect(!machine.state.isStill && machine.status == .syncing(fraction: nil))
        _ = machine.wake()
        #expect(machine.state.isStill && machine.status == .stopped && machine.state.nextWake == nil)
        #expect(machine.take(.started).contains(0))
    }

    @Test func aBoundedRunWorksWithoutAStartAndEndsInTime() {
        var machine = Machine()
        #expect(machine.take(.boundedRunBegan(end: .seconds(10))) == [0])
        machine.now += .seconds(9)
        machine.take(.boundedRunEnds(end: .seconds(10)))
        #expect(machine.cancellations == 1 && machine.state.isEnding && !machine.state.isStill)
        #expect(machine.wake().delay == .seconds(1))
        #expect(machine.state.isStill && !machine.state.isDone)
    }

    @Test func postponedRecordsOfAProcessorDoNotDelayOthers() {
        var machine = Machine.settled(processors: ["a"])
        machine.take(.requested)
        machine.end(0, .cycle(StoreOutcome()))
        var report = ProcessorReport()
        report.isIncomplete = true
        report.retryAfter = 60
        machine.end(1, .processor(report))
        #expect(machine.state.isIdle(at: machine.now))
        machine.take(.committed(sequence: 1, .records))
        #expect(machine.wake() == (.milliseconds(500), [0, 1]))
        machine.end(0, .cycle(StoreOutcome()))
        machine.end(1, .processor(report))
        let (delay, lanes) = machine.wake()
        #expect(delay > .seconds(59) && lanes == [1])
    }
}

extension CoordinatorStateTests.Machine {
    /// A coordinator after a first cycle that had nothing to do.
    static func settled(processors: [String] = [], canRenew: Bool = false) -> Self {
        var machine = Self(processors: processors, canRenew: canRenew)
        machine.take(.started)
        machine.end(0, .cycle(StoreOutcome()))
        for lane in 0..<processors.count { machine.end(lane + 1, .processor(ProcessorReport())) }
        return machine
    }

    /// How often a renewal was requested.
    var renewals: Int {
        others.count { if case .renewAuthorization = $0 { true } else { false } }
    }

    /// How many runs were cancelled.
    var cancellations: Int {
        others.count { if case .cancel = $0 { true } else { false } }
    }
}
