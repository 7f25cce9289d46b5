import DifferentialSyncTesting
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// The delays after each kind of failure, in virtual time and without a random part.
@Suite struct FailureScheduleTests {
    typealias Machine = CoordinatorStateTests.Machine

    private static let settings: CoordinatorSettings = {
        var settings = CoordinatorSettings()
        settings.retries.jitter = 0
        settings.throttledRetries.jitter = 0
        settings.incompatibleRetries.jitter = 0
        settings.busyRetries.jitter = 0
        return settings
    }()

    private static let usual = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]

    /// Kinds of failures with the delays after them in seconds.
    static let schedules: [(failure: RunFailure, delays: [Int])] = [
        (RunFailure(reason: .unavailable), usual),
        (RunFailure(reason: .unavailable, wish: 100), [100, 100, 100, 100, 100, 100, 128, 256, 300, 300]),
        (RunFailure(reason: .throttled), [20, 40, 80, 160, 320, 640, 900, 900, 900, 900]),
        (RunFailure(reason: .throttled, wish: 90), [90, 90, 90, 160, 320, 640, 900, 900, 900, 900]),
        (RunFailure(reason: .timedOut), usual),
        (RunFailure(reason: .store(PersistenceError(.full, "the disk is full"))), usual),
        (RunFailure(reason: .store(PersistenceError(.locked, "another process writes"))), usual),
        (RunFailure(reason: .store(PersistenceError(.ioFailure, "the disk fails"))), usual),
        (RunFailure(reason: .other("SomeError")), usual),
        (RunFailure(reason: .busy), [2, 4, 8, 16, 30, 30, 30, 30, 30, 30]),
        (
            RunFailure(reason: .incompatible("?")), [60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 30_720]
        ),
    ]

    /// Kinds of failures that only an action of the app ends.
    static let halts: [RunFailure] = [
        RunFailure(reason: .unauthorized), RunFailure(reason: .gone("the account was deleted")),
        RunFailure(reason: .store(PersistenceError(.closed, "the store is closed"))),
    ]

    private func started(processors: [String] = []) -> Machine {
        var machine = Machine(processors: processors, settings: Self.settings)
        machine.take(.started)
        return machine
    }

    @Test(arguments: schedules) func aFailingCycleWaitsLongerEachTime(failure: RunFailure, delays: [Int]) {
        var machine = started()
        for delay in delays {
            #expect(machine.end(0, .failed(failure)).isEmpty)
            #expect(machine.state.isIdle(at: machine.now) && !machine.state.isDone)
            guard case .waiting(_?, _) = machine.status else { return #expect(Bool(false), "\(machine.status)") }
            #expect(machine.wake() == (.seconds(delay), [0]))
        }
        machine.end(0, .cycle(StoreOutcome()))
        machine.take(.requested)
        machine.end(0, .failed(failure))
        #expect(machine.wake() == (.seconds(delays[0]), [0]), "a success ends the growth")
    }

    @Test(arguments: schedules) func aFailingProcessorWaitsLongerEachTimeAndDelaysNothingElse(
        failure: RunFailure, delays: [Int]
    ) {
        var machine = started(processors: ["a", "b"])
        machine.end(0, .cycle(StoreOutcome()))
        machine.end(2, .processor(ProcessorReport()))
        for (number, delay) in delays.enumerated() {
            machine.end(1, .failed(failure))
            let start = machine.now
            machine.take(.committed(sequence: Int64(number) + 1, .records))
            #expect(machine.wake() == (.milliseconds(500), [0, 2]))
            machine.end(0, .cycle(StoreOutcome()))
            machine.end(2, .processor(ProcessorReport()))
            #expect(machine.wake().lanes == [1])
            #expect(machine.now - start == .seconds(delay))
        }
    }

    @Test(arguments: halts) func aFailureThatTimeDoesNotEndWaitsForTheApp(failure: RunFailure) {
        var machine = started(processors: ["a"])
        machine.end(0, .failed(failure))
        machine.end(1, .failed(failure))
        machine.take(.committed(sequence: 1, .records))
        machine.take(.activityChanged(isActive: false))
        machine.take(.activityChanged(isActive: true))
        #expect(machine.state.nextWake == nil && machine.state.isIdle(at: machine.now) && !machine.state.isDone)
        guard case .waiting(nil, _) = machine.status else { return #expect(Bool(false), "\(machine.status)") }
        #expect(machine.take(.requested) == [0, 1])
    }

    @Test func aCycleWithPostponedChangesWaitsLongerEachTime() {
        var machine = started()
        var outcome = StoreOutcome()
        outcome.hasPostponed = true
        for delay in Self.usual {
            machine.end(0, .cycle(outcome))
            guard case .waiting(_?, .postponed) = machine.status else { return #expect(Bool(false)) }
            #expect(machine.wake() == (.seconds(delay), [0]))
        }
        machine.end(0, .cycle(StoreOutcome()))
        #expect(machine.state.isDone && machine.state.nextWake == nil)
    }

    @Test func aPostponedChangeDoesNotDelayOthers() {
        var machine = started()
        var outcome = StoreOutcome()
        (outcome.hasPostponed, outcome.retryAfter) = (true, 3_600)
        machine.end(0, .cycle(outcome))
        guard case .waiting(_?, .postponed) = machine.status else { return #expect(Bool(false)) }
        machine.take(.committed(sequence: 1, .records))
        #expect(machine.wake() == (.milliseconds(500), [0]))
        machine.end(0, .cycle(outcome))
        machine.take(.notified(nil))
        #expect(machine.wake() == (.milliseconds(500), [0]))
        machine.end(0, .cycle(outcome))
        #expect(machine.take(.requested) == [0])
        machine.end(0, .cycle(outcome))
        #expect(machine.wake().delay >= .seconds(3_600))
    }

    @Test func aProcessorWithPostponedRecordsWaitsLongerEachTime() {
        var machine = started(processors: ["a"])
        machine.end(0, .cycle(StoreOutcome()))
        var report = ProcessorReport()
        report.isIncomplete = true
        for delay in Self.usual {
            machine.end(1, .processor(report))
            #expect(machine.wake() == (.seconds(delay), [1]))
        }
        machine.end(1, .processor(ProcessorReport()))
        #expect(machine.state.isDone && machine.state.nextWake == nil)
    }

    @Test func failuresOfSeveralKindsCountTogether() {
        var machine = started()
        machine.end(0, .failed(RunFailure(reason: .timedOut)))
        #expect(machine.wake().delay == .seconds(2))
        machine.end(0, .failed(RunFailure(reason: .throttled)))
        #expect(machine.wake().delay == .seconds(40))
        machine.end(0, .failed(RunFailure(reason: .busy)))
        #expect(machine.wake().delay == .seconds(8))
    }

    @Test func onePageOfAProxyAfterAnOutageDoesNotDelayForLong() {
        var machine = started()
        for _ in 0..<20 {
            machine.end(0, .failed(RunFailure(reason: .unavailable)))
            #expect(machine.wake().lanes == [0])
        }
        machine.end(0, .failed(RunFailure(reason: .incompatible("?"))))
        #expect(machine.wake() == (.seconds(60), [0]))
        machine.end(0, .failed(RunFailure(reason: .incompatible("?"))))
        #expect(machine.wake() == (.seconds(120), [0]))
        machine.end(0, .failed(RunFailure(reason: .timedOut)))
        #expect(machine.wake().delay == .seconds(300))
        machine.end(0, .failed(RunFailure(reason: .incompatible("?"))))
        #expect(machine.wake().delay == .seconds(60))
    }

    @Test func aPostponedChangeDoesNotDelayTheCyclesAfterAFailure() {
        var machine = started()
        var outcome = StoreOutcome()
        outcome.hasPostponed = true
        for _ in 0..<20 {
            machine.end(0, .cycle(outcome))
            #expect(machine.wake().lanes == [0])
        }
        machine.end(0, .failed(RunFailure(reason: .timedOut)))
        #expect(machine.wake() == (.seconds(2), [0]))
        machine.end(0, .cycle(outcome))
        #expect(machine.wake() == (.seconds(300), [0]), "the change still waits for long")
    }
}
