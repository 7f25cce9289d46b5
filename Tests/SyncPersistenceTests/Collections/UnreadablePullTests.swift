import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// A remote has elements that the caller cannot decode.
struct UnreadablePullTests {
    private let version = RemoteVersion(epoch: "e", commit: "1")
    private let later = RemoteVersion(epoch: "e", commit: "2")

    private func cycle(
        _ items: PersistentCollection<Item, Int>, _ pushID: String = "x", _ policy: ConflictPolicy<Item> = .unexpected
    ) -> DurableCycle<Item, Int> {
        DurableCycle(items, pushID: pushID, account: "account", policy: policy)
    }

    /// A device with the elements 1, 2 and 3, of which the remote's form of 2 cannot be read any more.
    private func device() async throws -> PersistentCollection<Item, Int> {
        let items = try await itemCollection()
        var first = cycle(items, "a")
        #expect(try await first.begin() == .pull(since: nil))
        _ = try await first.pulled(.everything([Item(1), Item(2), Item(3)], version))
        try await items.edit(2) { $0.value = 5 }
        try await items.edit(3) { $0.value = 5 }
        var second = cycle(items, "b")
        guard case .push = try await second.begin() else { throw CancellationError() }
        #expect(try await second.pushed(.refused) == .pull(since: version))
        let step = try await second.pulled(.changes(changed: [], deleted: [], later, unreadable: [2]))
        #expect(
            step
                == .push(
                    Push(id: "b.2", changes: Diff([.replace(old: Item(3), new: Item(3, 5))])!, expected: later)))
        let outcome = try await second.pushed(.accepted(later)).outcome
        #expect(outcome?.isSynced == true)
        #expect(outcome?.unreadable == [RecordID("Item", 2)])
        return items
    }

    @Test func itsLocalChangeIsKeptAndNotPushed() async throws {
        let items = try await device()
        #expect(try await items.localDiff == Diff([.replace(old: Item(2), new: Item(2, 5))]))
        #expect(try await items.outgoingDiff == nil)
        var next = cycle(items, "c")
        #expect(try await next.begin() == .pull(since: later), "the same type reads no more")
        let outcome = try await next.pulled(.changes(changed: [], deleted: [], later)).outcome
        #expect(outcome?.unreadable == [RecordID("Item", 2)])
        #expect(try await items.element(2) == Item(2, 5))
        #expect(try await items.snapshot().pullsEverything)
    }

    @Test func aPullOfEverythingDoesNotDeleteIt() async throws {
        let items = try await device()
        let opened = try await items.store.collection(of: Item.self, entity: "Item")
        var next = cycle(opened, "c")
        #expect(try await next.begin() == .pull(since: nil), "the app may have been updated")
        let outcome = try await next.pulled(.everything([Item(1), Item(3, 5)], later, unreadable: [2])).outcome
        #expect(outcome?.unreadable == [RecordID("Item", 2)])
        #expect(try await opened.sorted == [Item(1), Item(2, 5), Item(3, 5)])
        var last = cycle(opened, "d")
        #expect(try await last.begin() == .pull(since: later), "only once")
    }

    @Test func itIsMergedOnceItCanBeRead() async throws {
        let opened = try await device().store.collection(of: Item.self, entity: "Item")
        var next = cycle(opened, "c", .localWins)
        _ = try await next.begin()
        let step = try await next.pulled(.everything([Item(1), Item(2, 9), Item(3, 5)], later))
        let changes = try #require(Diff([.replace(old: Item(2, 9), new: Item(2, 5))]))
        #expect(step == .push(Push(id: "c", changes: changes, expected: later)))
        let outcome = try await next.pushed(.accepted(version)).outcome
        #expect(outcome?.unreadable == [])
        #expect(outcome?.counts.settled == 1)
    }

    @Test func itIsForgottenOnceItIsDeletedOrChanged() async throws {
        for pull in [
            Pull<Item, Int>.changes(changed: [], deleted: [2], later),
            .changes(changed: [Item(2, 9)], deleted: [], later),
        ] {
            let items = try await device()
            var next = cycle(items, "c", .remoteWins)
            _ = try await next.begin()
            #expect(try await next.pulled(pull).outcome?.unreadable == [])
            #expect(try await items.localDiff == nil)
        }
    }

    @Test func aCollectionInMemoryPullsEverythingUntilItIsRead() throws {
        var items = try JournaledCollection([Item(1), Item(2)], version: version)
        try items.upsert(Item(2, 5))
        var first = SyncCycle<Item, Int>(pushID: "a", policy: .unexpected)
        _ = try first.begin(&items)
        _ = try first.pushed(.refused, &items)
        let step = try first.pulled(.changes(changed: [Item(1, 7)], deleted: [], later, unreadable: [2]), &items)
        guard case .finished(let outcome) = step else { throw CancellationError() }
        #expect(outcome.isSynced)
        #expect(first.unreadableKeys == [2])
        #expect(Array(items) == [Item(1, 7), Item(2, 5)])

        var restored = try JournaledCollection(restoring: items.stored)
        var second = SyncCycle<Item, Int>(pushID: "b", policy: .localWins)
        #expect(try second.begin(&restored) == .pull(since: nil))
        let push = try second.pulled(.everything([Item(1, 7), Item(2, 9)], later), &restored)
        let changes = try #require(Diff([.replace(old: Item(2, 9), new: Item(2, 5))]))
        #expect(push == .push(Push(id: "b", changes: changes, expected: later)))
        #expect(second.unreadableKeys == [])
        #expect(!restored.stored.pullsEverything)
    }
}

extension DurableCycle.Step {
    /// The outcome of a cycle that has ended.
    fileprivate var outcome: CycleOutcome? { if case .finished(let outcome) = self { outcome } else { nil } }
}
