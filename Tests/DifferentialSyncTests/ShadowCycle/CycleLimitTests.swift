import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// Limits that a caller gives, of any size.
struct CycleLimitTests {
    @Test(arguments: [0, -1, .min])
    func aCycleWithoutRoundsOrChangesIsAnError(number: Int) throws {
        let cycles = [
            (
                SyncCycleTests.cycle(maximumRounds: number),
                "a cycle has at least one round, not \(number): give 'maximumRounds' 1 or more"
            ),
            (
                SyncCycleTests.cycle(limit: PushLimit(count: number)),
                "a push holds at least one change, not \(number): give 'limit' a count of 1 or more"
            ),
            (
                SyncCycleTests.cycle(limit: PushLimit(count: number, weight: 1) { _ in 1 }),
                "a push holds at least one change, not \(number): give 'limit' a count of 1 or more"
            ),
        ]
        for (cycle, text) in cycles {
            var (cycle, items) = (cycle, try SyncCycleTests.device())
            let before = items.stored
            let error = #expect(throws: CycleError.self) { try cycle.begin(&items) }
            #expect(error?.code == .invalidLimit)
            #expect(error?.description == text)
            #expect(items.stored == before)
        }
    }

    @Test(arguments: [.min, -1, 0, 1, .max] as [Int], [.min, -1, 0, 1, .max] as [Int])
    func anyWeightIsUnderstood(weight: Int, limit: Int) throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var device = try JournaledCollection<Item, Int>([])
        for round in 1...2 {
            for key in 1...3 { try device.upsert(Item(key, round)) }
            let cycle = SyncCycle<Item, Int>(
                pushID: "\(round)", limit: PushLimit(count: .max, weight: limit) { _ in weight }, policy: .unexpected)
            #expect(try remote.synchronize(&device, by: cycle).isSynced)
            #expect(remote.elements == Array(device))
        }
    }

    @Test func manyRoundsAreNoError() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var device = try JournaledCollection([Item(1)])
        #expect(try remote.synchronize(&device, by: SyncCycleTests.cycle(maximumRounds: .max)).isSynced)
    }
}
