import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct PersistentCollectionTests {
    @Test func elementsAreFoundByKeyAndKeepInsertionOrder() async throws {
        let items = try await itemCollection([Item(7, 1), Item(2, 5), Item(5)])
        try await items.upsert(Item(7, 3))
        #expect(try await items.elements() == [Item(7, 3), Item(2, 5), Item(5)])
        #expect(try await items.element(2) == Item(2, 5))
        #expect(try await items.element(3) == nil)
        #expect(try await items.count == 3)
        let two = try await items.store.read { transaction in
            var some: [Item] = []
            _ = try items.forEach(in: transaction) { item in
                some.append(item)
                return some.count < 2
            }
            return some
        }
        #expect(two == [Item(7, 3), Item(2, 5)])
        #expect(try await items.forEach { [7, 2, 5].contains($0.id) } == [])
    }

    @Test func eachChangeReturnsThePreviousElement() async throws {
        let items = try await itemCollection()
        try await items.insert(Item(1))
        #expect(try await items.upsert(Item(1, 2)) == Item(1))
        #expect(try await items.upsert(Item(2)) == nil)
        #expect(try await items.update(Item(2, 7)) == Item(2))
        #expect(try await items.edit(2) { $0.value += 1 } == Item(2, 8))
        #expect(try await items.remove(1) == Item(1, 2))
        #expect(try await items.remove(1) == nil)
        #expect(try await items.elements() == [Item(2, 8)])
    }

    @Test func invalidChangesAreRefusedWithAReason() async throws {
        let items = try await itemCollection([Item(1)])
        await expectError(
            "Item 1: there is an element with this key already: update it, or insert one with another key"
        ) {
            try await items.insert(Item(1, 5))
        }
        await expectError("Item 2: there is no element with this key to change: insert it") {
            try await items.update(Item(2))
        }
        await expectError("Item 2: there is no element with this key to change: insert it") {
            try await items.edit(2) { $0.value = 1 }
        }
        await expectError(
            "Item 1: the edit has changed the key: remove the element, and insert one with the other key"
        ) {
            try await items.edit(1) { $0 = Item(3) }
        }
        #expect(try await items.elements() == [Item(1)])
    }

    @Test func errorInAnEditChangesNothing() async throws {
        struct Failure: Error {}
        let items = try await itemCollection([Item(1)])
        await #expect(throws: Failure.self) {
            try await items.edit(1) { item in
                item.value = 9
                throw Failure()
            }
        }
        #expect(try await items.element(1) == Item(1))
    }

    @Test func editsOfManyTasksAreAtomic() async throws {
        let items = try await itemCollection([Item(1)])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await items.edit(1) { $0.value += 1 } } }
            try await group.waitForAll()
        }
        #expect(try await items.element(1) == Item(1, 100))
    }

    @Test func equalElementChangesNothingEvenIfItsJSONDiffers() async throws {
        let tags = try await emptyStore().collection(of: Tags.self, entity: "Tags")
        try await tags.insert(Tags(id: "a", names: Set((0..<40).map { "tag \($0)" })))
        let sequence = try await tags.store.read { try $0.sequence }
        for _ in 0..<5 {
            try await tags.upsert(Tags(id: "a", names: Set((0..<40).reversed().map { "tag \($0)" })))
        }
        #expect(try await tags.store.read { try $0.sequence } == sequence)
    }

    @Test func severalOperationsCanShareOneTransaction() async throws {
        let store = try emptyStore()
        let (drafts, sent) = (
            try await store.collection(of: Item.self, entity: "Draft"),
            try await store.collection(of: Item.self, entity: "Sent")
        )
        try await drafts.insert(Item(1))
        let move: @Sendable (WriteTransaction) throws -> Void = { transaction in
            if let draft = try drafts.remove(1, in: transaction) { try sent.insert(draft, in: transaction) }
        }
        let commit = try await store.write(move).commit
        #expect(commit.changes.count == 2)
        try await drafts.insert(Item(1, 2))
        await #expect(throws: PersistenceError.self) { try await store.write(move) }
        #expect(try await drafts.elements() == [Item(1, 2)])
        #expect(try await sent.elements() == [Item(1)])
    }

    @Test func journalReportsLocalChangesAndCanRevertThem() async throws {
        let items = try await synchronizedItems([Item(1), Item(2), Item(3)])
        #expect(try await items.localDiff == nil)
        try await items.upsert(Item(1, 5))
        try await items.remove(2)
        try await items.insert(Item(4))
        let diff = Diff([.replace(old: Item(1), new: Item(1, 5)), .delete(Item(2)), .add(Item(4))])
        #expect(try await items.localDiff == diff)
        #expect(try await items.outgoingDiff == diff)
        #expect(try await items.shadow(for: 1) == Item(1))
        #expect(try await items.shadow(for: 2) == Item(2))
        #expect(try await items.shadow(for: 3) == Item(3))
        #expect(try await items.shadow(for: 4) == nil)
        try await items.revert()
        #expect(try await items.localDiff == nil)
        #expect(try await items.sorted == [Item(1), Item(2), Item(3)])
    }

    @Test(.timeLimit(.minutes(5)))
    func observersReceiveOnlyTheChangesOfTheirCollection() async throws {
        let items = try await synchronizedItems([Item(1)])
        let others = try await items.store.collection(of: Note.self, entity: "Note")
        var updates = items.changes().makeAsyncIterator()
        try await others.insert(Note(id: 1, text: "another"))
        try await items.upsert(Item(1, 5))
        try await items.upsert(Item(1, 5))
        try await items.upsert(contentsOf: [Item(2), Item(3), Item(2, 2)])
        let first = try #require(await updates.next())
        #expect(first.diff == Diff([.replace(old: Item(1), new: Item(1, 5))]))
        #expect(first.isLocal)
        let second = try #require(await updates.next())
        #expect(second.diff == Diff([.add(Item(2, 2)), .add(Item(3))]))
        #expect(second.sequence > first.sequence)

        var server = SimulatedItems()
        server.remote.reset(to: [])
        server.remote.reset(to: [Item(1), Item(9)])
        try await items.synchronize(with: server.server, pushID: "a", policy: .remoteWins)
        let third = try #require(await updates.next())
        #expect(!third.isLocal)
        #expect(third.diff?.add == [Item(9)])
    }
}
