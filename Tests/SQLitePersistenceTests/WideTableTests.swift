import CDifferentialSyncSQLite
import DifferentialSyncTesting
import SyncPersistence
import Testing

@testable import SQLitePersistence

/// Tables around the width up to which a record is stored by one statement.
struct WideTableTests {
    @Test(arguments: [97, 98, 99, 100, 101], [false, true])
    func wideTablesAgreeWithAStoreInMemory(columns: Int, isHierarchy: Bool) async throws {
        let schema = try WideTableTests.schema(columns: columns, isHierarchy: isHierarchy)
        let memory = InMemoryAdapter(schema: schema)
        let database = try Database(schema)
        // A record as it is new, as it is there already, and as one column alone is another, the first and the last.
        var changes = [
            ChangeSet.put(schema, "Wide", 0...2), .put(schema, "Wide", 1...1), .put(schema, "Wide", 0...3),
        ]
        for name in ["a0", "a\(columns - 2)"] {
            changes.append(.put(schema, "Wide", 1...2, [name: -1]))
            changes.append(.put(schema, "Wide", 1...2, [name: -1]))
            changes.append(.put(schema, "Wide", 1...1, [name: .null]))
            var update = ChangeSet()
            update.update(RecordID("Wide", 0), [name: -2])
            changes.append(update)
        }
        // The journal of a record that has gone and is there again.
        var deletion = ChangeSet()
        deletion.delete(RecordID("Wide", 1))
        changes += [deletion, .put(schema, "Wide", 1...1), .put(schema, "Wide", 0...1, origin: .agreed)]
        if isHierarchy { changes += [.put(schema, "Wider", 4...5), .put(schema, "Wider", 0...0)] }
        for (step, set) in changes.enumerated() {
            let expected = try await memory.commit(set)
            let found = try database.commit(set)
            #expect(found.changes.map(\.change) == expected.changes.map(\.change), "step \(step)")
            #expect(found.unchangedCount == expected.unchangedCount, "step \(step)")
            #expect(try await database.dump().differences(from: StoreDump(of: memory)) == [], "step \(step)")
        }
        let last = try database.value(RecordID("Wide", 2), "a\(columns - 2)")
        #expect(last == -1)
    }

    @Test(arguments: [10, 1_200], [false, true])
    func changesComeWithTheirRecordsInTablesOfAnyWidth(columns: Int, isHierarchy: Bool) async throws {
        let schema = try WideTableTests.schema(columns: columns, isHierarchy: isHierarchy)
        let (memory, database) = (InMemoryAdapter(schema: schema), try Database(schema))
        var deletion = ChangeSet()
        deletion.delete(RecordID("Wide", 2))
        var changes = [
            ChangeSet.put(schema, "Wide", 0...3, origin: .agreed), .put(schema, "Wide", 1...1, ["a0": -1]),
            .put(schema, "Wide", 5...6), deletion, .put(schema, "Wide", 7...7),
        ]
        if isHierarchy { changes.append(.put(schema, "Wider", 8...9)) }
        for set in changes {
            _ = try await memory.commit(set)
            _ = try database.commit(set)
        }
        @Sendable func unsent(_ transaction: ReadTransaction) throws -> [[Record?]] {
            var found: [[Record?]] = []
            try transaction.journalEntries(of: transaction.shape("Wide")).forEachChange { entry, record in
                found.append([entry.base, record])
                return true
            }
            return found
        }
        let found = try database.read(unsent)
        #expect(found.count == (isHierarchy ? 7 : 5))
        #expect(Set(found) == Set(try await memory.read(unsent)))
    }

    /// A key and attributes, in a table of the given number of columns.
    private static func schema(columns: Int, isHierarchy: Bool) throws -> Schema {
        let wide = Entity(
            "Wide",
            attributes: [Attribute("id", .integer, isPrimaryKey: true)]
                + (0..<columns - 1).map { Attribute("a\($0)", .integer) })
        return try Schema([wide] + (isHierarchy ? [Entity("Wider", parent: "Wide")] : []))
    }

    /// A database whose functions have as few arguments as in any build of SQLite.
    private struct Database {
        private let connection: Connection
        private let layout: Layout

        init(_ schema: Schema) throws {
            let connection = try Connection.inMemory()
            try connection.registerComparisons()
            try connection.setLimit(SQLITE_LIMIT_FUNCTION_ARG, to: 100)
            layout = try connection.transaction(.immediate) {
                try StoreFile(connection).migrate(by: .open(schema)).layout
            }
            self.connection = connection
        }

        func commit(_ changes: ChangeSet) throws -> Commit {
            try connection.transaction(.immediate) {
                try WriteTransaction.run(on: SQLiteStorage(connection, layout)) { try $0.apply(changes) }.commit
            }
        }

        func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
            try connection.transaction(.deferred) {
                try ReadTransaction.run(on: SQLiteStorage(connection, layout), body)
            }
        }

        func dump() throws -> StoreDump { try read { try StoreDump(of: $0) } }

        func value(_ id: RecordID, _ name: String) throws -> Value? { try read { try $0.record(id)?[name] } }
    }
}

extension ChangeSet {
    /// Stores records with the given keys, whose values are all different but for those that are given.
    fileprivate static func put(
        _ schema: Schema, _ entity: String, _ keys: ClosedRange<Int64>, _ values: [String: Value] = [:],
        origin: Origin = .local
    ) -> ChangeSet {
        var changes = ChangeSet(origin: origin)
        guard let shape = schema[entity] else { preconditionFailure("no '\(entity)'") }
        for key in keys {
            var row: [String: Value] = [:]
            for (place, slot) in shape.slots.enumerated() { row[slot.name] = .integer(key * 1_000 + Int64(place)) }
            changes.put(Record(shape, row.merging(values) { $1 }.merging(["id": .integer(key)]) { $1 }))
        }
        return changes
    }
}
