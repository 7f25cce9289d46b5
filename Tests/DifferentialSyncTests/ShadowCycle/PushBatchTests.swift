import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// Large local diffs go out in pushes of bounded size.
struct PushBatchTests {
    /// A device with additions of the given keys, and a remote that it knows.
    static func world(_ keys: Range<Int>) throws -> (SimulatedRemote<Item, Int>, JournaledCollection<Item, Int>) {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(-1)])
        var device = try JournaledCollection<Item, Int>([])
        try remote.synchronize(&device, pushID: "start", policy: .unexpected)
        for key in keys { try device.insert(Item(key)) }
        return (remote, device)
    }

    @Test func eachPushHoldsUpToTheLimitAndHasANameOfItsOwn() throws {
        var (remote, device) = try Self.world(0..<25)
        var pushes: [(String, Int)] = []
        var cycle = SyncCycleTests.cycle(pushID: "a", limit: PushLimit(count: 10))
        var step = try cycle.begin(&device)
        while let push = step.push {
            pushes.append((push.id, push.changes.add.count))
            step = try cycle.pushed(remote.push(push), &device)
        }
        #expect(pushes.map(\.0) == ["a", "a.2", "a.3"])
        #expect(pushes.map(\.1) == [10, 10, 5])
        #expect(step.outcome?.ending == .synced)
        #expect(step.outcome?.counts.pushed.added == 25)
        #expect(remote.elements == Array(device))
    }

    @Test func aWeightBoundsAPushThatHoldsAtLeastOneChange() throws {
        var (remote, device) = try Self.world(0..<1)
        for (key, weight) in [(1, 4), (2, 5), (3, 1), (4, 50), (5, 9), (6, 2)] {
            try device.upsert(Item(key, weight))
        }
        let limit = PushLimit<Item>(weight: 10) { $0.value }
        #expect(limit.weight == 10 && limit.count == PushLimit<Item>.default.count)
        #expect(PushLimit<Item>(count: 3).weight == .max)
        var cycle = SyncCycleTests.cycle(limit: limit)
        var step = try cycle.begin(&device)
        var weights: [[Int]] = []
        while let push = step.push {
            weights.append(push.changes.add.map(\.value))
            step = try cycle.pushed(remote.push(push), &device)
        }
        #expect(weights == [[0, 4, 5, 1], [50], [9], [2]])
        #expect(remote.elements == Array(device))
    }

    @Test func aPushRefusedBetweenOthersIsMergedAndTheRestFollows() throws {
        var (remote, device) = try Self.world(0..<6)
        var other = try JournaledCollection<Item, Int>([])
        try remote.synchronize(&other, pushID: "other", policy: .unexpected)
        var pushes = 0
        let cycle = SyncCycleTests.cycle(.localWins, maximumRounds: 2, limit: PushLimit(count: 2))
        let outcome = try remote.synchronize(
            &device, by: cycle,
            deliver: {
                .delivered
            },
            whilePushing: { device, remote in
                pushes += 1
                // Between the second and the third push another device changes the remote.
                if pushes == 2 {
                    try other.upsert(Item(5, 9))
                    try other.upsert(Item(7, 9))
                    try remote.synchronize(&other, pushID: "interruption", policy: .unexpected)
                }
            })
        #expect(outcome.ending == .synced)
        #expect(pushes == 4, "two accepted, one refused, and the last one again")
        #expect(outcome.counts.pushed == ChangeCounts(added: 5, replaced: 1))
        #expect(outcome.counts.resolved == 1)
        #expect(device.map(\.id).sorted() == [-1, 0, 1, 2, 3, 4, 5, 7])
        #expect(device[5] == Item(5) && device[7] == Item(7, 9))
        #expect(Set(device) == Set(remote.elements))
    }

    @Test func anElementEditedBeforeItsTurnIsPushedAsItIsThen() throws {
        var (remote, device) = try Self.world(0..<4)
        var pushes = 0
        try remote.synchronize(
            &device, by: SyncCycleTests.cycle(limit: PushLimit(count: 2)),
            whilePushing: { device, _ in
                pushes += 1
                if pushes == 1 {
                    try device.update(Item(2, 7))
                    device.remove(3)
                    try device.update(Item(0, 8))
                }
            })
        #expect(pushes == 3, "the edit of an element that had been sent takes a push of its own")
        #expect(Set(remote.elements) == [Item(-1), Item(0, 8), Item(1), Item(2, 7)])
        #expect(device.localDiff == nil)
    }

    @Test func aNameThatTheRemoteKnowsIsRefused() throws {
        let version = RemoteVersion(epoch: "e", commit: "phone 1")
        var device = try JournaledCollection([Item(1)], version: version)
        try device.update(Item(1, 1))
        let before = device.stored
        var cycle = SyncCycleTests.cycle(pushID: "phone 1")
        let error = #expect(throws: CycleError.self) { try cycle.begin(&device) }
        #expect(error?.code == .usedName)
        #expect(
            error?.description == """
                an earlier push has the name 'phone 1': give each cycle a name that no other cycle of any device has
                """)
        #expect(device.stored == before)
        var other = SyncCycleTests.cycle(pushID: "phone 10")
        #expect(try other.begin(&device).push?.id == "phone 10")
        #expect(try other.failed().outcome != nil)
        // The name of the push in doubt is used too, and so is that of a commit of another device.
        var third = SyncCycleTests.cycle(pushID: "phone 10")
        #expect(throws: CycleError.self) { try third.begin(&device) }
        var fresh = try JournaledCollection<Item, Int>([])
        var first = SyncCycleTests.cycle(pushID: "phone 1")
        _ = try first.begin(&fresh)
        #expect(throws: CycleError.self) { try first.pulled(.everything([Item(1)], version), &fresh) }
        #expect(fresh.isEmpty)
    }
}
