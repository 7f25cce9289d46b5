import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

@testable import SQLitePersistence

/// Records by the thousand that come into an empty table, whose indexes are made when all are there.
@Suite("Indexes of tables that are filled")
struct BulkIndexTests {
    private static let schema = try! Schema {
        Entity("List") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("notes", toMany: "Note", inverse: "list", deleteRule: .cascade)
        }
        Entity("Note") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("text", .string)
            Relationship("list", to: "List", inverse: "notes")
        }
    }

    private let folder = TemporaryFolder()

    private func open() async throws -> SQLiteAdapter {
        try await SQLiteAdapter.open(at: folder.file(), schema: Self.schema)
    }

    /// Two lists, and notes of which one in ten is in the second.
    private static func filling(_ count: Int64) -> ChangeSet {
        var changes = ChangeSet()
        for id in 0..<2 as Range<Int64> { changes.put(Record(schema["List"]!, ["id": .integer(id)])) }
        for id in 0..<count { changes.put(note(id)) }
        return changes
    }

    private static func note(_ id: Int64) -> Record {
        Record(
            schema["Note"]!,
            ["id": .integer(id), "text": .string("\(id)"), "list": .integer(id % 10 == 0 ? 1 : 0)])
    }

    private func definitions(_ store: SQLiteAdapter) async throws -> [String] {
        try await store.withConnection { connection in
            try connection.texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        }
    }

    @Test("are those of a new file afterwards, and answer", arguments: [999, 1_000, 1_001, 2_500] as [Int64])
    func areThereAfterwards(count: Int64) async throws {
        let store = try await open()
        let before = try await definitions(store)
        try await store.commit(Self.filling(count))
        #expect(try await definitions(store) == before)
        let sound = try await store.withConnection { try $0.texts("PRAGMA integrity_check") }
        #expect(sound == ["ok"])
        let memory = InMemoryAdapter(schema: Self.schema)
        try await memory.commit(Self.filling(count))
        #expect(try await StoreDump(of: store).differences(from: StoreDump(of: memory)) == [])
    }

    @Test("are there for whoever asks while the transaction goes on")
    func areThereForQueries() async throws {
        let store = try await open()
        let (_, counts) = try await store.write { transaction in
            try transaction.apply(Self.filling(1_500))
            let first = try transaction.count(Query("Note", where: Field("list") == 1))
            // More come in behind the question, and the list takes its notes with it.
            var changes = ChangeSet()
            for id in 1_500..<3_000 as Range<Int64> { changes.put(Self.note(id)) }
            changes.delete(RecordID("List", 1))
            try transaction.apply(changes)
            return [first, try transaction.count(Query("Note")), try transaction.related(RecordID("List", 0), "notes").count]
        }
        #expect(counts == [150, 2_700, 2_700])
        #expect(try await store.withConnection { try $0.texts("PRAGMA integrity_check") } == ["ok"])
    }

    @Test("are there after a transaction that has failed, on the same connection")
    func areThereAfterAFailure() async throws {
        let store = try await open()
        let before = try await definitions(store)
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await store.write { transaction in
                try transaction.apply(Self.filling(1_500))
                throw Failure()
            }
        }
        #expect(try await definitions(store) == before)
        try await store.commit(Self.filling(10))
        let found = try await store.read { try $0.records(Query("Note", where: Field("list") == 1)).map(\.key) }
        #expect(found == [0])
    }

    @Test("are left alone where the table was not empty")
    func areLeftAlone() async throws {
        let store = try await open()
        try await store.commit(Self.filling(5))
        try await store.commit(Self.filling(2_000))
        let reopened = try await open()
        #expect(try await reopened.read { try $0.count(Query("Note", where: Field("list") == 1)) } == 200)
        #expect(try await reopened.withConnection { try $0.texts("PRAGMA integrity_check") } == ["ok"])
    }
}
