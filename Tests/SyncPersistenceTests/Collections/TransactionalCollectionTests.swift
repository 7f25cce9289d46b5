import SyncPersistence
import TestSupport
import Testing

/// Elements that are read and changed within a transaction of the store.
struct TransactionalCollectionTests {
    @Test func changesOfATransactionAreReadWithinIt() async throws {
        let items = try await itemCollection([Item(1), Item(2, 7)])
        let (changed, found, all) = try await items.store.write { transaction in
            let changed = [
                try items.edit(1, in: transaction) { $0.value = 3 }, try items.upsert(Item(2, 8), in: transaction),
                try items.upsert(Item(3), in: transaction),
            ]
            try items.upsert(contentsOf: [Item(3, 5), Item(4)], in: transaction)
            let found = [try items.element(3, in: transaction), try items.element(5, in: transaction)]
            return (changed, found, Array(try items.elements(in: transaction)))
        }.result
        #expect(changed == [Item(1, 3), Item(2, 7), nil])
        #expect(found == [Item(3, 5), nil])
        #expect(all == [Item(1, 3), Item(2, 8), Item(3, 5), Item(4)])
        #expect(try await items.elements() == [Item(1, 3), Item(2, 8), Item(3, 5), Item(4)])
    }

    @Test func transactionSelectsElements() async throws {
        let items = try await itemCollection((1...4).map { Item($0) })
        let selected = try await items.store.read { transaction in
            try items.elements(
                where: Field("id") > 1, sort: [Query.SortKey("id", isDescending: true)], limit: 2, in: transaction)
        }
        #expect(selected == [Item(4), Item(3)])
    }

    @Test func errorUndoesAllChangesOfItsTransaction() async throws {
        let items = try await itemCollection([Item(1)])
        let error = await #expect(throws: PersistenceError.self) {
            try await items.store.write { transaction in
                try items.upsert(contentsOf: [Item(1, 1), Item(2)], in: transaction)
                try items.edit(3, in: transaction) { $0.value = 1 }
            }
        }
        #expect(error?.description == "Item 3: there is no element with this key to change: insert it")
        #expect(try await items.elements() == [Item(1)])
    }

    @Test func editThatChangesTheKeyIsRefused() async throws {
        let items = try await itemCollection([Item(1)])
        let error = await #expect(throws: PersistenceError.self) {
            try await items.store.write { try items.edit(1, in: $0) { $0 = Item(3) } }
        }
        #expect(error?.code == .mismatch)
        #expect(error?.id == RecordID("Item", 1))
        #expect(try await items.elements() == [Item(1)])
    }
}
