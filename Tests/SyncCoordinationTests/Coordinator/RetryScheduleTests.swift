import DifferentialSyncTesting
import SyncCoordination
import Testing

/// The delays after failures.
@Suite struct RetryScheduleTests {
    private let schedule = RetrySchedule(first: .seconds(2), longest: .seconds(60))

    @Test func delaysGrowUpToTheLongest() {
        var generator = SeededGenerator(seed: 1)
        var steady = schedule
        steady.jitter = 0
        let delays = (1...8).map { steady.delay(after: $0, wish: nil, using: &generator) }
        #expect(delays == [2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test func theRandomPartOnlyShortensADelay() {
        var generator = SeededGenerator(seed: 2)
        let delays = (0..<200).map { _ in schedule.delay(after: 3, wish: nil, using: &generator) }
        #expect(delays.allSatisfy { $0 > .seconds(4) && $0 <= .seconds(8) })
        #expect(Set(delays).count > 150)
    }

    @Test func aDelayIsNeverShorterThanTheRemoteWants() {
        var generator = SeededGenerator(seed: 3)
        let delays = (0..<200).map { _ in schedule.delay(after: 1, wish: 30, using: &generator) }
        #expect(delays.allSatisfy { $0 >= .seconds(30) && $0 < .seconds(32) })
        #expect(Set(delays).count > 150)
        #expect(schedule.delay(after: 6, wish: 1, using: &generator) > .seconds(20))
    }

    @Test(arguments: [Int.max, Int.min, -1, 0, 86_401]) func noWishOfARemoteLastsLongerThanADay(wish: Int) {
        var generator = SeededGenerator(seed: 4)
        let delay = schedule.delay(after: 1, wish: wish, using: &generator)
        #expect(delay > .zero && delay <= .seconds(86_400 * 1.05))
    }

    @Test(arguments: [0, -1, .nan, .infinity, 1e300]) func senselessSchedulesHaveFiniteDelays(number: Double) {
        var generator = SeededGenerator(seed: 5)
        for first in [Duration.seconds(-1), .zero, .seconds(1), .seconds(1e9)] {
            let schedule = RetrySchedule(first: first, factor: number, longest: .seconds(60), jitter: number)
            let delay = schedule.delay(after: .max, wish: nil, using: &generator)
            #expect(delay >= .zero && delay <= .seconds(60))
        }
    }
}
