import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

struct JournaledCollectionTests {
    @Test func whatIsPushedAfterTakingInLeavesOpenConflictsAlone() throws {
        var notes = try JournaledCollection([Item(1), Item(2)])
        try notes.update(Item(1, 5))
        try notes.update(Item(2, 5))
        try notes.merge(remoteChanges: Diff([.replace(old: Item(1), new: Item(1, 7))]), policy: .leaveOpen)
        #expect(notes.localDiff?.counts.replaced == 2)
        let push = notes.outgoingDiff
        #expect(push == Diff([.replace(old: Item(2), new: Item(2, 5))]))

        // Even if the caller reports all of the local diff as pushed, the conflict stays.
        for pushed in [push, notes.localDiff] {
            var copy = notes
            try copy.acceptShadow(pushed: pushed, at: copy.shadowMark)
            #expect(copy.conflicts == [Conflict(base: Item(1), local: Item(1, 5), remote: Item(1, 7))])
            #expect(copy.localDiff == Diff([.replace(old: Item(1), new: Item(1, 5))]))
            #expect(copy.outgoingDiff == nil)
        }
    }

    let start = [Note(id: 7, text: "milk"), Note(id: 8, text: "eggs"), Note(id: 9, text: "tea")]

    @Test func itBeginsAsItsShadow() throws {
        let notes = try JournaledCollection(start)
        #expect(Array(notes) == start)
        #expect(notes.count == 3)
        #expect(notes.shadow == start)
        #expect(notes.localDiff == nil)
        #expect(!notes.hasLocalChanges)
        #expect(notes[8] == start[1])
        #expect(notes[1] == nil)
        #expect(notes.version == nil)
    }

    @Test func editsAreKnownAgainstTheShadow() throws {
        var notes = try JournaledCollection(start)
        let old = try notes.update(Note(id: 7, text: "oat milk"))
        #expect(old == start[0])
        #expect(notes.remove(9) == start[2])
        try notes.insert(Note(id: 1, text: "plums"))
        try notes.edit(8) { $0.isDone = true }
        #expect(Array(notes).map(\.id) == [7, 8, 1])
        #expect(notes.count == 3)
        #expect(notes.shadow(for: 7) == start[0])
        #expect(notes.shadow(for: 9) == start[2])
        #expect(notes.shadow(for: 1) == nil)
        #expect(notes.shadow == start)
        #expect(notes.localDiff == (try diff(wins: Array(notes), loses: start, primaryKey: \.id)))
        #expect(notes.localDiff?.counts == ChangeCounts(added: 1, deleted: 1, replaced: 2))
    }

    @Test func whatIsTakenBackIsNoChange() throws {
        var notes = try JournaledCollection(start)
        try notes.update(Note(id: 7, text: "oat milk"))
        try notes.update(start[0])
        notes.remove(8)
        try notes.insert(start[1])
        try notes.insert(Note(id: 1, text: "plums"))
        notes.remove(1)
        try notes.edit(9) { _ in }
        #expect(notes.localDiff == nil)
        #expect(!notes.hasLocalChanges)
        #expect(Array(notes) == start, "what comes back before it was pushed has its place again")
    }

    @Test func misuseIsAnErrorAndChangesNothing() throws {
        var notes = try JournaledCollection(start)
        let taken = #expect(throws: KeyError.self) { try notes.insert(Note(id: 7, text: "x")) }
        #expect(taken?.code == .taken)
        #expect(
            "\(taken!)"
                == "'collection' has an element with the key 7 already: update it, or insert one with another key")
        let unknown = #expect(throws: KeyError.self) { try notes.update(Note(id: 70, text: "x")) }
        #expect(unknown?.code == .unknown)
        #expect("\(unknown!)" == "'collection' has no element with the key 70")
        #expect(throws: KeyError.self) { try notes.edit(70) { _ in } }
        let changed = #expect(throws: KeyError.self) { try notes.edit(7) { $0 = Note(id: 8, text: $0.text) } }
        #expect(changed?.code == .changed)
        #expect(notes.remove(70) == nil)
        #expect(Array(notes) == start)
        #expect(notes.localDiff == nil)
    }

    @Test func upsertDoesEither() throws {
        var notes = try JournaledCollection(start)
        #expect(try notes.upsert(Note(id: 7, text: "x")) == start[0])
        #expect(try notes.upsert(Note(id: 1, text: "y")) == nil)
        #expect(notes.localDiff?.counts == ChangeCounts(added: 1, replaced: 1))
    }

    @Test func duplicatesAreRefusedByPositionAndEqualOnesCountOnce() throws {
        let error = #expect(throws: KeyError.self) { try JournaledCollection(start + [Note(id: 8, text: "x")]) }
        #expect(error?.positions == [1, 3])
        #expect(error?.collection == "elements")
        #expect(try JournaledCollection(start + start).count == 3)
    }

    @Test func itComesBackAsItWasLeft() throws {
        let version = RemoteVersion(epoch: "e", commit: "c")
        let client = [start[2], Note(id: 7, text: "oat milk"), Note(id: 1, text: "plums")]
        let notes = try JournaledCollection(
            restoring: StoredCollection(client: client, shadow: start, version: version))
        #expect(Set(notes) == Set(client))
        #expect(Set(notes.shadow) == Set(start))
        #expect(notes.version == version)
        #expect(notes.localDiff?.counts == ChangeCounts(added: 1, deleted: 1, replaced: 1))
        let error = #expect(throws: KeyError.self) {
            try JournaledCollection(restoring: StoredCollection(client: start + [Note(id: 7, text: "x")]))
        }
        #expect(error?.collection == "client")
    }

    @Test func keysOfAnyKind() throws {
        var words = try JournaledCollection(["a", "bb"], primaryKey: \.count)
        try words.upsert("cc")
        #expect(words.localDiff?.replace == ["cc"])
        let composite = try JournaledCollection([start[0]], primaryKey: { CompositeKey($0.id, $0.text) })
        #expect(composite[CompositeKey(7, "milk")] == start[0])
    }

    @Test func recordsByTheNameOfTheirKey() throws {
        var places = try JournaledCollection([["code": "AD", "name": "Andorra"]], primaryKey: "code")
        try places.upsert(["code": "AD", "name": "Andorra!"])
        #expect(places[RecordKey("AD")]?["name"] == "Andorra!")
        let missing = #expect(throws: KeyError.self) { try places.insert(["name": "x"]) }
        #expect(missing?.code == .missing)
        #expect("\(missing!)" == "a record of 'collection' has no value for 'code', which is part of its key")
        #expect(throws: KeyError.self) { try places.edit(RecordKey("AD")) { $0["code"] = nil } }
        #expect(throws: KeyError.self) { try JournaledCollection([["name": "x"]], primaryKey: "code") }
        let left = try JournaledCollection(
            restoring: StoredCollection(client: [["code": "A"]], shadow: [["code": "B"]]), primaryKey: "code")
        #expect(left.localDiff?.counts == ChangeCounts(added: 1, deleted: 1))
        #expect(throws: KeyError.self) {
            try JournaledCollection(
                restoring: StoredCollection(client: [], shadow: [["name": "x"]]), primaryKey: "code")
        }
    }

    @Test func itIsACollection() throws {
        var notes = try JournaledCollection((0..<10).map { Item($0) })
        for key in [0, 3, 4, 9] { notes.remove(key) }
        #expect(notes.map(\.id) == [1, 2, 5, 6, 7, 8])
        #expect(notes.reversed().map(\.id) == [8, 7, 6, 5, 2, 1])
        #expect(notes.first == Item(1))
        #expect(notes.last == Item(8))
        #expect(notes.firstIndex(of: Item(5)).map { notes[$0] } == Item(5))
        #expect(!notes.isEmpty)
        #expect(try JournaledCollection([Item]()).isEmpty)
        #expect(notes.distance(from: notes.startIndex, to: notes.endIndex) == notes.count)
    }

    @Test func aCopyIsASnapshot() throws {
        var notes = try JournaledCollection(start)
        let copy = notes
        notes.remove(7)
        #expect(copy.count == 3)
        #expect(copy.localDiff == nil)
    }

    @Test func revertGoesBackToTheShadow() throws {
        var notes = try JournaledCollection(start)
        notes.remove(8)
        try notes.update(Note(id: 7, text: "x"))
        try notes.insert(Note(id: 1, text: "y"))
        notes.revert()
        #expect(Array(notes) == start)
        #expect(notes.localDiff == nil)
    }
}

/// The three operations of a cycle, step by step.
struct JournaledCycleTests {
    let start = [Item(1), Item(2), Item(3)]

    @Test func whatTheRemoteChangedIsTakenIn() throws {
        var items = try JournaledCollection(start)
        try items.update(Item(1, 1))
        let remote = try diff(wins: [Item(1), Item(2, 5), Item(4)], loses: start, primaryKey: \.id)
        let merge = try items.merge(remoteChanges: remote, policy: .unexpected)
        #expect(merge.toLocal?.counts == ChangeCounts(added: 1, deleted: 1, replaced: 1))
        #expect(Array(items) == [Item(1, 1), Item(2, 5), Item(4)])
        #expect(items.localDiff == Diff([.replace(old: Item(1), new: Item(1, 1))]), "what is to be pushed")
        try items.acceptShadow(pushed: items.localDiff, at: items.shadowMark)
        #expect(items.localDiff == nil)
        #expect(items.shadow == Array(items))
    }

    @Test func editsDuringAPushAreNotTakenForPushed() throws {
        var items = try JournaledCollection(start)
        try items.update(Item(1, 1))
        items.remove(2)
        try items.insert(Item(4))
        let pushed = items.localDiff
        try items.update(Item(1, 2))
        try items.insert(Item(2, 9))
        items.remove(4)
        try items.acceptShadow(pushed: pushed, at: items.shadowMark)
        #expect(
            Set(items.localDiff?.changes ?? []) == [
                .replace(old: Item(1, 1), new: Item(1, 2)), .add(Item(2, 9)), .delete(Item(4)),
            ])
        try items.acceptShadow(pushed: nil, at: items.shadowMark)
        #expect(items.localDiff?.counts.total == 3)
    }

    @Test func aConflictIsSettledInBothDirections() throws {
        for (policy, result, push) in [
            (ConflictPolicy<Item>.localWins, Item(1, 1), Diff<Item>([.replace(old: Item(1, 2), new: Item(1, 1))])),
            (.remoteWins, Item(1, 2), nil),
        ] {
            var items = try JournaledCollection(start)
            try items.update(Item(1, 1))
            try items.merge(remoteChanges: Diff([.replace(old: Item(1), new: Item(1, 2))]), policy: policy)
            #expect(items[1] == result)
            #expect(items.localDiff == push)
        }
    }

    @Test func anOpenConflictComesUpAgainAlthoughNothingNewIsPulled() throws {
        var items = try JournaledCollection(start)
        try items.update(Item(1, 1))
        try items.merge(remoteChanges: Diff([.replace(old: Item(1), new: Item(1, 2))]), policy: .leaveOpen)
        #expect(items[1] == Item(1, 1))
        #expect(items.shadow(for: 1) == Item(1), "the base stands")
        #expect(items.conflicts == [Conflict(base: Item(1), local: Item(1, 1), remote: Item(1, 2))])

        let again = try items.merge(remoteChanges: nil, policy: .leaveOpen)
        #expect(again.open == items.conflicts)
        #expect(items.conflicts.count == 1)

        let settled = try items.merge(remoteChanges: nil, policy: .localWins)
        #expect(settled.toRemote == Diff([.replace(old: Item(1, 2), new: Item(1, 1))]))
        #expect(items.conflicts.isEmpty)
        #expect(items.outgoingDiff == settled.toRemote)
        #expect(items.shadow(for: 1) == Item(1, 2))
    }

    @Test func anOpenConflictEndsWhenTheRemoteGoesBack() throws {
        var items = try JournaledCollection(start)
        try items.update(Item(1, 1))
        try items.merge(remoteChanges: Diff([.replace(old: Item(1), new: Item(1, 2))]), policy: .leaveOpen)
        // The remote's old value is what it held, or what the shadow holds: both are understood.
        try items.merge(remoteChanges: Diff([.replace(old: Item(1, 2), new: Item(1))]), policy: .unexpected)
        #expect(items.conflicts.isEmpty)
        #expect(items.localDiff == Diff([.replace(old: Item(1), new: Item(1, 1))]))
    }

    @Test func anOpenConflictEndsWhenTheUserGoesBack() throws {
        var items = try JournaledCollection(start)
        try items.update(Item(1, 1))
        try items.merge(remoteChanges: Diff([.replace(old: Item(1), new: Item(1, 2))]), policy: .leaveOpen)
        try items.update(Item(1))
        #expect(items.localDiff == nil)
        #expect(items.waiting.count == 1, "the remote still holds something else")
        try items.merge(remoteChanges: nil, policy: .unexpected)
        #expect(items[1] == Item(1, 2))
        #expect(items.conflicts.isEmpty)
    }

    @Test func aRemoteWithOtherOldValuesIsRefused() throws {
        var items = try JournaledCollection(start)
        let stranger = Diff<Item>([.replace(old: Item(1, 9), new: Item(1, 2)), .add(Item(2, 2))])
        let error = #expect(throws: MismatchError.self) { try items.merge(remoteChanges: stranger, policy: .localWins) }
        #expect(error?.mismatches.count == 2)
        #expect(error?.mismatches.first?.list == "remoteChanges")
        #expect(Array(items) == start)
    }
}

/// Random operations, against two arrays.
struct JournaledCollectionModelTests {
    @Test(arguments: 0..<20)
    func randomOperations(run: UInt64) throws {
        let seed = SeededGenerator.testSeed(run)
        print("JournaledCollectionModelTests.randomOperations: DIFFSYNC_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        var client = generator.items(20, keys: 40, values: 3)
        var shadow = client
        var items = try JournaledCollection(client)
        for step in 0..<500 {
            let key = Int.random(in: 0..<40, using: &generator)
            let item = Item(key, Int.random(in: 0..<3, using: &generator))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2:
                try items.upsert(item)
                if let position = client.firstIndex(where: { $0.id == key }) {
                    client[position] = item
                } else {
                    client.append(item)
                }
            case 3...5:
                items.remove(key)
                client.removeAll { $0.id == key }
            case 6:
                let remote = generator.edited(shadow, probability: 0.1, firstNewKey: 100 * (step + 1))
                try items.merge(
                    remoteChanges: try diff(wins: remote, loses: shadow, primaryKey: \.id), policy: .remoteWins)
                client = try synchronize(client: client, shadow: shadow, remote: remote, policy: .remoteWins).client
                shadow = remote
            default:
                try items.acceptShadow(pushed: items.localDiff, at: items.shadowMark)
                shadow = client
            }
            try #require(Set(items) == Set(client))
            try #require(items.count == client.count)
            try #require(Set(items.shadow) == Set(shadow))
            let expected = try diff(wins: Array(items), loses: items.shadow, primaryKey: \.id)
            try #require(
                items.localDiff == expected, "the journal's diff is that of the two collections, in their order")
            for key in 0..<40 {
                try #require(items[key] == client.first { $0.id == key })
                try #require(items.shadow(for: key) == shadow.first { $0.id == key })
            }
        }
    }

    @Test func manyRemovalsLeaveNoGapsBehind() throws {
        var items = try JournaledCollection((0..<1_000).map { Item($0) })
        for round in 0..<20 {
            let first = round * 1_000
            for key in first..<first + 1_000 { items.remove(key) }
            for key in first + 1_000..<first + 2_000 { try items.insert(Item(key)) }
            try items.acceptShadow(pushed: items.localDiff, at: items.shadowMark)
            #expect(items.map(\.id) == Array(first + 1_000..<first + 2_000))
        }
        #expect(items.localDiff == nil)
    }
}
