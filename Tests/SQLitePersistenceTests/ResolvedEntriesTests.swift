import DifferentialSyncTesting
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Journal entries that end because the remote has accepted the present versions.
@Suite struct ResolvedEntriesTests {
    private let folder = TemporaryFolder()

    private static let schema = try! Schema {
        Entity("Note") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("text", .string)
        }
    }

    private static func note(_ key: Int, _ text: String) throws -> Record {
        try Record("Note", in: schema, ["id": .integer(Int64(key)), "text": .string(text)])
    }

    /// New, edited and deleted records, and an unresolved one in between.
    private static func fill(_ store: some PersistenceAdapter) async throws {
        var (agreed, local) = (ChangeSet(origin: .agreed), ChangeSet())
        for key in 0..<30 { agreed.put(try note(key, "agreed")) }
        for key in 10..<50 where key % 7 != 0 { local.put(try note(key, "local")) }
        local.delete(RecordID("Note", 5))
        local.delete(RecordID("Note", 20))
        try await store.commit(agreed)
        try await store.commit(local)
        try await store.write {
            let remote = try note(17, "remote")
            try $0.putEntry(JournalEntry(id: remote.id, base: note(17, "agreed"), isUnresolved: true, remote: remote))
        }
        // A record under the key of a deleted one.
        var again = ChangeSet()
        again.put(try note(20, "again"))
        try await store.commit(again)
    }

    @Test(arguments: [
        Array(0..<50), Array((0..<50).reversed()), [], [17], [5, 6, 10], [10, 11, 12, 12, 11, 10],
        [10, 12, 11, 13, 20], Array(10..<17), Array(16..<24), [49, 48, 10, 11], [60, 10, 11, 61, 12],
    ])
    func theSameEntriesEndAsInAStoreInMemory(keys: [Int]) async throws {
        let memory = InMemoryAdapter(schema: Self.schema)
        let database = try await SQLiteAdapter.open(at: folder.file(), schema: Self.schema)
        func settle(_ store: some PersistenceAdapter) async throws -> StoreDump {
            try await Self.fill(store)
            try await store.write { try $0.acknowledgePresent(keys.map { .integer(Int64($0)) }, of: "Note") }
            return try await StoreDump(of: store)
        }
        #expect(try await settle(database).differences(from: settle(memory)) == [])
    }
}
