import SyncPersistence
import TestSupport
import Testing

/// What a history costs, in the rows that a store in memory examines.
struct HistoryCostTests {
    private static let schema = try! Schema {
        Entity("Note") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("stars", .integer)
        }
    }

    private func store(of count: Int64) async throws -> InMemoryAdapter {
        let store = InMemoryAdapter(schema: Self.schema)
        var changes = ChangeSet()
        changes.keepHistory(true)
        for id in 0..<count { changes.put(Record(Self.schema["Note"]!, ["id": .integer(id)])) }
        try await store.commit(changes)
        return store
    }

    /// Returns how many rows a body examines.
    private func examined(
        in store: InMemoryAdapter, _ body: @escaping @Sendable (ReadTransaction) throws -> Void
    ) async throws -> Int {
        try await store.read { transaction in
            guard let storage = transaction.storage as? InMemoryStorage else { return -1 }
            let before = storage.examinedCount
            try body(transaction)
            return storage.examinedCount - before
        }
    }

    @Test func pageExaminesAsManyRowsAsItHas() async throws {
        let store = try await store(of: 5_000)
        for start in [0, 2_000, 4_900] as [Int64] {
            let count = try await examined(in: store) { transaction in
                let page = try transaction.history(after: start, limit: 100)
                #expect(page.count == 100)
            }
            #expect(count == 100)
        }
        let none = try await examined(in: store) { transaction in
            let page = try transaction.history(after: 5_000, limit: 100)
            #expect(page.isEmpty)
        }
        #expect(none == 0)
    }

    @Test func commitExaminesNoOtherRows() async throws {
        let store = try await store(of: 5_000)
        let examined = try await store.write { transaction in
            guard let storage = transaction.storage as? InMemoryStorage else { return -1 }
            var changes = ChangeSet()
            changes.update(RecordID("Note", 7), ["stars": 1])
            changes.delete(RecordID("Note", 8))
            try transaction.apply(changes)
            return storage.examinedCount
        }.result
        #expect(examined == 0)
        #expect(try await store.read { try $0.history(after: 5_000, limit: 9) }.map(\.id.key) == [7, 8])
    }

    @Test func forgettingExaminesTheRowsSinceTheLastTime() async throws {
        let store = try await store(of: 5_000)
        for id in 0..<20 as Range<Int64> {
            var changes = ChangeSet()
            changes.delete(RecordID("Note", .integer(id)))
            try await store.commit(changes)
        }
        func forget(through number: Int64) async throws -> Int {
            try await store.write { transaction in
                guard let storage = transaction.storage as? InMemoryStorage else { return -1 }
                let before = storage.examinedCount
                var changes = ChangeSet()
                changes.forgetHistory(through: number)
                try transaction.apply(changes)
                return storage.examinedCount - before
            }.result
        }
        #expect(try await forget(through: 5_010) <= 5_200)
        #expect(try await forget(through: 5_020) <= 20)
        #expect(try await store.read { try $0.history(after: 5_000, limit: 9) }.isEmpty)
    }
}
