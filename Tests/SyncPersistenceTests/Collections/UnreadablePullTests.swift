import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// `Item` after an update that makes its value optional: the names of its members are the same.
private struct OpenItem: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var value: Int?
}

/// A remote has elements that the caller cannot decode.
struct UnreadablePullTests {
    private let version = RemoteVersion(epoch: "e", commit: "1")
    private let later = RemoteVersion(epoch: "e", commit: "2")

    private func cycle(
        _ items: PersistentCollection<Item, Int>, _ pushID: String = "x", _ policy: ConflictPolicy<Item> = .unexpected
    ) -> DurableCycle<Item, Int> {
        DurableCycle(items, pushID: pushID, account: "account", recognizesPushes: true, policy: policy)
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

    private func updated(
        _ items: PersistentCollection<Item, Int>
    ) async throws -> PersistentCollection<OpenItem, Int> {
        try await items.store.collection(of: OpenItem.self, entity: "Item", formerly: "Item")
    }

    @Test func openingItAgainPullsWhatHasChanged() async throws {
        let items = try await device()
        for opening in 1...3 {
            let opened = try await items.store.collection(of: Item.self, entity: "Item")
            var next = cycle(opened, "c\(opening)")
            #expect(try await next.begin() == .pull(since: later))
            let outcome = try await next.pulled(.changes(changed: [], deleted: [], later)).outcome
            #expect(outcome?.unreadable == [RecordID("Item", 2)])
        }
    }

    @Test func aCollectionWithoutElementsPullsEverything() async throws {
        let items = try await itemCollection()
        for opening in 1...3 {
            let opened = try await items.store.collection(of: Item.self, entity: "Item")
            var next = cycle(opened, "c\(opening)")
            #expect(try await next.begin() == .pull(since: nil), "nothing shows how the type reads")
            _ = try await next.pulled(.everything([], later, unreadable: [2]))
            var second = cycle(opened, "d\(opening)")
            #expect(try await second.begin() == .pull(since: later))
        }
    }

    @Test func itIsLookedAtAgainAtTheEighthOpening() async throws {
        let items = try await device()
        var everything: [Int] = []
        for opening in 1...17 {
            let opened = try await items.store.collection(of: Item.self, entity: "Item")
            // A cycle that pulls nothing does not count.
            var lost = cycle(opened, "lost \(opening)")
            _ = try await lost.begin()
            _ = try await lost.failed()
            var next = cycle(opened, "c\(opening)")
            if try await next.begin() == .pull(since: nil) {
                everything.append(opening)
                _ = try await next.pulled(.everything([Item(1), Item(3, 5)], later, unreadable: [2]))
            } else {
                _ = try await next.pulled(.changes(changed: [], deleted: [], later))
            }
        }
        #expect(everything == [8, 16])
        #expect(try await items.element(2) == Item(2, 5))
    }

    @Test func aTypeThatReadsMembersOtherwisePullsEverythingOnce() async throws {
        let opened = try await updated(device())
        let policy = ConflictPolicy<OpenItem>.unexpected
        var next = DurableCycle(opened, pushID: "c", account: "account", policy: policy)
        #expect(try await next.begin() == .pull(since: nil), "the member may be missing now")
        let all = [OpenItem(id: 1, value: 0), OpenItem(id: 3, value: 5)]
        let outcome = try await next.pulled(.everything(all, later, unreadable: [2])).outcome
        #expect(outcome?.unreadable == [RecordID("Item", 2)])
        #expect(try await opened.element(2) == OpenItem(id: 2, value: 5), "it is not deleted")
        let openedAgain = try await updated(PersistentCollection(in: opened.store, coding: .json(entity: "Item")))
        var last = DurableCycle(openedAgain, pushID: "d", account: "account", policy: policy)
        #expect(try await last.begin() == .pull(since: later), "only once")
    }

    @Test func itIsMergedOnceItCanBeRead() async throws {
        let opened = try await updated(device())
        var next = DurableCycle(opened, pushID: "c", account: "account", policy: .localWins)
        _ = try await next.begin()
        let all = [OpenItem(id: 1, value: 0), OpenItem(id: 2), OpenItem(id: 3, value: 5)]
        let step = try await next.pulled(.everything(all, later))
        let changes = try #require(Diff([.replace(old: OpenItem(id: 2), new: OpenItem(id: 2, value: 5))]))
        #expect(step == .push(Push(id: "c", changes: changes, expected: later)))
        guard case .finished(let outcome) = try await next.pushed(.accepted(version)) else { throw CancellationError() }
        #expect(outcome.unreadable == [])
        #expect(outcome.counts.resolved == 1)
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
        var first = SyncCycle<Item, Int>(pushID: "a", recognizesPushes: true, policy: .unexpected)
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
