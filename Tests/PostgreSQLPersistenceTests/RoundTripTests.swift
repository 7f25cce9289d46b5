import PostgreSQLPersistence
import PostgreSQLTestSupport
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// How often a transaction waits for the server.
@Suite(.needsPostgreSQL) struct RoundTripTests {
    private static let schema = try! Schema {
        Entity("List") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("notes", toMany: "Note", inverse: "list", deleteRule: .nullify)
        }
        Entity("Note") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("text", .string)
            Relationship("list", to: "List", inverse: "notes")
        }
    }

    /// Makes a number of changes, and returns how many round trips that takes.
    private func roundTrips(
        _ pool: PostgreSQLPool, _ store: PostgreSQLAdapter, _ origin: ChangeSet.Origin, _ count: Int,
        _ build: (inout ChangeSet, Int64) -> Void
    ) async throws -> Int {
        var changes = ChangeSet(origin: origin)
        for number in 0..<count { build(&changes, Int64(number)) }
        let before = pool.roundTripCount
        try await store.commit(changes)
        return pool.roundTripCount - before
    }

    @Test(arguments: [ChangeSet.Origin.local, .agreed, .remote], [false, true])
    func transactionOf1000ChangesTakesABoundedNumberOfRoundTrips(
        origin: ChangeSet.Origin, keepsHistory: Bool
    ) async throws {
        var options = PostgreSQLPool.Options()
        options.writerCount = 1
        let pool = try PostgreSQLPool(TestCluster.shared.connection, options: options)
        let store = try await PostgreSQLAdapter.open(
            on: pool, namespace: "trips \(origin) \(keepsHistory)", schema: Self.schema)
        var changes = ChangeSet(origin: .agreed)
        changes.keepHistory(keepsHistory)
        for number in 0..<10 as Range<Int64> {
            changes.put(Record(Self.schema["List"]!, ["id": .integer(number)]))
            changes.put(Record(Self.schema["Note"]!, ["id": .integer(-1 - number)]))
        }
        try await store.commit(changes)
        let note = Self.schema["Note"]!
        for round in 0..<2 as Range<Int64> {
            let start = round * 10_000
            let counts = [
                try await roundTrips(pool, store, origin, 1_000) {
                    $0.put(Record(note, ["id": .integer(start + $1), "text": "a", "list": .integer($1 % 10)]))
                },
                try await roundTrips(pool, store, origin, 1_000) {
                    $0.put(Record(note, ["id": .integer(start + $1), "text": "b", "list": .integer($1 % 7)]))
                },
                try await roundTrips(pool, store, origin, 1_000) {
                    $0.update(RecordID("Note", .integer(start + $1)), ["text": "c"])
                },
                try await roundTrips(pool, store, origin, 1_000) {
                    $0.delete(RecordID("Note", .integer(start + $1)))
                },
            ]
            #expect(counts.allSatisfy { $0 <= 20 }, "inserted, replaced, updated, deleted: \(counts)")
        }
        await store.close()
        await pool.close()
    }

    @Test func largeChangeSetIsWrittenInBatches() async throws {
        var options = PostgreSQLPool.Options()
        options.writerCount = 1
        let pool = try PostgreSQLPool(TestCluster.shared.connection, options: options)
        let store = try await PostgreSQLAdapter.open(on: pool, namespace: "large change set", schema: Self.schema)
        let note = Self.schema["Note"]!
        let counts = [
            try await roundTrips(pool, store, .local, 1) { $0.put(Record(note, ["id": .integer(-1 - $1)])) },
            try await roundTrips(pool, store, .local, 30_000) {
                $0.put(Record(note, ["id": .integer($1), "text": "a"]))
            },
            try await roundTrips(pool, store, .agreed, 30_000) {
                $0.put(Record(note, ["id": .integer($1), "text": "b"]))
            },
        ]
        // In each thousand, records and entries are written; in five, they are read.
        #expect(counts[0] < 10 && counts[1...].allSatisfy { $0 < 120 }, "\(counts)")
        try await store.read { (transaction) throws -> Void in
            #expect(try transaction.count(Query("Note", where: Field("text") == "b")) == 30_000)
            let keys = (0..<30_000).map { Value.integer(Int64($0)) }
            let before = pool.roundTripCount
            #expect(try transaction.records("Note", keys: keys).allSatisfy { $0?["text"] == "b" })
            #expect(pool.roundTripCount - before < 10)
        }
        await store.close()
        await pool.close()
    }

    /// A transaction forgets records while it reads ahead more than it keeps.
    @Test func recordsAreFoundHoweverManyAreReadAhead() async throws {
        let store = try await TestCluster.shared.store(Self.schema, in: "read ahead")
        let last = 40_001...40_010 as ClosedRange<Int64>
        var changes = ChangeSet()
        for number in last { changes.put(Record(Self.schema["Note"]!, ["id": .integer(number), "text": "a"])) }
        try await store.commit(changes)
        // The repeated key lets the number of kept records be reached within a batch.
        let keys: [Int64] = [1] + Array(1...40_010)
        try await store.read { (transaction) throws -> Void in
            try transaction.prefetch { keys.map { RecordID("Note", .integer($0)) } }
            for number in last {
                #expect(try transaction.record(RecordID("Note", .integer(number)))?["text"] == "a")
            }
        }
        await store.close()
    }

    /// A pool with one connection that writes, and one that reads.
    private func narrowPool() throws -> PostgreSQLPool {
        var options = PostgreSQLPool.Options()
        (options.writerCount, options.readerCount) = (1, 1)
        return try PostgreSQLPool(TestCluster.shared.connection, options: options)
    }

    /// Returns how many round trips a body takes.
    private func roundTrips(of pool: PostgreSQLPool, _ body: () async throws -> Void) async throws -> Int {
        let before = pool.roundTripCount
        try await body()
        return pool.roundTripCount - before
    }

    @Test(arguments: [1, 10, 1_000])
    func pushAndPullTakeABoundedNumberOfRoundTrips(count: Int) async throws {
        let pool = try narrowPool()
        let store = try await PostgreSQLAdapter.open(
            on: pool, namespace: "trips of \(count) pushed", schema: ServiceWorld.schema)
        let world = ServiceWorld(store)
        var phone = try await HandDevice("phone", to: world.service)
        let tablet = try await HandDevice("tablet", to: world.service)
        _ = try await phone.push(.insert("Project", 1), .insert("Task", -1))
        let inserted = try await roundTrips(of: pool) { () async throws -> Void in
            _ = try await phone.push((0..<count).map { .insert("Task", .integer(Int64($0)), ["project": 1]) })
        }
        // The base of this push is not the end of the history, so that each record is checked for conflicts.
        let updated = try await roundTrips(of: pool) { () async throws -> Void in
            let outcomes = try await phone.push(
                (0..<count).map { .update("Task", .integer(Int64($0)), ["title": "b"]) })
            #expect(outcomes.allSatisfy { $0 == .ok })
        }
        let pulled = try await roundTrips(of: pool) { () async throws -> Void in
            #expect(try await tablet.page(after: 0).entries.count == count + 2)
        }
        let most = count < 1_000 ? 11 : 15
        #expect(inserted <= most && updated <= most && pulled <= 8, "\(inserted), \(updated), \(pulled)")
        await store.close()
        await pool.close()
    }

    @Test func statementsThatAreNotPreparedTakeNoFurtherRoundTrips() async throws {
        let pool = try narrowPool()
        var devices: [HandDevice] = []
        // Together they have more statements than a connection keeps.
        for number in 0..<12 {
            let store = try await PostgreSQLAdapter.open(
                on: pool, namespace: "trips of store \(number)", schema: ServiceWorld.schema)
            devices.append(try await HandDevice("phone", to: ServiceWorld(store).service))
            _ = try await devices[number].push(.insert("Project", 1), .insert("Task", -1))
        }
        for round in 0..<3 as Range<Int64> {
            for number in devices.indices {
                let trips = try await roundTrips(of: pool) { () async throws -> Void in
                    let outcomes = try await devices[number].push(
                        (0..<10).map { .insert("Task", .integer(10 * round + $0), ["project": 1]) })
                    #expect(outcomes.allSatisfy { $0 == .ok })
                }
                #expect(trips <= 11)
            }
        }
        await pool.close()
    }
}
