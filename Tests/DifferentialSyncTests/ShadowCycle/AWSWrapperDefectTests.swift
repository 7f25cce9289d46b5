import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// The nine defects of AWSWrapper, the sync that was built on DS, each shown to be absent.
struct AWSWrapperDefectTests {
    typealias Device = JournaledCollection<Item, Int>

    /// A remote with three items, and as many devices that have synced with it.
    static func world(devices: Int) throws -> (SimulatedRemote<Item, Int>, [Device]) {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        let first = try JournaledCollection(restoring: StoredCollection(client: [Item(1), Item(2), Item(3)]))
        var all = [first]
        for _ in 1..<max(1, devices) { all.append(try JournaledCollection(restoring: StoredCollection(client: []))) }
        for index in all.indices {
            try remote.synchronize(&all[index], pushID: "start \(index)", policy: .unexpected)
        }
        return (remote, all)
    }

    @Test func pushWithReplacementsSucceedsAtTheFirstAttempt() throws {
        var (remote, devices) = try Self.world(devices: 1)
        try devices[0].update(Item(1, 1))
        try devices[0].insert(Item(4))
        devices[0].remove(2)
        var cycle = SyncCycle<Item, Int>(pushID: "a", policy: .unexpected)
        let push = try #require(cycle.begin(&devices[0]).push)
        #expect(try cycle.pushed(remote.push(push), &devices[0]).outcome?.isSynced == true)
        #expect(remote.elements == [Item(1, 1), Item(3), Item(4)])
        #expect(devices[0].localDiff == nil)
    }

    @Test func additionConflictsWithAnotherDevicesAdditionOfTheSameKey() throws {
        var (remote, devices) = try Self.world(devices: 2)
        try devices[0].insert(Item(9, 1))
        try devices[1].insert(Item(9, 2))
        try remote.synchronize(&devices[0], pushID: "a", policy: .unexpected)
        var conflicts = 0
        try remote.synchronize(
            &devices[1], pushID: "b",
            policy: ConflictPolicy { conflict in
                #expect(conflict.kind == .bothAdded)
                return .remote
            },
            deliver: {
                conflicts += 1
                return .delivered
            })
        #expect(conflicts == 2, "the push was refused, and what was pulled needed no second one")
        #expect(remote.elements.contains(Item(9, 1)) && devices[1][9] == Item(9, 1))
    }

    @Test func epochOfANewCollectionIsKeptSoLaterDeletionsPersist() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var device = try JournaledCollection(restoring: StoredCollection(client: [Item(1), Item(2)]))
        try remote.synchronize(&device, pushID: "a", policy: .unexpected)
        #expect(device.version == remote.version)
        device.remove(2)
        try remote.synchronize(&device, pushID: "b", policy: .unexpected)
        #expect(remote.elements == [Item(1)])
        #expect(Array(device) == [Item(1)])
    }

    @Test func changesMergedAfterAResetSurviveAFailedPush() throws {
        var (remote, devices) = try Self.world(devices: 1)
        devices[0].remove(2)
        try devices[0].insert(Item(7))
        remote.reset(to: [Item(1), Item(2), Item(3), Item(4)])
        // The first push finds the epoch changed, and the second one is lost.
        var messages = 0
        let lost = try remote.synchronize(&devices[0], pushID: "a", policy: .unexpected) {
            messages += 1
            return messages < 3 ? .delivered : .requestLost
        }
        #expect(lost.ending == .inDoubt(pushID: "a.2"))
        #expect(devices[0].version == remote.version)
        #expect(devices[0].localDiff?.deletions == [Item(2)], "the deletion is still known")
        try remote.synchronize(&devices[0], pushID: "b", policy: .unexpected)
        #expect(Set(remote.elements) == [Item(1), Item(3), Item(4), Item(7)])
        #expect(Set(devices[0]) == Set(remote.elements))
    }

    @Test func unreadableResponseIsNotTreatedAsAnEmptyRemote() throws {
        var (remote, devices) = try Self.world(devices: 1)
        try devices[0].update(Item(1, 1))
        var cycle = SyncCycle<Item, Int>(pushID: "a", recognizesPushes: true, policy: .unexpected)
        _ = try cycle.begin(&devices[0])
        _ = try cycle.pushed(.refused, &devices[0])
        // The caller cannot read the pulled item: it has no other way than to report a failure.
        #expect(try cycle.failed().outcome != nil)
        #expect(remote.elements == [Item(1), Item(2), Item(3)])
        #expect(devices[0].localDiff != nil)
        #expect(remote.pull(since: devices[0].version) != .nothing)
        try remote.synchronize(&devices[0], pushID: "b", policy: .unexpected)
        #expect(remote.elements.first == Item(1, 1))
    }

    @Test func secondDeviceThatFindsNoCollectionMergesWithTheFirst() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var first = try JournaledCollection(restoring: StoredCollection(client: [Item(1), Item(2)]))
        var second = try JournaledCollection(restoring: StoredCollection(client: [Item(2), Item(3)]))
        var one = SyncCycle<Item, Int>(pushID: "a", policy: .unexpected)
        var two = SyncCycle<Item, Int>(pushID: "b", recognizesPushes: true, policy: .unexpected)
        _ = try one.begin(&first)
        _ = try two.begin(&second)
        let onePush = try #require(one.pulled(remote.pull(since: nil), &first).push)
        let twoPush = try #require(two.pulled(remote.pull(since: nil), &second).push)
        #expect(try one.pushed(remote.push(onePush), &first).outcome?.isSynced == true)
        #expect(try two.pushed(remote.push(twoPush), &second).pullsSince == .some(nil))
        let again = try #require(two.pulled(remote.pull(since: nil), &second).push)
        #expect(again.changes == Diff([.add(Item(3))]))
        #expect(try two.pushed(remote.push(again), &second).outcome?.isSynced == true)
        #expect(remote.elements == [Item(1), Item(2), Item(3)])
        #expect(Set(second) == Set(remote.elements))
    }

    @Test func policyIsQueriedOncePerConflictAndOrderIsKept() throws {
        let shadow = (1...5).map { Item($0) }
        let local = shadow.map { $0.id <= 3 ? Item($0.id, 1) : $0 }
        let remote = [Item(9)] + shadow.map { $0.id >= 3 ? Item($0.id, 2) : $0 }
        var asked: [Item] = []
        let cycle = try synchronize(
            client: local, shadow: shadow, remote: remote, primaryKey: { CompositeKey($0.id, "x") }
        ) {
            asked.append($1)
            return true
        }
        #expect(asked == [Item(3, 1)])
        #expect(cycle.client.map(\.id) == [9, 1, 2, 3, 4, 5])
        var questions = 0
        _ = try synchronize(client: local, shadow: shadow, remote: shadow) { _, _ in
            questions += 1
            return true
        }
        #expect(questions == 0)
    }

    @Test func messagesContainTheChangesNotTheCollection() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var first = try JournaledCollection(restoring: StoredCollection(client: (0..<1_000).map { Item($0) }))
        var second = try JournaledCollection<Item, Int>(restoring: StoredCollection(client: []))
        try remote.synchronize(&first, pushID: "a", policy: .unexpected)
        try remote.synchronize(&second, pushID: "b", policy: .unexpected)
        try first.update(Item(5, 1))
        first.remove(6)
        var cycle = SyncCycle<Item, Int>(pushID: "c", policy: .unexpected)
        let push = try #require(cycle.begin(&first).push)
        #expect(push.changes.counts.total == 2)
        _ = try remote.push(push)
        guard case .changes(let changed, let deleted, _, _) = remote.pull(since: second.version) else {
            return #expect(Bool(false))
        }
        #expect(changed == [Item(5, 1)])
        #expect(deleted == [6])
    }

    @Test func lostAnswerDoesNotRestoreADeletedElement() throws {
        var (remote, devices) = try Self.world(devices: 2)
        try devices[0].insert(Item(4))
        let outcome = try remote.synchronize(&devices[0], pushID: "a", policy: .unexpected) { .answerLost }
        #expect(outcome.ending == .inDoubt(pushID: "a"))
        try remote.synchronize(&devices[1], pushID: "b", policy: .unexpected)
        devices[1].remove(4)
        try remote.synchronize(&devices[1], pushID: "c", policy: .unexpected)
        #expect(remote.elements == [Item(1), Item(2), Item(3)])

        try remote.synchronize(&devices[0], pushID: "d", policy: .unexpected)
        try remote.synchronize(&devices[0], pushID: "e", policy: .unexpected)
        #expect(remote.elements == [Item(1), Item(2), Item(3)])
        #expect(Array(devices[0]) == remote.elements)
        #expect(devices[0].localDiff == nil)
    }
}
