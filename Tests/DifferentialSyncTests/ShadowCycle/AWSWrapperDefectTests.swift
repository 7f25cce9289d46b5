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

    @Test("1: a push with replacements succeeds at the first attempt")
    func replacementsArePushed() throws {
        var (remote, devices) = try Self.world(devices: 1)
        try devices[0].update(Item(1, 1))
        try devices[0].insert(Item(4))
        devices[0].remove(2)
        var cycle = SyncCycle<Item, Int>(pushID: "a", policy: .unexpected)
        let push = try #require(cycle.begin(devices[0]).push)
        guard case .accepted(let version) = remote.push(push) else { return #expect(Bool(false), "refused") }
        devices[0].accept(try #require(cycle.pushed(version).outcome))
        #expect(remote.elements == [Item(1, 1), Item(3), Item(4)])
        #expect(devices[0].localDiff == nil)
    }

    @Test("2: an addition meets what has been added meanwhile")
    func additionsAreGuarded() throws {
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

    @Test("3: after a collection was created its epoch is known, so later deletions stay deleted")
    func theEpochOfANewCollectionIsKept() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var device = try JournaledCollection(restoring: StoredCollection(client: [Item(1), Item(2)]))
        try remote.synchronize(&device, pushID: "a", policy: .unexpected)
        #expect(device.version == remote.version)
        device.remove(2)
        try remote.synchronize(&device, pushID: "b", policy: .unexpected)
        #expect(remote.elements == [Item(1)])
        #expect(Array(device) == [Item(1)])
    }

    @Test("4: a void shadow is put aside only once the push has succeeded")
    func theShadowSurvivesAFailedPush() throws {
        var (remote, devices) = try Self.world(devices: 1)
        devices[0].remove(2)
        let before = devices[0]
        remote.reset(to: [Item(1), Item(2), Item(3), Item(4)])
        // The first push finds the epoch changed, and the second one is lost.
        var messages = 0
        let outcome = try remote.synchronize(&devices[0], pushID: "a", policy: .unexpected) {
            messages += 1
            return messages < 3 ? .delivered : .requestLost
        }
        guard case .synced = outcome else { return #expect(Bool(false), "\(outcome): there was nothing left to push") }

        // Where there is something to push, nothing changes until it has arrived.
        var device = before
        try device.insert(Item(7))
        messages = 0
        let lost = try remote.synchronize(&device, pushID: "b", policy: .unexpected) {
            messages += 1
            return messages < 3 ? .delivered : .requestLost
        }
        guard case .inDoubt = lost else { return #expect(Bool(false), "\(lost)") }
        #expect(device.shadow == before.shadow)
        #expect(device.version == before.version)
        #expect(device[2] == nil)
        #expect(device.localDiff?.deletions == [Item(2)], "the deletion is still known")
    }

    @Test("5: what could not be read is not taken for absent")
    func aBrokenAnswerIsAFailure() throws {
        var (remote, devices) = try Self.world(devices: 1)
        try devices[0].update(Item(1, 1))
        var cycle = SyncCycle<Item, Int>(pushID: "a", policy: .unexpected)
        _ = try cycle.begin(devices[0])
        _ = try cycle.refused()
        // The caller cannot read the pulled item: it has no other way than to report a failure.
        let outcome = try #require(cycle.failed().outcome)
        devices[0].accept(outcome)
        #expect(remote.elements == [Item(1), Item(2), Item(3)])
        #expect(devices[0].localDiff != nil)
        #expect(remote.pull(since: devices[0].version) != .nothing)
        try remote.synchronize(&devices[0], pushID: "b", policy: .unexpected)
        #expect(remote.elements.first == Item(1, 1))
    }

    @Test("6: of two devices that both find nothing, the second merges with the first")
    func creationIsConditional() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var first = try JournaledCollection(restoring: StoredCollection(client: [Item(1), Item(2)]))
        var second = try JournaledCollection(restoring: StoredCollection(client: [Item(2), Item(3)]))
        var one = SyncCycle<Item, Int>(pushID: "a", policy: .unexpected)
        var two = SyncCycle<Item, Int>(pushID: "b", policy: .unexpected)
        _ = try one.begin(first)
        _ = try two.begin(second)
        let onePush = try #require(one.pulled(remote.pull(since: nil), client: first).push)
        let twoPush = try #require(two.pulled(remote.pull(since: nil), client: second).push)
        guard case .accepted(let version) = remote.push(onePush) else { return #expect(Bool(false)) }
        first.accept(try #require(one.pushed(version).outcome))
        #expect(remote.push(twoPush) == .refused)
        #expect(try two.refused().pullsSince == .some(nil))
        let again = try #require(two.pulled(remote.pull(since: nil), client: second).push)
        #expect(again.changes == Diff([.add(Item(3))]))
        guard case .accepted(let last) = remote.push(again) else { return #expect(Bool(false)) }
        second.accept(try #require(two.pushed(last).outcome))
        #expect(remote.elements == [Item(1), Item(2), Item(3)])
        #expect(Set(second) == Set(remote.elements))
    }

    @Test("7: one question per clash, none without; order is kept; keys are of any type")
    func questionsAreSingle() throws {
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

    @Test("8: what is pushed and pulled is what has changed, not the collection")
    func messagesAreAsLargeAsTheChange() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var first = try JournaledCollection(restoring: StoredCollection(client: (0..<1_000).map { Item($0) }))
        var second = try JournaledCollection<Item, Int>(restoring: StoredCollection(client: []))
        try remote.synchronize(&first, pushID: "a", policy: .unexpected)
        try remote.synchronize(&second, pushID: "b", policy: .unexpected)
        try first.update(Item(5, 1))
        first.remove(6)
        var cycle = SyncCycle<Item, Int>(pushID: "c", policy: .unexpected)
        let push = try #require(cycle.begin(first).push)
        #expect(push.changes.counts.total == 2)
        _ = remote.push(push)
        guard case .changes(let changed, let deleted, _) = remote.pull(since: second.version) else {
            return #expect(Bool(false))
        }
        #expect(changed == [Item(5, 1)])
        #expect(deleted == [6])
    }

    @Test("9: what was added, acknowledged to nobody and deleted elsewhere stays deleted")
    func aLostAnswerBringsNothingBack() throws {
        var (remote, devices) = try Self.world(devices: 2)
        try devices[0].insert(Item(4))
        let outcome = try remote.synchronize(&devices[0], pushID: "a", policy: .unexpected) { .answerLost }
        guard case .inDoubt = outcome else { return #expect(Bool(false), "\(outcome)") }
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
