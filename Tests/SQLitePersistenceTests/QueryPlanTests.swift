import CDifferentialSyncSQLite
import Foundation
import SyncPersistence
import TestSupport
import Testing

@testable import SQLitePersistence

/// How many steps SQLite takes for a query of 20,000 records, in a file without statistics.
struct QueryPlanTests {
    private static let count = 20_000

    private static let schema: Schema = {
        do {
            return try Schema {
                Entity("Task") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string, isIndexed: true)
                    Attribute("link", .url, isIndexed: true)
                    Attribute("status", .integer, isIndexed: true)
                    Attribute("project", .integer, isIndexed: true)
                    Attribute("price", .decimal, isIndexed: true)
                    Attribute("rank", .integer, isIndexed: true)
                    Attribute("text", .string)
                }
                Entity("Seat") {
                    Attribute("row", .integer, isPrimaryKey: true)
                    Attribute("number", .integer, isPrimaryKey: true)
                    Relationship("tickets", toMany: "Ticket", inverse: "seat")
                }
                Entity("Ticket") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("seat", to: "Seat", inverse: "tickets")
                }
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// A task whose status is one of three, and whose project is one of a thousand.
    private static func task(_ number: Int) -> Record {
        var task = Record(schema["Task"]!, ["id": .integer(Int64(number))])
        task["name"] = number == 7 ? .null : .string("n\(number)")
        task["link"] = .url(.init(string: "https://example.com/\(number)")!)
        task["status"] = .integer(Int64(number % 3))
        task["project"] = .integer(Int64(number % 1_000))
        task["price"] = .decimal(.init(number))
        task["rank"] = .integer(Int64(number * 7919 % 20_011))
        task["text"] = .string("t\(number % 5_000)")
        return task
    }

    /// Counts the steps of all statements on a store's connection.
    // because: only the connection's thread counts, and the test reads while no statement runs.
    private final class StepCounter: @unchecked Sendable {
        var steps = 0

        static func counting(_ store: SQLiteAdapter) async throws -> StepCounter {
            let counter = StepCounter()
            try await store.pool.read { connection in
                // because: the counter is never released, so SQLite may count until the store is closed.
                let context = Unmanaged.passRetained(counter).toOpaque()
                sqlite3_trace_v2(
                    connection.handle, UInt32(SQLITE_TRACE_PROFILE),
                    { _, context, statement, _ in
                        guard let context, let statement else { return 0 }
                        // because: the counter is never released.
                        Unmanaged<StepCounter>.fromOpaque(context).takeUnretainedValue().steps += Int(
                            sqlite3_stmt_status(OpaquePointer(statement), SQLITE_STMTSTATUS_VM_STEP, 1))
                        return 0
                    }, context)
            }
            return counter
        }
    }

    private static func filledStore() async throws -> SQLiteAdapter {
        let store = try await SQLiteAdapter.inMemory(schema: schema)
        var changes = ChangeSet(origin: .agreed)
        for number in 0..<count { changes.put(task(number)) }
        for number in 0..<count / 4 {
            let (row, seat) = (Int64(number / 50), Int64(number % 50))
            changes.put(Record(schema["Seat"]!, ["row": .integer(row), "number": .integer(seat)]))
            let key = Value.array([.integer(row), .integer(seat)])
            changes.put(Record(schema["Ticket"]!, ["id": .integer(Int64(number)), "seat": key]))
        }
        try await store.commit(changes)
        return store
    }

    private static let queries: [(Query, count: Int, steps: Int)] = [
        // Two conditions and a sort: by the more selective index, whichever comes first.
        (
            Query("Task", where: Field("status") == 1 && Field("project") == 7, sort: [Query.SortKey("rank")]),
            7, 3_000
        ),
        (
            Query("Task", where: Field("project") == 7 && Field("status") == 1, sort: [Query.SortKey("rank")]),
            7, 3_000
        ),
        // Averages would mislead here: one name has few records, and one status thousands.
        (Query("Task", where: Field("status") == 1 && Field("rank") < 20), 6, 3_000),
        // Ranges of the key, with and without an end.
        (Query("Task", where: Field("id") < 50), 50, 3_000),
        (Query("Task", where: Field("id") >= 100 && Field("id") < 120), 20, 3_000),
        (Query("Task", where: Field("id") > 10_000, sort: [Query.SortKey("id")], limit: 20), 20, 1_000),
        // Many keys: a look-up for each.
        (Query("Task", where: Field("id").isOne(of: (0..<1_000).map { Value.integer($0 * 3) })), 1_000, 40_000),
        (
            Query("Ticket", where: Field("seat").isOne(of: (0..<500).map { .array([.integer($0), 3]) })),
            100, 30_000
        ),
        // Text that begins with other text.
        (Query("Task", where: Field("name").hasPrefix("n1999")), 11, 3_000),
        (Query("Task", where: Field("link").hasPrefix("https://example.com/1999")), 11, 3_000),
        // Null, and numbers that SQLite compares by a function.
        (Query("Task", where: Field("name") == nil), 1, 3_000),
        (Query("Task", where: .comparison(path: "price", .equal, .decimal(5))), 1, 3_000),
        // A sort key with an index, where the filter has none: the table is read once, in its order.
        (Query("Task", where: Field("text") == "t17", sort: [Query.SortKey("rank")]), 4, 150_000),
    ]

    @Test func historyTakesAsManyStepsAsItsPageHasRows() async throws {
        let store = try await Self.filledStore()
        var changes = ChangeSet(origin: .agreed)
        changes.keepHistory(true)
        try await store.commit(changes)
        // Long gaps in the numbers.
        for price in 0..<3 {
            changes = ChangeSet(origin: .agreed)
            for number in 100..<Self.count {
                changes.update(RecordID("Task", .integer(Int64(number))), ["price": .decimal(.init(price))])
            }
            try await store.commit(changes)
        }
        let last = try await store.read { try $0.historySequence }
        let counter = try await StepCounter.counting(store)
        for (start, limit, count) in [(0, 100, 100), (0, 110, 110), (100, 20, 20), (last - 5, 100, 5), (last, 100, 0)] {
            counter.steps = 0
            let page = try await store.read { try $0.history(after: start, limit: limit) }
            #expect(page.count == count)
            #expect(counter.steps < 6_000, "\(limit) after \(start): \(counter.steps) steps")
        }
        // At the first one, SQLite reports the steps of earlier uses of its statements as well.
        for key in [6, 7] as [Value] {
            counter.steps = 0
            changes = ChangeSet(origin: .agreed)
            changes.delete(RecordID("Task", key))
            try await store.commit(changes)
        }
        #expect(counter.steps < 3_000, "a change: \(counter.steps) steps")
    }

    @Test func queriesTakeAsManyStepsAsTheirRecordsNeed() async throws {
        let store = try await Self.filledStore()
        let counter = try await StepCounter.counting(store)
        for (query, count, steps) in Self.queries {
            counter.steps = 0
            let found = try await store.read { try $0.records(query).count }
            #expect(found == count, "\(query)")
            #expect(counter.steps > 0 && counter.steps < steps, "\(query): \(counter.steps) steps")
            counter.steps = 0
            #expect(try await store.read { try $0.count(query) } == count)
            #expect(counter.steps > 0 && counter.steps < steps, "count of \(query): \(counter.steps) steps")
        }
        // What a synchronization with a filter compares.
        counter.steps = 0
        let filter = Field("id") < 50
        let keys = try await store.read { try $0.keys(of: "Task", where: filter) }
        let snapshot = (0..<50).map { Self.task($0) }
        let diff = try await store.read { try $0.diff(wins: snapshot, loses: "Task", where: filter) }
        #expect(keys == snapshot.map(\.key))
        #expect(diff == nil)
        #expect(counter.steps < 4_000, "\(counter.steps) steps")
        await store.close()
    }

    @Test func statisticsOfAnotherProgramDoNotChangeThePlan() async throws {
        let folder = TemporaryFolder()
        var options = SQLiteAdapter.Options()
        options.readerCount = 1
        var store = try await SQLiteAdapter.open(at: folder.file(), schema: Self.schema, options: options)
        var changes = ChangeSet(origin: .agreed)
        for number in 0..<5_000 {
            var task = Self.task(number)
            // One project has nearly all tasks, so its average says nothing of the others.
            task["project"] = number < 4_990 ? 1 : 2
            changes.put(task)
        }
        try await store.commit(changes)
        await store.close()
        let other = try Connection.open(.file(folder.file()))
        try other.execute("ANALYZE")
        other.close()
        store = try await SQLiteAdapter.open(at: folder.file(), schema: Self.schema, options: options)
        let counter = try await StepCounter.counting(store)
        let query = Query("Task", where: Field("status") == 1 && Field("project") == 2, sort: [Query.SortKey("rank")])
        #expect(try await store.read { try $0.records(query).count } == 4)
        #expect(counter.steps > 0 && counter.steps < 3_000, "\(counter.steps) steps")
        await store.close()
    }

    @Test func repeatedQueriesTakeTheIndexThatIsBestAtThatTime() async throws {
        let store = try await SQLiteAdapter.inMemory(schema: Self.schema)
        let query = Query("Task", where: Field("status") == 1 && Field("project") == 2)
        let counter = try await StepCounter.counting(store)
        for projectIsSelective in [true, false] {
            var changes = ChangeSet(origin: .agreed)
            for number in 0..<5_000 {
                var task = Self.task(number)
                task["project"] = number < 4 || !projectIsSelective ? 2 : 3
                task["status"] = number < 4 || projectIsSelective ? 1 : 0
                changes.put(task)
            }
            try await store.commit(changes)
            for _ in 0..<2 {
                counter.steps = 0
                #expect(try await store.read { try $0.records(query).count } == 4)
                #expect(counter.steps > 0 && counter.steps < 3_000, "\(counter.steps) steps")
            }
        }
        await store.close()
    }

    @Test func prefixesMatchTheSameTextAsInMemory() async throws {
        let texts = [
            "", "a", "ab", "b", "a\u{D7FF}", "a\u{D7FF}x", "a\u{E000}", "a\u{E000}y", "a\u{10FFFF}", "a\u{10FFFF}z",
            "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}", "\u{7F}", "\u{7F}q", "é", "e\u{301}", "e", "A", "a\0", "a\0b", "K",
        ]
        var changes = ChangeSet(origin: .agreed)
        for (number, text) in texts.enumerated() {
            changes.put(
                Record(
                    Self.schema["Task"]!, ["id": .integer(Int64(number)), "name": .string(text), "text": .string(text)])
            )
        }
        let memory = InMemoryAdapter(schema: Self.schema)
        let file = try await SQLiteAdapter.inMemory(schema: Self.schema)
        try await memory.commit(changes)
        try await file.commit(changes)
        for name in ["name", "text"] {
            for prefix in texts {
                for ignoresCase in [false, true] {
                    let filter = Filter.text(path: name, .hasPrefix, prefix, ignoresCase: ignoresCase)
                    for filter in [filter, !filter] {
                        let expected = try await memory.read { try $0.keys(of: "Task", where: filter) }
                        let found = try await file.read { try $0.keys(of: "Task", where: filter) }
                        #expect(found == expected, "\(filter)")
                    }
                }
            }
        }
        await file.close()
    }
}
