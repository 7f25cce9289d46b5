import Foundation
import SyncCoordination
import Testing

/// The decisions of a coordinator about bounded runs, and about what is tried again later.
@Suite struct BoundedAndPostponedStateTests {
    private typealias Machine = CoordinatorStateTests.Machine

    @Test func boundedRunsThatOverlapEndOnlyTheirOwnTime() {
        var machine = Machine()
        machine.take(.boundedRunBegan(end: .seconds(10)))
        machine.now = .seconds(5)
        machine.take(.boundedRunBegan(end: .seconds(20)))
        machine.take(.boundedRunEnds(end: .seconds(10)))
        #expect(machine.cancellations == 0 && !machine.state.isEnding)
        // The cancellation of a run that has ended is of no effect.
        machine.take(.boundedRunEnds(end: .seconds(10)))
        #expect(machine.cancellations == 0)
        machine.take(.boundedRunEnds(end: .seconds(20)))
        #expect(machine.cancellations == 1 && machine.state.isEnding)
    }

    @Test func aBoundedRunDoesNotWaitForTheCommitsOfItsRuns() {
        var machine = Machine.settled(processors: ["a"])
        machine.take(.activityChanged(isActive: false))
        #expect(machine.take(.boundedRunBegan(end: .seconds(10))) == [0, 1])
        machine.end(0, .cycle(StoreOutcome()))
        var report = ProcessorReport()
        report.count = 1
        #expect(machine.end(1, .processor(report)) == [0])
    }

    @Test func aStoreThatCannotBeRefreshedIsSynchronized() {
        var machine = Machine.settled(processors: ["a"])
        machine.take(.requested)
        machine.end(0, .cycle(StoreOutcome()))
        machine.end(1, .processor(ProcessorReport()))
        machine.take(.refreshFailed)
        #expect(machine.wake() == (.milliseconds(500), [0, 1]))
    }

    @Test func aRenewalThatHasFailedIsTriedAgainOnlyByTheApp() {
        var machine = Machine.settled(processors: ["a"], canRenew: true)
        machine.take(.requested)
        machine.fail(RemoteError.unauthorized)
        machine.take(.renewedAuthorization(succeeded: false))
        machine.end(1, .failed(RunFailure(reason: .unauthorized)))
        #expect(machine.renewals == 1)
        machine.take(.requested)
        machine.fail(RemoteError.unauthorized)
        #expect(machine.renewals == 2)
    }

    @Test func nothingShortensTheDelayThatAProcessorHasSpecified() {
        var machine = Machine.settled(processors: ["a"])
        machine.take(.requested)
        machine.end(0, .cycle(StoreOutcome()))
        var report = ProcessorReport()
        report.isIncomplete = true
        machine.end(1, .processor(report))
        // Another record is postponed for longer.
        machine.take(.committed(sequence: 1, .records))
        #expect(machine.wake().lanes == [0, 1])
        machine.end(0, .cycle(StoreOutcome()))
        report.retryAfter = 600
        machine.end(1, .processor(report))
        for isReachable in [false, true] { machine.take(.reachabilityChanged(isReachable: isReachable)) }
        machine.end(0, .cycle(StoreOutcome()))
        #expect(machine.isRetry == false)
        machine.end(1, .processor(report))
        let (delay, lanes) = machine.wake()
        #expect(delay >= .seconds(599) && lanes == [1] && machine.isRetry)
    }

    @Test func theStatusNamesPostponedWork() {
        var machine = Machine.settled(processors: ["a"])
        machine.take(.requested)
        machine.end(0, .cycle(StoreOutcome()))
        var report = ProcessorReport()
        (report.isIncomplete, report.retryAfter) = (true, 60)
        machine.end(1, .processor(report))
        guard case .waiting(let date?, .postponed) = machine.status else {
            Issue.record("\(machine.status)")
            return
        }
        #expect(date.timeIntervalSinceReferenceDate >= 60)
        _ = machine.wake()
        machine.end(1, .processor(ProcessorReport()))
        #expect(machine.status == .idle(lastSync: Date(timeIntervalSinceReferenceDate: 0)))
    }

    @Test func recordsThatWerePostponedDoNotWaitForTheReceptionOfChanges() {
        var settings = CoordinatorSettings()
        settings.retries.jitter = 0
        var machine = Machine(processors: ["a"], settings: settings)
        machine.take(.started)
        machine.end(0, .cycle(StoreOutcome()))
        var report = ProcessorReport()
        (report.isIncomplete, report.failure) = (true, RunFailure(reason: .other("error")))
        for delay in [2, 4, 8] {
            machine.end(1, .processor(report))
            let start = machine.now
            var lanes: [Int] = []
            while lanes.isEmpty { lanes = machine.wake().lanes }
            #expect(lanes == [1] && machine.now - start == .seconds(delay))
        }
        #expect(machine.isRetry)
    }
}
