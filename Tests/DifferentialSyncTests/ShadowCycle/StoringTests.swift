import DifferentialSync
import DifferentialSyncTesting
import Foundation
import TestSupport
import Testing

/// A stored collection comes back as it was left.
struct StoringTests {
    /// A phone with an open conflict about item 1, and the remote it has synced with.
    static func world() throws -> (SimulatedRemote<Item, Int>, JournaledCollection<Item, Int>) {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1), Item(2)])
        var phone = try JournaledCollection<Item, Int>(restoring: StoredCollection(client: []))
        try remote.synchronize(&phone, pushID: "1", policy: .unexpected)
        var tablet = phone
        try tablet.update(Item(1, 7))
        try remote.synchronize(&tablet, pushID: "2", policy: .unexpected)
        try phone.update(Item(1, 5))
        try remote.synchronize(&phone, pushID: "3", policy: .leaveOpen)
        return (remote, phone)
    }

    static func restored(_ collection: JournaledCollection<Item, Int>) throws -> JournaledCollection<Item, Int> {
        let data = try JSONEncoder().encode(collection.stored)
        let stored = try JSONDecoder().decode(StoredCollection<Item>.self, from: data)
        #expect(stored == collection.stored)
        return try JournaledCollection(restoring: stored)
    }

    @Test func whatIsUnresolvedSurvivesStoring() throws {
        var (remote, phone) = try Self.world()
        #expect(phone.conflicts == [Conflict(base: Item(1), local: Item(1, 5), remote: Item(1, 7))])

        var again = try Self.restored(phone)
        #expect(again.stored == phone.stored)
        #expect(again.localDiff == phone.localDiff)

        try remote.synchronize(&again, pushID: "4", policy: .leaveOpen)
        #expect(remote.elements.contains(Item(1, 7)), "the conflict is still open")
        try remote.synchronize(&again, pushID: "5", policy: .remoteWins)
        #expect(again[1] == Item(1, 7))
        #expect(again.conflicts.isEmpty)
    }

    @Test func aConflictWithADeletionSurvivesStoring() throws {
        for (local, there) in [(nil, Item(1, 7)), (Item(1, 5), nil)] as [(Item?, Item?)] {
            var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
            remote.reset(to: [Item(1), Item(2)])
            var phone = try JournaledCollection<Item, Int>([])
            try remote.synchronize(&phone, pushID: "1", policy: .unexpected)
            if let local { try phone.update(local) } else { phone.remove(1) }
            let change = there.map { Change.replace(old: Item(1), new: $0) } ?? .delete(Item(1))
            try phone.merge(remoteChanges: Diff([change]), policy: .leaveOpen)
            #expect(phone.conflicts == [Conflict(base: Item(1), local: local, remote: there)])

            let again = try Self.restored(phone)
            #expect(again.stored == phone.stored)
        }
    }

    @Test func aPushInDoubtSurvivesStoring() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var phone = try JournaledCollection([Item(1)])
        try remote.synchronize(&phone, pushID: "1", policy: .unexpected)
        try phone.insert(Item(2))
        try remote.synchronize(&phone, pushID: "2", policy: .unexpected, deliver: { .answerLost })

        var again = try Self.restored(phone)
        #expect(again.stored == phone.stored)
        #expect(again.pendingPush?.id == "2")
        try remote.synchronize(&again, pushID: "3", policy: .unexpected)
        #expect(again.pendingPush == nil)
        #expect(again.localDiff == nil)
        #expect(again.version == remote.version)
    }

    /// A user edits an item after the cycle has merged a pull, and before the cycle stores anything.
    ///
    /// Without its shadow, what was pulled looks like an edit of the user.
    @Test(arguments: [false, true])
    func anEditDuringACycleIsStoredWithAllParts(isClientStoredAlone: Bool) throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var phone = try JournaledCollection([Item(1), Item(2)])
        try remote.synchronize(&phone, pushID: "1", policy: .unexpected)
        var tablet = phone
        var disk = phone.stored
        try tablet.update(Item(1, 2))
        try remote.synchronize(&tablet, pushID: "2", policy: .unexpected)

        var cycle = SyncCycle<Item, Int>(pushID: "3", policy: .unexpected)
        _ = try cycle.begin(&phone)
        let pull = remote.pull(since: phone.version)
        _ = try cycle.pulled(pull, &phone)
        try phone.update(Item(2, 5))
        if isClientStoredAlone { disk.client = Array(phone) } else { disk = phone.stored }

        try tablet.update(Item(1, 3))
        try remote.synchronize(&tablet, pushID: "4", policy: .unexpected)
        var restored = try JournaledCollection<Item, Int>(restoring: disk)
        try remote.synchronize(&restored, pushID: "5", policy: .localWins)
        #expect(remote.elements == [Item(1, isClientStoredAlone ? 2 : 3), Item(2, 5)])
    }

    @Test func deletionsComeBackBeforeTheAdditionsThatFollowThem() throws {
        var notes = try JournaledCollection([Item(4), Item(3)])
        notes.remove(3)
        notes.remove(4)
        try notes.insert(Item(2))
        var again = try Self.restored(notes)
        try again.insert(Item(3))
        try again.insert(Item(4))
        #expect(Array(again) == [Item(4), Item(3), Item(2)], "each has found its place again")
    }

    @Test func aStoredCollectionMadeByHandKeepsTheOrderOfClientAndShadow() throws {
        let seed = SeededGenerator.testSeed(6)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let stored = StoredCollection(
                client: generator.items(6, keys: 8, values: 2).shuffled(using: &generator),
                shadow: generator.items(6, keys: 8, values: 2).shuffled(using: &generator))
            var restored = try JournaledCollection(restoring: stored)
            #expect(restored.stored == stored, "seed \(seed)")
            // What is pulled later stands after it.
            try restored.merge(remoteChanges: Diff([.add(Item(100))]), policy: .unexpected)
            #expect(restored.shadow == stored.shadow + [Item(100)])
        }
    }

    @Test func itMayBeRestoredAtAnyTime() throws {
        let seed = SeededGenerator.testSeed(5)
        var generator = SeededGenerator(seed: seed)
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var devices = try (0..<3).map { _ in try JournaledCollection<Item, Int>([]) }
        for step in 0..<400 {
            let device = Int.random(in: 0..<3, using: &generator)
            if generator.happens(0.6) {
                let id = Int.random(in: 0..<12, using: &generator)
                if generator.happens(0.3) {
                    devices[device].remove(id)
                } else {
                    try devices[device].upsert(Item(id, step))
                }
            } else {
                try remote.synchronize(
                    &devices[device], pushID: "\(step)", policy: generator.happens(0.5) ? .leaveOpen : .localWins,
                    deliver: { generator.happens(0.2) ? .answerLost : .delivered })
            }
            let restored = try Self.restored(devices[device])
            #expect(Array(restored) == Array(devices[device]), "seed \(seed), step \(step)")
            #expect(restored.shadow == devices[device].shadow, "seed \(seed), step \(step)")
            let unresolved = [restored, devices[device]].map { Set($0.conflicts + $0.waiting) }
            #expect(unresolved[0] == unresolved[1], "seed \(seed), step \(step)")
            #expect(restored.localDiff == devices[device].localDiff, "seed \(seed), step \(step)")
            devices[device] = restored
        }
    }
}
