import SyncPersistence
import TestSupport
import Testing

@testable import SQLitePersistence

/// New records, which are written by batches, and by another thread if there are many.
struct WriteBehindTests {
    private let folder = TemporaryFolder()
    private static let batch = WriteBehind.batchSize

    private static func tags(_ keys: some Sequence<Int>) -> ChangeSet {
        var changes = ChangeSet()
        for key in keys { changes.put(tag(key)) }
        return changes
    }

    private static func tag(_ key: Int) -> Record { Record(Authorship.schema["Tag"]!, ["id": .integer(Int64(key))]) }

    @Test(arguments: [1, batch - 1, batch, batch + 1, 2 * batch, 5 * batch + 3])
    func pendingRowsAreVisibleToEveryLaterQuery(count: Int) async throws {
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: Authorship.schema)
        let changes = WriteBehindTests.tags(0..<count)
        let last = RecordID("Tag", .integer(Int64(count - 1)))
        let outcome = try await store.write { transaction in
            try transaction.apply(changes)
            let found = try transaction.records(Query("Tag")).map(\.key)
            var more = ChangeSet()
            more.delete(last)
            try transaction.apply(more)
            return (found, try transaction.count(Query("Tag")))
        }
        #expect(outcome.result.0 == (0..<count).map { .integer(Int64($0)) })
        #expect(outcome.result.1 == count - 1)
        #expect(outcome.commit.changes.count == count - 1)
        #expect(try await store.read { try $0.count(Query("Tag")) } == count - 1)
        #expect(try await store.read { try $0.record(last) } == nil)
    }

    @Test(arguments: [0, batch - 1, batch, 3 * batch])
    func rowThatCannotBeWrittenAbortsTheTransactionEvenIfTheBodyIgnoresIt(key: Int) async throws {
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: Authorship.schema)
        let other = try Connection.open(.file(folder.file()))
        try other.run(
            "CREATE TRIGGER refusal BEFORE INSERT ON Tag WHEN NEW.id = \(key) BEGIN SELECT RAISE(ABORT, 'no'); END")
        let changes = WriteBehindTests.tags(0..<5 * WriteBehindTests.batch)
        let error = await #expect(throws: PersistenceError.self) {
            try await store.write { transaction in
                try? transaction.apply(changes)
                _ = try? transaction.records(Query("Tag"))
                try? transaction.apply(WriteBehindTests.tags([-1]))
            }
        }
        #expect(error?.code == .constraint)
        #expect(try await store.read { try $0.count(Query("Tag")) } == 0)
        // The connection is as good as new.
        try await store.commit(WriteBehindTests.tags([-1]))
        #expect(try await store.read { try $0.records(Query("Tag")).map(\.key) } == [-1])
    }

    @Test(arguments: [1, batch, 2 * batch + 1])
    func pendingRowsAreDiscardedIfTheBodyThrows(count: Int) async throws {
        struct Refusal: Error {}
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: Authorship.schema)
        let changes = WriteBehindTests.tags(0..<count)
        await #expect(throws: Refusal.self) {
            try await store.write { transaction in
                try transaction.apply(changes)
                throw Refusal()
            }
        }
        #expect(try await store.read { try $0.count(Query("Tag")) } == 0)
        try await store.commit(changes)
        #expect(try await store.read { try $0.count(Query("Tag")) } == count)
    }

    @Test(arguments: [1, 2 * batch + 1])
    func pendingRowsOfAMigrationAreWritten(count: Int) throws {
        let connection = try Connection.inMemory()
        try connection.registerComparisons()
        try connection.transaction(.immediate) {
            let layout = try StoreFile(connection).migrate(by: .open(Authorship.schema)).layout
            let indexes = "SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name"
            let before = try connection.texts(indexes)
            let tables = SQLiteMigration(connection: connection)
            try tables.withStorage(of: layout) { storage in
                for key in 0..<count { try storage.insert(WriteBehindTests.tag(key)) }
            }
            #expect(try connection.integer("SELECT count(*) FROM Tag") == count)
            #expect(try connection.texts(indexes) == before)
        }
    }

    @Test func pendingRowsAreWrittenInOrder() throws {
        var written: [Value] = []
        let rows = WriteBehind { row in
            if case .record(let record) = row { written.append(record.key) }
        }
        let count = 4 * WriteBehind.batchSize + 7
        for key in 0..<count {
            try rows.append(.record(WriteBehindTests.tag(key)))
            if key % 1_000 == 999 { try rows.settle() }
        }
        try rows.settle()
        #expect(written == (0..<count).map { .integer(Int64($0)) })
    }

    @Test func failedWriteIsRethrownByLaterCalls() throws {
        struct Refusal: Error {}
        var isBroken = true
        let rows = WriteBehind { _ in if isBroken { throw Refusal() } }
        try rows.append(.record(WriteBehindTests.tag(1)))
        #expect(throws: Refusal.self) { try rows.settle() }
        isBroken = false
        #expect(throws: Refusal.self) { try rows.settle() }
    }

    @Test func abandonedRowsAreNotWritten() throws {
        var count = 0
        let rows = WriteBehind { _ in count += 1 }
        for _ in 0...WriteBehind.batchSize { try rows.append(.record(WriteBehindTests.tag(1))) }
        rows.abandon()
        try rows.settle()
        #expect(count == WriteBehind.batchSize)
    }
}
