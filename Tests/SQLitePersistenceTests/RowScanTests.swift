import DifferentialSyncTesting
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Lookups by key in transactions that only read, which follow the order of the rows as far as the keys do.
@Suite("Row scans")
struct RowScanTests {
    private let folder = TemporaryFolder()

    private static let schema = try! Schema {
        Entity("Note") {
            Attribute("id", .string, isPrimaryKey: true)
            Attribute("number", .integer)
        }
        Entity("Tag") { Attribute("id", .integer, isPrimaryKey: true) }
    }

    private static func note(_ number: Int, _ value: Int? = nil) -> Record {
        // Keys whose order is not that of the rows.
        let values: [String: Value] = ["id": key(number), "number": .integer(Int64(value ?? number))]
        return try! Record("Note", in: schema, values)
    }

    private static func key(_ number: Int) -> Value { .string("\((number * 7_919) % 1_000)") }

    private func open(notes: Range<Int>) async throws -> SQLiteAdapter {
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: Self.schema)
        var changes = ChangeSet()
        for number in notes {
            changes.put(Self.note(number))
            changes.put(try Record("Tag", in: Self.schema, ["id": .integer(Int64(number))]))
        }
        try await store.commit(changes)
        return store
    }

    @Test(arguments: [
        Array(0..<50), Array((0..<50).reversed()), [0, 1, 2, 3, 7, 8, 9, 10, 9, 10, 11, 12, 13],
        [0, 1, 2, 2, 2, 3, 4, 5, 5, 6], [48, 49, 50, 51, 0, 1, 2, 60, 3, 4], [0, 1, 60, 2, 3, 4, 5, 20, 21, 22, 23],
    ])
    func eachKeyFindsItsRecordInAnyOrder(numbers: [Int]) async throws {
        let store = try await open(notes: 0..<50)
        try await store.read { transaction in
            for number in numbers {
                let found = try transaction.record(RecordID("Note", Self.key(number)))
                #expect(found == (number < 50 ? Self.note(number) : nil), "\(number)")
                // Another table is read in between.
                let tag = try transaction.record(RecordID("Tag", .integer(Int64(number))))
                #expect((tag != nil) == (number < 50), "\(number)")
            }
        }
    }

    @Test func deletedRowsAreSkipped() async throws {
        let store = try await open(notes: 0..<20)
        var changes = ChangeSet()
        for number in [3, 4, 9, 19] { changes.delete(RecordID("Note", Self.key(number))) }
        try await store.commit(changes)
        try await store.read { transaction in
            for number in 0..<20 {
                let found = try transaction.record(RecordID("Note", Self.key(number)))
                #expect(found == ([3, 4, 9, 19].contains(number) ? nil : Self.note(number)), "\(number)")
            }
        }
    }

    @Test func aReadThatEndsWithinAScanSeesTheNextCommitLater() async throws {
        struct Stop: Error {}
        let store = try await open(notes: 0..<20)
        for round in 1..<5 {
            _ = try? await store.read { transaction in
                for number in 0..<10 { _ = try transaction.record(RecordID("Note", Self.key(number))) }
                if round % 2 == 0 { throw Stop() }
            }
            var changes = ChangeSet()
            for number in 0..<20 { changes.put(Self.note(number, round)) }
            try await store.commit(changes)
            try await store.read { transaction in
                for number in 0..<20 {
                    let found = try transaction.record(RecordID("Note", Self.key(number)))
                    #expect(found == Self.note(number, round), "\(number)")
                }
            }
        }
    }
}
