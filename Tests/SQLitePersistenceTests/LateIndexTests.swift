import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

@testable import SQLitePersistence

/// Indexes of tables that were empty, which are made once their rows are written.
@Suite("Late indexes")
struct LateIndexTests {
    private let folder = TemporaryFolder()
    private static let count = 3 * WriteBehind.batchSize

    /// Authors with a post each, of which each second one has tags.
    private static func posts(_ keys: Range<Int>, origin: ChangeSet.Origin = .local) -> ChangeSet {
        var changes = ChangeSet(origin: origin)
        for key in keys {
            // The post comes before its author.
            changes.put(
                Record(Authorship.schema["Post"]!, ["id": .integer(Int64(key)), "author": .integer(Int64(key))]))
            changes.put(Record(Authorship.schema["User"]!, ["id": .integer(Int64(key))]))
            changes.put(Record(Authorship.schema["Tag"]!, ["id": .integer(Int64(key))]))
            if key % 2 == 0 { changes.link(RecordID("Post", .integer(Int64(key))), "tags", to: .integer(Int64(key))) }
        }
        return changes
    }

    private func open() async throws -> SQLiteAdapter {
        try await SQLiteAdapter.open(at: folder.file(), schema: Authorship.schema)
    }

    /// The definitions of all tables and indexes of the file.
    private func definitions() throws -> Set<String> {
        let connection = try Connection.open(.file(folder.file()))
        defer { connection.close() }
        return Set(try connection.texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
    }

    private func requireSound() throws {
        let connection = try Connection.open(.file(folder.file()))
        defer { connection.close() }
        #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
        #expect(try connection.texts("PRAGMA foreign_key_check") == [])
    }

    @Test(arguments: [ChangeSet.Origin.local, .agreed])
    func newRecordsLeaveAllIndexesInTheFile(origin: ChangeSet.Origin) async throws {
        let store = try await open()
        let before = try definitions()
        try await store.commit(LateIndexTests.posts(0..<LateIndexTests.count, origin: origin))
        #expect(try definitions() == before)
        try requireSound()
        let memory = InMemoryAdapter(schema: Authorship.schema)
        try await memory.commit(LateIndexTests.posts(0..<LateIndexTests.count, origin: origin))
        #expect(try await StoreDump(of: store).differences(from: StoreDump(of: memory)) == [])
    }

    @Test func queriesBetweenNewRecordsFindWhatTheyFindInMemory() async throws {
        let count = LateIndexTests.count
        @Sendable func run(_ transaction: WriteTransaction) throws -> [[Value]] {
            var found: [[Value]] = []
            for part in 0..<3 {
                try transaction.apply(LateIndexTests.posts(part * count..<(part + 1) * count))
                let key = Value.integer(Int64(part * count + 6))
                found.append([try transaction.record(RecordID("Post", key))?.key ?? .null])
                found.append(
                    try transaction.records(Query("Post", where: Field("author") == key)).map(\.key))
                found.append(
                    try transaction.records(Query("Post", where: Field("author.id") > key)).map(\.key))
                found.append([.integer(Int64(try transaction.count(Query("Tag", where: Field("id") > key))))])
                found.append(try transaction.related(RecordID("Post", key), "tags"))
                var changes = ChangeSet()
                changes.delete(RecordID("User", key))
                changes.put(Record(Authorship.schema["Tag"]!, ["id": key]))
                try transaction.apply(changes)
            }
            return found
        }
        let store = try await open()
        let before = try definitions()
        let memory = InMemoryAdapter(schema: Authorship.schema)
        #expect(try await store.write(run).result == memory.write(run).result)
        #expect(try definitions() == before)
        try requireSound()
        #expect(try await StoreDump(of: store).differences(from: StoreDump(of: memory)) == [])
    }

    @Test func failedTransactionsRestoreIndexes() async throws {
        struct Refusal: Error {}
        let store = try await open()
        let before = try definitions()
        for readsFirst in [false, true] {
            await #expect(throws: Refusal.self) {
                try await store.write { transaction in
                    try transaction.apply(LateIndexTests.posts(0..<LateIndexTests.count))
                    if readsFirst { _ = try transaction.records(Query("Post", where: Field("author") == 1)) }
                    throw Refusal()
                }
            }
            #expect(try definitions() == before)
        }
        try await store.commit(LateIndexTests.posts(0..<LateIndexTests.count))
        try requireSound()
    }

    @Test func indexesThatCannotBeMadeLetTheTransactionFail() async throws {
        let store = try await open()
        let before = try definitions()
        let connection = try Connection.open(.file(folder.file()))
        // A second row with a key, of which the library knows nothing.
        try connection.execute(
            "CREATE TRIGGER twice AFTER INSERT ON Tag WHEN NEW.id = 600 BEGIN "
                + "INSERT INTO Tag (\"sync.digest\", id) VALUES (0, 5); END")
        connection.close()
        let error = await #expect(throws: PersistenceError.self) {
            try await store.write { transaction in
                try transaction.apply(LateIndexTests.posts(0..<LateIndexTests.count))
                for _ in 0..<2 { _ = try? transaction.records(Query("Tag", where: Field("id") > 5)) }
            }
        }
        #expect(error?.code == .constraint)
        try await store.pool.write { try $0.execute("DROP TRIGGER twice") }
        #expect(try definitions() == before)
        try await store.commit(LateIndexTests.posts(0..<LateIndexTests.count))
        #expect(try definitions() == before)
        try requireSound()
    }

    @Test func danglingReferencesOfManyNewRecordsAreRefused() async throws {
        let store = try await open()
        var changes = LateIndexTests.posts(0..<LateIndexTests.count)
        changes.put(Record(Authorship.schema["Post"]!, ["id": -1, "author": -1]))
        let refused = changes
        await #expect(throws: PersistenceError.self) { try await store.commit(refused) }
        #expect(try await store.read { try $0.count(Query("Post")) } == 0)
    }

    @Test func tablesWithMoreRowsKeepTheirIndexes() async throws {
        let store = try await open()
        try await store.commit(LateIndexTests.posts(0..<LateIndexTests.count))
        let version = try await store.pool.read { try $0.integer(ofPragma: "schema_version") }
        try await store.commit(LateIndexTests.posts(LateIndexTests.count..<2 * LateIndexTests.count))
        #expect(try await store.pool.read { try $0.integer(ofPragma: "schema_version") } == version)
    }
}
