import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// Conflicts that a policy has left open, and how they are resolved by hand.
struct OpenConflictTests {
    static let conflict = Conflict(base: Item(1), local: Item(1, 1), remote: Item(1, 2))

    /// A device with an open conflict about element 1.
    static func device() throws -> JournaledCollection<Item, Int> {
        var items = try SyncCycleTests.device()
        try items.merge(remoteChanges: Diff([.replace(old: Item(1), new: Item(1, 2))]), policy: .leaveOpen)
        #expect(items.conflicts == [conflict])
        #expect(items.conflict(for: 1) == conflict)
        #expect(items.conflict(for: 2) == nil)
        return items
    }

    static let resolutions: [(Resolution<Item>, Item?, Change<Item>?)] = [
        (.local, Item(1, 1), .replace(old: Item(1, 2), new: Item(1, 1))),
        (.remote, Item(1, 2), nil),
        (.base, Item(1), .replace(old: Item(1, 2), new: Item(1))),
        (.delete, nil, .delete(Item(1, 2))),
        (.merged(Item(1, 7)), Item(1, 7), .replace(old: Item(1, 2), new: Item(1, 7))),
    ]

    @Test(arguments: resolutions)
    func aResolutionIsALocalChangeAgainstTheRemote(
        resolution: Resolution<Item>, element: Item?, push: Change<Item>?
    ) throws {
        var items = try Self.device()
        try items.resolve(1, with: resolution, of: Self.conflict)
        #expect(items[1] == element)
        #expect(items.conflicts.isEmpty && items.waiting.isEmpty)
        #expect(items.outgoingDiff == push.flatMap { Diff([$0]) })
        #expect(items.shadow(for: 1) == Item(1, 2))
    }

    @Test func aResolutionEndsTheConflictForGoodAndLaterOnesAreAskedAgain() throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1)])
        var devices = try [0, 1].map { _ in try JournaledCollection<Item, Int>([]) }
        for index in [0, 1] { try remote.synchronize(&devices[index], pushID: "start \(index)", policy: .unexpected) }
        for index in [0, 1] { try devices[index].update(Item(1, index + 1)) }
        try remote.synchronize(&devices[0], pushID: "a", policy: .leaveOpen)
        let outcome = try remote.synchronize(&devices[1], pushID: "b", policy: .leaveOpen)
        #expect(outcome.counts.open == 1)
        // By hand, to something else than either side.
        try devices[1].resolve(1, with: .merged(Item(1, 3)), of: try #require(devices[1].conflict(for: 1)))
        try remote.synchronize(&devices[1], pushID: "c", policy: .unexpected)
        #expect(remote.elements == [Item(1, 3)])
        #expect(devices[1].conflicts.isEmpty)
        // The next conflict of the record is a new question.
        try devices[1].update(Item(1, 4))
        try devices[0].update(Item(1, 5))
        try remote.synchronize(&devices[0], pushID: "d", policy: .localWins)
        try remote.synchronize(&devices[1], pushID: "e", policy: .leaveOpen)
        #expect(devices[1].conflicts == [Conflict(base: Item(1, 3), local: Item(1, 4), remote: Item(1, 5))])
    }

    @Test func aConflictThatWasShownBeforeAnEditOrACycleIsRefused() throws {
        var items = try Self.device()
        try items.update(Item(1, 9))
        let before = items.stored
        let edited = #expect(throws: ConflictError.self) {
            try items.resolve(1, with: .remote, of: Self.conflict)
        }
        #expect(edited?.code == .changed)
        #expect(
            edited?.description
                == "the record with the key 1 has changed since its conflict was shown: show 'conflict(for:)' again")
        #expect(items.stored == before)

        var later = try Self.device()
        try later.merge(remoteChanges: Diff([.replace(old: Item(1, 2), new: Item(1, 3))]), policy: .leaveOpen)
        #expect(throws: ConflictError.self) { try later.resolve(1, with: .local, of: Self.conflict) }

        var resolved = try Self.device()
        try resolved.resolve(1, with: .local, of: Self.conflict)
        let again = #expect(throws: ConflictError.self) { try resolved.resolve(1, with: .local, of: Self.conflict) }
        #expect(again?.code == .unknown)
        #expect(again?.description == "the record with the key 1 has no open conflict: list 'conflicts' again")
    }

    @Test func aResolutionByAnotherRecordIsRefusedAndOpenLeavesTheConflict() throws {
        var items = try Self.device()
        #expect(throws: KeyError.self) { try items.resolve(1, with: .merged(Item(2)), of: Self.conflict) }
        #expect(items.conflicts == [Self.conflict])
        try items.resolve(1, with: .open, of: Self.conflict)
        #expect(items.conflicts == [Self.conflict])
    }

    @Test func deletionsAreResolvedToo() throws {
        var items = try SyncCycleTests.unchanged()
        items.remove(1)
        try items.update(Item(2, 1))
        try items.merge(
            remoteChanges: Diff([.replace(old: Item(1), new: Item(1, 2)), .delete(Item(2))]), policy: .leaveOpen)
        #expect(items.conflicts.map(\.kind) == [.deletedHereEditedThere, .editedHereDeletedThere])
        try items.resolve(1, with: .local, of: items.conflicts[0])
        #expect(items.outgoingDiff == Diff([.delete(Item(1, 2))]))
        try items.resolve(2, with: .local, of: items.conflicts[0])
        #expect(items.outgoingDiff == Diff([.delete(Item(1, 2)), .add(Item(2, 1))]))
    }

    @Test func aRecordOfWhichTheRemoteStateWaitsIsNoConflictAndIsTriedAgain() throws {
        let stored = StoredCollection(
            client: [Item(1), Item(2)], shadow: [Item(1), Item(2)], version: SyncCycleTests.version,
            unresolved: [
                Conflict(base: Item(1), local: Item(1), remote: nil),
                Conflict(base: Item(2), local: Item(2), remote: Item(2, 5)),
                Conflict(base: nil, local: nil, remote: Item(3)),
            ])
        var items = try JournaledCollection(restoring: stored)
        #expect(items.conflicts.isEmpty)
        #expect(items.waiting == stored.unresolved)
        #expect(items.stored == stored)
        #expect(items.outgoingDiff == nil)
        // By hand it can be decided as well.
        var decided = items
        try decided.resolve(1, with: .local, of: stored.unresolved[0])
        #expect(decided.outgoingDiff == Diff([.add(Item(1))]))
        #expect(decided.waiting == Array(stored.unresolved[1...]))
        #expect(throws: ConflictError.self) { try decided.resolve(2, with: .remote, of: stored.unresolved[0]) }
        var cycle = SyncCycleTests.cycle(.unexpected)
        _ = try cycle.begin(&items)
        let outcome = try cycle.pulled(.changes(changed: [], deleted: [], SyncCycleTests.next), &items).outcome
        #expect(outcome?.counts == SyncCounts(pulled: ChangeCounts(added: 1, deleted: 1, replaced: 1)))
        #expect(Array(items) == [Item(2, 5), Item(3)])
        #expect(items.waiting.isEmpty)
    }

    @Test func anEditOfAWaitingRecordIsAConflict() throws {
        let stored = StoredCollection(
            client: [Item(1)], shadow: [Item(1)], unresolved: [Conflict(base: Item(1), local: Item(1), remote: nil)])
        var items = try JournaledCollection(restoring: stored)
        try items.update(Item(1, 4))
        #expect(items.conflicts == [Conflict(base: Item(1), local: Item(1, 4), remote: nil)])
        items.revert()
        #expect(items.conflicts.isEmpty && items.waiting.count == 1)
        items.remove(1)
        #expect(items.waiting.isEmpty, "here it is as it is there")
        #expect(items.localDiff == nil)
    }

    @Test func anEditToTheRemotesValueEndsTheConflict() throws {
        var items = try Self.device()
        try items.update(Item(1, 2))
        #expect(items.conflicts.isEmpty && items.waiting.isEmpty)
        #expect(items.localDiff == nil)
        #expect(items.shadow(for: 1) == Item(1, 2))
    }

    @Test func oneResolutionOfThousandsCostsNoMoreThanOneOfAFew() throws {
        var costs: [Int] = []
        for count in [10, 1_000, 10_000] {
            let counter = Counter()
            let elements = (0..<count).map { CountedElement(CountedKey($0, counter), 0, counter) }
            var items = try JournaledCollection(elements, primaryKey: { $0.key })
            for element in elements { try items.update(CountedElement(element.key, 1, counter)) }
            try items.merge(
                remoteChanges: Diff(elements.map { .replace(old: $0, new: CountedElement($0.key, 2, counter)) }),
                policy: .leaveOpen)
            #expect(items.conflicts.count == count)
            (counter.comparisons, counter.hashes) = (0, 0)
            for element in elements.prefix(10) {
                let conflict = try #require(items.conflict(for: element.key))
                try items.resolve(element.key, with: .local, of: conflict)
            }
            costs.append(counter.total)
            #expect(items.conflicts.count == count - 10)
        }
        #expect(costs.allSatisfy { $0 <= costs[0] * 11 / 10 }, "\(costs)")
        #expect(costs[0] < 10 * 50, "\(costs)")
    }
}
