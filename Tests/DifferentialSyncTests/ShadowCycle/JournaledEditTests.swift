import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// Edits of many elements at once, and the keys of a journaled collection.
struct JournaledEditTests {
    struct Refused: Error {}

    func collection(_ items: [Item]) throws -> JournaledCollection<Item, Int> {
        try JournaledCollection(items, primaryKey: \.id)
    }

    @Test func keysAreThoseOfTheElementsInTheirOrder() throws {
        var items = try collection([Item(3), Item(1), Item(2)])
        #expect(Array(items.keys) == [3, 1, 2])
        items.remove(1)
        try items.insert(Item(7))
        #expect(Array(items.keys) == [3, 2, 7])
        #expect(items.contains(key: 7) && !items.contains(key: 1))
    }

    @Test func removingManyIsALocalChange() throws {
        var items = try collection((0..<10).map { Item($0) })
        items.removeAll { $0.id % 2 == 0 }
        #expect(items.map(\.id) == [1, 3, 5, 7, 9])
        #expect(items.localDiff?.delete.map(\.id) == [0, 2, 4, 6, 8])
        items.removeAll { _ in true }
        #expect(items.isEmpty)
        #expect(items.localDiff?.delete.count == 10)
    }

    @Test func aPredicateThatThrowsRemovesNothing() throws {
        var items = try collection([Item(1), Item(2)])
        #expect(throws: Refused.self) {
            try items.removeAll { item throws(Refused) in
                if item.id == 2 { throw Refused() }
                return true
            }
        }
        #expect(items.count == 2)
        #expect(items.localDiff == nil)
    }

    @Test func anAppliedDiffIsALocalChange() throws {
        let old = [Item(1), Item(2), Item(3)]
        let new = [Item(1, 5), Item(3), Item(4)]
        var items = try collection(old)
        try items.apply(identifiedDiff(wins: new, loses: old))
        #expect(Array(items) == new)
        #expect(items.localDiff == (try identifiedDiff(wins: new, loses: old)))
        try items.apply(nil)
        #expect(Array(items) == new)
    }

    /// The same elements, in the same order but for those that come in, as a merge in which the new value always wins.
    @Test func applyingADiffIsAMerge() throws {
        let seed = SeededGenerator.testSeed(1)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let lists = (0..<3).map { _ in generator.items(8, keys: 10, values: 2) }
            for changes in [
                try diff(wins: lists[0], loses: lists[1], primaryKey: \.id), diff(wins: lists[0], loses: lists[1]),
            ] {
                var items = try collection(lists[2])
                try items.apply(changes)
                let merged = merge(into: lists[2], applying: changes, primaryKey: \.id) { _, _ in true }
                #expect(Set(items) == Set(merged), "seed \(seed): \(lists)")
                #expect(items.shadow == lists[2], "seed \(seed)")
                let expected = try diff(wins: merged, loses: lists[2], primaryKey: \.id)
                #expect(Set(items.localDiff?.changes ?? []) == Set(expected?.changes ?? []), "seed \(seed)")
            }
        }
    }

    @Test func aDiffWithTwoChangesForOneKeyChangesNothing() throws {
        var items = try collection([Item(1)])
        let error = #expect(throws: KeyError.self) {
            try items.apply(Diff([.add(Item(2)), .add(Item(3)), .add(Item(3, 1))]))
        }
        #expect(error?.code == .duplicate)
        #expect(Array(items) == [Item(1)])
        #expect(items.localDiff == nil)
    }

    @Test func aStepDoesNotNeedATypeOfKeys() throws {
        var items = try collection([Item(1)])
        var cycle = SyncCycle<Item, Int>(pushID: "a", policy: .localWins)
        let step: SyncStep<Item> = try cycle.begin(&items)
        #expect(step == .pull(since: nil))
    }
}
