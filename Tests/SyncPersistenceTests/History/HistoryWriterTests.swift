import SyncPersistence
import Testing

/// The number of the history's last change, asked for while a transaction goes on.
struct HistoryWriterTests {
    private static let schema = try! Schema {
        Entity("Note") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("stars", .integer)
        }
    }

    private func note(_ id: Int64, _ stars: Int64) -> Record {
        Record(Self.schema["Note"]!, ["id": .integer(id), "stars": .integer(stars)])
    }

    @Test func transactionGoesOnAfterTheQuestion() async throws {
        let store = InMemoryAdapter(schema: Self.schema)
        var begin = ChangeSet()
        begin.keepHistory(true)
        try await store.commit(begin)
        let (first, second) = (note(1, 1), note(2, 2))
        let changed = note(2, 5)
        let result = try await store.write { transaction in
            var changes = ChangeSet()
            // The first record is gone again, so that the second one alone is a change.
            changes.put(first)
            changes.delete(RecordID("Note", 1))
            changes.put(second)
            try transaction.apply(changes)
            try transaction.setHistoryWriter("phone", of: [RecordID("Note", 2)])
            #expect(try transaction.historySequence(by: "phone") == 1)
            #expect(try transaction.historySequence(by: "desk") == nil)
            var more = ChangeSet()
            more.put(changed)
            more.put(first)
            try transaction.apply(more)
            #expect(try transaction.record(RecordID("Note", 2)) == changed)
        }
        #expect(result.commit.changes.count == 2)
        let records = try await store.read { try $0.records(Query("Note")) }
        #expect(Set(records) == [first, changed])
    }
}
