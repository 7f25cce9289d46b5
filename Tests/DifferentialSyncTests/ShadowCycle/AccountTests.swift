import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// A collection knows whose remote it last agreed with.
struct AccountTests {
    /// A device that has synced with the remote of account A, with an unsent addition, edit and deletion.
    static func device() throws -> JournaledCollection<Item, Int> {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1), Item(2), Item(3)])
        var device = try JournaledCollection<Item, Int>([])
        try remote.synchronize(&device, by: cycle("A", "start"))
        try device.insert(Item(4, 1))
        try device.update(Item(1, 1))
        device.remove(2)
        return device
    }

    static func cycle(
        _ account: String?, _ pushID: String, _ change: AccountChange = .refuse,
        _ policy: ConflictPolicy<Item> = .unexpected
    ) -> SyncCycle<Item, Int> {
        SyncCycle(
            pushID: pushID, account: account, onAccountChange: change, recognizesPushes: true, policy: policy)
    }

    static func otherRemote() -> SimulatedRemote<Item, Int> {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(3), Item(5)])
        return remote
    }

    @Test func anotherAccountIsAnErrorThatChangesNothing() throws {
        var device = try Self.device()
        #expect(device.account == "A")
        let before = device.stored
        for account in ["B", nil] {
            var remote = Self.otherRemote()
            let error = #expect(throws: CycleError.self) {
                try remote.synchronize(&device, by: Self.cycle(account, "b"))
            }
            #expect(error?.code == .otherAccount)
            #expect(remote.elements == [Item(3), Item(5)], "nothing was pushed")
        }
        #expect(device.stored == before)
    }

    @Test func theSameAccountGoesOnAndACollectionWithoutOneTakesItsName() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var device = try JournaledCollection([Item(1)])
        try remote.synchronize(&device, pushID: "a", policy: .unexpected)
        #expect(device.account == nil)
        try device.update(Item(1, 1))
        try remote.synchronize(&device, by: Self.cycle("A", "b"))
        #expect(device.account == "A", "the answer to a push is an agreement too")
        try device.update(Item(1, 2))
        #expect(try remote.synchronize(&device, by: Self.cycle("A", "c")).isSynced)
    }

    @Test func mergeIsAFirstContactThatKeepsBothSides() throws {
        var device = try Self.device()
        var remote = Self.otherRemote()
        let outcome = try remote.synchronize(&device, by: Self.cycle("B", "b", .merge))
        #expect(outcome.ending == .synced)
        #expect(Set(remote.elements) == [Item(1, 1), Item(3), Item(4, 1), Item(5)])
        #expect(Set(device) == Set(remote.elements))
        #expect(device.localDiff == nil)
        #expect(device.account == "B")
        #expect(device.version == remote.version)
    }

    @Test func replaceDropsWhatIsHereForWhatTheNewAccountHolds() throws {
        var device = try Self.device()
        var remote = Self.otherRemote()
        let before = remote.elements
        let outcome = try remote.synchronize(&device, by: Self.cycle("B", "b", .replace))
        #expect(outcome.counts == SyncCounts(pulled: ChangeCounts(added: 1, deleted: 2)))
        #expect(Set(device) == Set(before))
        #expect(remote.elements == before, "nothing was pushed")
        #expect(device.localDiff == nil && device.conflicts.isEmpty)
        #expect(device.account == "B")

        var empty = SimulatedRemote<Item, Int>(primaryKey: \.id)
        try empty.synchronize(&device, by: Self.cycle("C", "c", .replace))
        #expect(device.isEmpty)
        #expect(!empty.exists)
    }

    @Test func aPushInDoubtIsNotTheBusinessOfTheOtherAccount() throws {
        for change in [AccountChange.merge, .replace] {
            var device = try Self.device()
            var old = SimulatedRemote<Item, Int>(primaryKey: \.id)
            try old.synchronize(&device, by: Self.cycle("A", "lost")) { .requestLost }
            #expect(device.pendingPush != nil)
            var cycle = Self.cycle("B", "b", change)
            #expect(try cycle.begin(&device).pullsSince == .some(nil))
            #expect(try cycle.failed().outcome?.ending == .failed)
            #expect(device.pendingPush?.id == "lost", "a cycle that fails changes nothing")
            #expect(device.account == "A")
            var remote = Self.otherRemote()
            try remote.synchronize(&device, by: Self.cycle("B", "b2", change))
            #expect(device.pendingPush == nil)
            #expect(Set(device) == Set(remote.elements))
        }
    }

    @Test func openConflictsWithTheOldAccountEndWithIt() throws {
        for change in [AccountChange.merge, .replace] {
            var device = try Self.device()
            let version = RemoteVersion(epoch: "epoch 1", commit: "x")
            var cycle = Self.cycle("A", "a", .refuse, .leaveOpen)
            _ = try cycle.begin(&device)
            _ = try cycle.pushed(.refused, &device)
            _ = try cycle.pulled(.changes(changed: [Item(1, 9), Item(2, 9)], deleted: [], version), &device)
            _ = try cycle.failed()
            #expect(device.conflicts.count == 2)
            var remote = Self.otherRemote()
            try remote.synchronize(&device, by: Self.cycle("B", "b", change))
            #expect(device.conflicts.isEmpty && device.waiting.isEmpty)
            #expect(device[1] == (change == .merge ? Item(1, 1) : nil))
            #expect(device[2] == nil)
            #expect(Set(device) == Set(remote.elements))
        }
    }

    @Test func theAccountIsKnownBeforeTheFirstRequest() throws {
        let version = RemoteVersion(epoch: "e", commit: "1")
        let push = Push(id: "old", changes: try #require(Diff([.add(Item(1))])), expected: nil)
        let collections = [
            StoredCollection(client: [Item(1)]),
            StoredCollection(client: [Item(1)], version: version),
            StoredCollection(client: [Item(1)], pendingPush: push),
        ]
        for stored in collections {
            var device = try JournaledCollection(restoring: stored)
            var cycle = Self.cycle("A", "a")
            _ = try cycle.begin(&device)
            #expect(device.account == "A")
            // The process dies here, and the collection was stored with the request.
            device = try JournaledCollection(restoring: device.stored)
            let before = device.stored
            var other = Self.cycle("B", "b")
            let error = #expect(throws: CycleError.self) { try other.begin(&device) }
            #expect(error?.code == .otherAccount)
            #expect(
                error?.description == """
                    the collection belongs to another account than the remote. Nothing was sent: choose by \
                    'onAccountChange' whether to merge the local elements into the remote's account or to replace them, \
                    or use a collection for each account
                    """)
            #expect(device.stored == before)
            var same = Self.cycle("A", "c")
            #expect(throws: Never.self) { try same.begin(&device) }
        }
    }

    @Test func aCycleThatCannotBeginLeavesTheCollectionWithoutAnAccount() throws {
        var device = try JournaledCollection([Item(1)], version: RemoteVersion(epoch: "e", commit: "a"))
        var cycle = Self.cycle("A", "a")
        #expect(throws: CycleError.self) { try cycle.begin(&device) }
        #expect(device.account == nil)
    }

    @Test func theAccountIsStored() throws {
        let device = try Self.device()
        #expect(device.stored.account == "A")
        let again = try JournaledCollection(restoring: device.stored)
        #expect(again.account == "A")
    }
}
