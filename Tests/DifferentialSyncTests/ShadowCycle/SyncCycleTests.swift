import DifferentialSync
import DifferentialSyncTesting
import Foundation
import TestSupport
import Testing

/// The state machine, report by report.
struct SyncCycleTests {
    static let version = RemoteVersion(epoch: "e", commit: "1")
    static let next = RemoteVersion(epoch: "e", commit: "2")
    static let last = RemoteVersion(epoch: "e", commit: "3")

    /// A device that has synced with `version`, and changed element 1 since.
    static func device() throws -> JournaledCollection<Item, Int> {
        var items = try unchanged()
        try items.update(Item(1, 1))
        return items
    }

    static func unchanged() throws -> JournaledCollection<Item, Int> {
        try JournaledCollection(
            restoring: StoredCollection(client: [Item(1), Item(2)], shadow: [Item(1), Item(2)], version: version))
    }

    static func cycle(
        _ policy: ConflictPolicy<Item> = .localWins, pushID: String = "push", maximumRounds: Int = 5,
        limit: PushLimit<Item> = .default
    ) -> SyncCycle<Item, Int> {
        SyncCycle(
            pushID: pushID, maximumRounds: maximumRounds, limit: limit, recognizesPushes: true, policy: policy)
    }

    @Test func aDeviceWithChangesPushesThemInOneRoundTrip() throws {
        var items = try Self.device()
        var cycle = Self.cycle()
        let push = try #require(cycle.begin(&items).push)
        #expect(
            push
                == Push(
                    id: "push", changes: try #require(Diff([.replace(old: Item(1), new: Item(1, 1))])),
                    expected: Self.version))
        #expect(items.pendingPush == push, "the collection holds the push before it is sent")
        #expect(items.localDiff == push.changes, "the shadow does not change before the push is accepted")
        let outcome = try #require(cycle.pushed(.accepted(Self.next), &items).outcome)
        #expect(outcome.ending == .synced)
        #expect(outcome.counts == SyncCounts(pushed: ChangeCounts(replaced: 1)))
        #expect(outcome.version == Self.next)
        #expect(items.localDiff == nil)
        #expect(items.pendingPush == nil)
        #expect(items.version == Self.next)
    }

    @Test func aDeviceWithoutChangesPullsOnly() throws {
        var items = try Self.unchanged()
        var cycle = Self.cycle()
        #expect(try cycle.begin(&items).pullsSince == .some(Self.version))
        let step = try cycle.pulled(.changes(changed: [Item(3)], deleted: [1], Self.next), &items)
        let outcome = try #require(step.outcome)
        #expect(
            outcome
                == SyncOutcome(
                    .synced, counts: SyncCounts(pulled: ChangeCounts(added: 1, deleted: 1)), version: Self.next,
                    trace: cycle.trace))
        #expect(outcome.isSynced)
        #expect(Array(items) == [Item(2), Item(3)])
        #expect(items.version == Self.next)
    }

    @Test func aPullIsMergedAtOnceAndThePushHoldsOnlyWhatTheRemoteLacks() throws {
        var items = try Self.device()
        var cycle = Self.cycle()
        _ = try cycle.begin(&items)
        #expect(try cycle.pushed(.refused, &items).pullsSince == .some(Self.version))
        #expect(items.pendingPush == nil, "a refused push is not in flight any more")
        let again = try #require(
            cycle.pulled(.changes(changed: [Item(1, 5), Item(3)], deleted: [2], Self.next), &items).push)
        #expect(Array(items) == [Item(1, 1), Item(3)])
        #expect(items.shadow == [Item(1, 5), Item(3)])
        #expect(items.version == Self.next)
        #expect(again.id == "push.2", "no name is used twice")
        #expect(again.expected == Self.next)
        #expect(again.changes == Diff([.replace(old: Item(1, 5), new: Item(1, 1))]))
        let outcome = try #require(cycle.pushed(.accepted(Self.last), &items).outcome)
        #expect(
            outcome.counts
                == SyncCounts(
                    pulled: ChangeCounts(added: 1, deleted: 1), pushed: ChangeCounts(replaced: 1), resolved: 1))
        #expect(items.shadow == Array(items))
        #expect(items.version == Self.last)
    }

    @Test(arguments: [1, 2, 3, 100])
    func theNumberOfRefusedPushesIsBounded(maximumRounds: Int) throws {
        var items = try Self.device()
        var cycle = Self.cycle(maximumRounds: maximumRounds)
        var step = try cycle.begin(&items)
        var (pushes, pulls) = (0, 0)
        while step.outcome == nil {
            if step.push != nil {
                pushes += 1
                step = try cycle.pushed(.refused, &items)
            } else {
                pulls += 1
                let version = RemoteVersion(epoch: "e", commit: "other \(pulls)")
                step = try cycle.pulled(.changes(changed: [Item(3, pulls)], deleted: [], version), &items)
            }
        }
        #expect(step.outcome?.ending == .gaveUp(rounds: maximumRounds))
        #expect(pushes == maximumRounds)
        #expect(pulls > 0, "even a cycle that gives up takes in what was pulled")
        #expect(items[3] == Item(3, pulls))
        #expect(items.pendingPush == nil, "nothing is in doubt")
        #expect(items.localDiff == Diff([.replace(old: Item(1), new: Item(1, 1))]))
    }

    @Test func aFailedPullChangesNothing() throws {
        var items = try Self.unchanged()
        let before = items.stored
        var cycle = Self.cycle()
        _ = try cycle.begin(&items)
        #expect(try cycle.failed().outcome == SyncOutcome(.failed, version: Self.version, trace: cycle.trace))
        #expect(items.stored == before)
    }

    @Test func anEpochThatHasChangedIsPulledInFull() throws {
        var items = try Self.device()
        var cycle = Self.cycle(.leaveOpen)
        _ = try cycle.begin(&items)
        _ = try cycle.pushed(.refused, &items)
        let reset = RemoteVersion(epoch: "other", commit: "1")
        #expect(
            try cycle.pulled(.changes(changed: [], deleted: [], reset), &items).pullsSince == .some(nil),
            "changes of another epoch say nothing")
        let error = #expect(throws: CycleError.self) {
            try cycle.pulled(.changes(changed: [], deleted: [], reset), &items)
        }
        #expect(error?.code == .unexpectedChanges)
        #expect(try cycle.pulled(.everything([Item(1)], reset), &items).push != nil)
    }

    /// Each record by what became of it here and in a remote whose epoch has changed.
    @Test func afterAChangedEpochAnAbsentRecordIsKeptAndAllElseIsMerged() throws {
        let start = (1...8).map { Item($0) }
        var items = try JournaledCollection(
            restoring: StoredCollection(client: start, shadow: start, version: Self.version))
        // 1 unchanged, changed there; 2 unchanged, absent there; 3 edited here, unchanged there; 4 edited here, absent
        // there; 5 deleted here, unchanged there; 6 deleted here, absent there; 7 edited here, changed there; 8 deleted
        // here, changed there.
        for id in [3, 4, 7] { try items.update(Item(id, 1)) }
        for id in [5, 6, 8] { items.remove(id) }
        let reset = RemoteVersion(epoch: "other", commit: "1")
        var cycle = Self.cycle(.leaveOpen)
        _ = try cycle.begin(&items)
        _ = try cycle.pushed(.refused, &items)
        let pull = Pull<Item, Int>.everything([Item(1, 2), Item(3), Item(5), Item(7, 2), Item(8, 2), Item(9)], reset)
        let push = try #require(cycle.pulled(pull, &items).push)
        #expect(
            Set(push.changes.changes) == [
                .add(Item(2)), .replace(old: Item(3), new: Item(3, 1)), .add(Item(4, 1)), .delete(Item(5)),
            ])
        #expect(items[1] == Item(1, 2), "a record that was not edited here takes the remote's value")
        #expect(items[9] == Item(9))
        #expect(
            items.conflicts == [
                Conflict(base: Item(7), local: Item(7, 1), remote: Item(7, 2)),
                Conflict(base: Item(8), local: nil, remote: Item(8, 2)),
            ])
        let outcome = try #require(cycle.pushed(.accepted(RemoteVersion(epoch: "other", commit: "2")), &items).outcome)
        #expect(outcome.ending == .synced)
        #expect(outcome.counts.open == 2)
    }

    @Test func everythingCanBePulledAtAnyTime() throws {
        var items = try Self.device()
        var cycle = Self.cycle(.unexpected)
        _ = try cycle.begin(&items)
        _ = try cycle.pushed(.refused, &items)
        let push = try #require(cycle.pulled(.everything([Item(1), Item(4)], Self.next), &items).push)
        #expect(push.changes == Diff([.replace(old: Item(1), new: Item(1, 1))]))
        #expect(try cycle.pushed(.accepted(Self.last), &items).outcome?.isSynced == true)
        #expect(
            Array(items) == [Item(1, 1), Item(4)], "a record of the shadow that the remote lacks was deleted there")
    }

    @Test func aCycleCanPullEverythingFirst() throws {
        var items = try Self.device()
        var cycle = SyncCycle<Item, Int>(pushID: "a", pullsEverything: true, policy: .unexpected)
        #expect(try cycle.begin(&items).pullsSince == .some(nil))
        let step = try cycle.pulled(.everything([Item(1), Item(2, 7)], Self.version), &items)
        #expect(items[2] == Item(2, 7))
        #expect(step.push?.changes == Diff([.replace(old: Item(1), new: Item(1, 1))]))
    }

    @Test func withoutARemoteCollectionEverythingIsPushedOnThatCondition() throws {
        var items = try Self.device()
        items.remove(2)
        try items.insert(Item(3))
        var cycle = Self.cycle()
        _ = try cycle.begin(&items)
        _ = try cycle.pushed(.refused, &items)
        let push = try #require(cycle.pulled(.nothing, &items).push)
        #expect(push.expected == nil)
        #expect(Set(push.changes.changes) == [.add(Item(1, 1)), .add(Item(3))])
        #expect(try cycle.pushed(.accepted(Self.next), &items).outcome?.isSynced == true)
        #expect(items.version == Self.next)
        #expect(items.localDiff == nil)

        var empty = try JournaledCollection<Item, Int>(restoring: StoredCollection(client: []))
        var idle = Self.cycle()
        _ = try idle.begin(&empty)
        #expect(try idle.pulled(.nothing, &empty).outcome == SyncOutcome(.synced, trace: idle.trace))
        #expect(empty.version == nil)
    }

    @Test func editsMadeDuringAPushArePushedInTheSameCycle() throws {
        var items = try Self.device()
        var cycle = Self.cycle(.unexpected)
        _ = try cycle.begin(&items)
        try items.update(Item(1, 2))
        try items.insert(Item(9))
        let push = try #require(cycle.pushed(.accepted(Self.next), &items).push)
        #expect(push.changes == Diff([.replace(old: Item(1, 1), new: Item(1, 2)), .add(Item(9))]))
        #expect(push.expected == Self.next)
        #expect(try cycle.pushed(.accepted(Self.last), &items).outcome?.isSynced == true)
        #expect(items.localDiff == nil)
    }

    @Test func aCollectionThatIsEditedDuringEachPushDoesNotKeepTheCycleForever() throws {
        var items = try Self.device()
        var cycle = Self.cycle(.unexpected, maximumRounds: 3)
        var step = try cycle.begin(&items)
        var pushes = 0
        while step.push != nil {
            pushes += 1
            try items.upsert(Item(7, pushes))
            step = try cycle.pushed(.accepted(RemoteVersion(epoch: "e", commit: "p\(pushes)")), &items)
        }
        #expect(step.outcome?.ending == .gaveUp(rounds: 3))
        #expect(items.localDiff?.counts.total == 1, "the last edit is still a local change")
        #expect(items.pendingPush == nil)
    }

    @Test func anErrorOfThePolicyChangesNeitherCycleNorCollection() throws {
        struct Undecided: Error {}
        var items = try Self.device()
        var cycle = Self.cycle(ConflictPolicy { _ in throw Undecided() })
        _ = try cycle.begin(&items)
        _ = try cycle.pushed(.refused, &items)
        let before = items.stored
        #expect(throws: Undecided.self) {
            try cycle.pulled(.changes(changed: [Item(2, 4), Item(1, 5)], deleted: [], Self.next), &items)
        }
        #expect(items.stored == before)
        #expect(try cycle.pulled(.changes(changed: [], deleted: [], Self.next), &items).push != nil)
    }

    @Test func aRemoteThatContradictsItselfIsRefused() throws {
        var items = try Self.unchanged()
        let before = items.stored
        var cycle = Self.cycle()
        _ = try cycle.begin(&items)
        let twice = #expect(throws: KeyError.self) {
            try cycle.pulled(.changes(changed: [Item(2, 0), Item(2, 1)], deleted: [], Self.next), &items)
        }
        #expect(twice?.collection == "changed")
        #expect(twice?.positions == [0, 1])
        let both = #expect(throws: KeyError.self) {
            try cycle.pulled(.changes(changed: [Item(2, 0)], deleted: [2], Self.next), &items)
        }
        #expect("\(both!)" == "'changed and deleted' has two changes for the key 2: make one of them")
        #expect(throws: KeyError.self) {
            try cycle.pulled(.everything([Item(2, 0), Item(2, 1)], Self.next), &items)
        }
        #expect(items.stored == before)
        let same = try cycle.pulled(
            .changes(changed: [Item(2), Item(2), Item(4)], deleted: [1, 1, 3], Self.next), &items)
        #expect(same.outcome?.counts.pulled == ChangeCounts(added: 1, deleted: 1))
    }

    @Test func aPushCanBeStoredAndReadBack() throws {
        var items = try Self.device()
        var cycle = Self.cycle()
        let push = try #require(cycle.begin(&items).push)
        let data = try JSONEncoder().encode(push)
        #expect(try JSONDecoder().decode(Push<Item>.self, from: data) == push)
        for answer in [PushAnswer<Item>.accepted(Self.next, amended: [Item(1)]), .refused] {
            let data = try JSONEncoder().encode(answer)
            #expect(try JSONDecoder().decode(PushAnswer<Item>.self, from: data) == answer)
        }
    }

    @Test func aStoredPushCostsItsChangesAndNothingElse() throws {
        let text = String(repeating: "x", count: 1_000)
        var notes = try JournaledCollection<Note, Int>(
            restoring: StoredCollection(client: [], version: Self.version))
        for id in 0..<100 { try notes.insert(Note(id: id, text: text)) }
        var cycle = SyncCycle<Note, Int>(pushID: "a", policy: .leaveOpen)
        let push = try #require(cycle.begin(&notes).push)
        let size = try JSONEncoder().encode(push).count
        let elements = try JSONEncoder().encode(push.changes.add).count
        #expect(size < elements + 200)
    }
}

extension SyncStep {
    var push: Push<Element>? {
        if case .push(let push) = self { push } else { nil }
    }

    /// The version since which changes are to be pulled; nil if this is no pull.
    var pullsSince: RemoteVersion?? {
        if case .pull(let version) = self { .some(version) } else { nil }
    }

    /// The name of the push that is asked about.
    var confirms: String? {
        if case .confirm(let pushID) = self { pushID } else { nil }
    }

    var outcome: SyncOutcome? {
        if case .finished(let outcome) = self { outcome } else { nil }
    }
}
