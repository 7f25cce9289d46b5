import DifferentialSyncTesting
import SyncPersistence
import Testing

/// A clock that a test advances.
@Suite struct VirtualClockTests {
    private let clock = VirtualClock()

    @Test func itStandsStillUntilItIsAdvanced() {
        let start = clock.now
        #expect(clock.now == start && start.elapsed == .zero)
        clock.advance(by: .seconds(3))
        #expect(start.duration(to: clock.now) == .seconds(3))
    }

    @Test func aTaskSleepsUntilItsTime() async throws {
        let isAwake = Locked(false)
        let task = Task {
            try await clock.sleep(for: .seconds(2))
            isAwake.exchange(with: true)
        }
        await clock.waitForSleepers()
        #expect(clock.nextDeadline?.elapsed == .seconds(2))
        clock.advance(by: .seconds(1))
        #expect(clock.nextDeadline?.elapsed == .seconds(2) && !isAwake.current)
        clock.advance(by: .seconds(1))
        try await task.value
        #expect(isAwake.current && clock.nextDeadline == nil)
    }

    @Test func aPastTimeIsNotWaitedFor() async throws {
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: VirtualClock.Instant(elapsed: .seconds(5)))
        try await clock.sleep(for: .seconds(-1))
    }

    @Test func aCancelledTaskDoesNotSleep() async throws {
        let task = Task { try await clock.sleep(for: .seconds(2)) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.nextDeadline == nil)
        let second = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(2))
        }
        await #expect(throws: CancellationError.self) { try await second.value }
    }

    @Test func itAdvancesToTheNextDeadlineUnlessThatIsTooLate() async throws {
        #expect(!clock.advanceToNextDeadline(within: .seconds(9)) && clock.now.elapsed == .zero)
        let tasks = [5, 2].map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        await clock.waitForSleepers(2)
        #expect(clock.advanceToNextDeadline(within: .seconds(2)) && clock.now.elapsed == .seconds(2))
        try await tasks[1].value
        #expect(!clock.advanceToNextDeadline(within: .milliseconds(2_999)) && clock.now.elapsed == .seconds(2))
        #expect(clock.advanceToNextDeadline(within: .seconds(3)) && clock.now.elapsed == .seconds(5))
        try await tasks[0].value
        #expect(clock.nextDeadline == nil)
    }

    @Test func severalSleepersAreCounted() async throws {
        let tasks = [3, 1, 2].map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        await clock.waitForSleepers(3)
        #expect(clock.nextDeadline?.elapsed == .seconds(1))
        clock.advance(by: .seconds(2))
        #expect(clock.nextDeadline?.elapsed == .seconds(3))
        clock.advance(by: .seconds(1))
        for task in tasks { try await task.value }
    }

    @Test(arguments: [true, false]) func aTestThatWaitsForSleepersCanBeCancelled(isBefore: Bool) async throws {
        let (isRunning, hasEnded) = (Locked(false), Locked(false))
        let test = Task {
            if isBefore { withUnsafeCurrentTask { $0?.cancel() } }
            isRunning.exchange(with: true)
            await clock.waitForSleepers()
            hasEnded.exchange(with: true)
        }
        while !isRunning.current { await Task.yield() }
        test.cancel()
        for _ in 0..<100_000 where !hasEnded.current { await Task.yield() }
        #expect(hasEnded.current)
        // This also ends a test that goes on waiting, and shows that a later one is still told of a sleeper.
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await test.value
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        try await sleeper.value
    }
}
