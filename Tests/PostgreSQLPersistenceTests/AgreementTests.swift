import DifferentialSyncTesting
import PersistenceAdapterTesting
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import TestSupport
import Testing

/// The store does the same as a store in memory.
@Suite(.needsPostgreSQL) struct AgreementTests {
    @Test func randomChangesHaveTheSameEffectAsInMemory() async throws {
        #if DEBUG
            let count: UInt64 = 8
        #else
            let count: UInt64 = 40
        #endif
        let cluster = try TestCluster.shared
        for seed in environmentSeed.map({ $0..<($0 + 1) }) ?? 0..<count {
            let schema = try RandomSchema(seed: seed).schema
            let difference = try await firstDifference(
                between: InMemoryAdapter(schema: schema), and: try await cluster.store(schema), seed: seed, rounds: 40,
                reopen: { adapter in
                    await adapter.close()
                    return try await cluster.store(schema, in: adapter.namespaceName)
                })
            if let difference {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    /// What a query answers: how many records, and their keys in order; or which error.
    private enum Answer: Equatable, Sendable {
        case found(count: Int, [RecordID], keys: [Value])
        case refused(PersistenceError.Code)

        init(_ query: Query, _ transaction: ReadTransaction) throws {
            do {
                self = .found(
                    count: try transaction.count(query), try transaction.records(query).map(\.id),
                    keys: try transaction.keys(of: query.entity, where: query.filter))
            } catch let error as PersistenceError {
                self = .refused(error.code)
            }
        }
    }

    private func answers(of store: some PersistenceAdapter, holding people: Population, to queries: [Query])
        async throws -> [Answer]
    {
        try await store.commit(people.changes)
        return try await store.read { transaction in try queries.map { try Answer($0, transaction) } }
    }

    @Test(arguments: 0..<3)
    func queriesReturnTheSameRecordsInTheSameOrderAsInMemory(number: UInt64) async throws {
        let seed = SeededGenerator.testSeed(number)
        let values = Staff.samples.adding(12, seed: seed)
        let people = Population(count: 40, seed: seed, values: values)
        var random = RandomFilter(seed: seed &+ 1000, values: values.mixingNumbers)
        let queries = (0..<500).map { _ in random.query() }
        let store = try await TestCluster.shared.store(Staff.schema)
        let inMemory = try await answers(of: InMemoryAdapter(schema: Staff.schema), holding: people, to: queries)
        let inSQL = try await answers(of: store, holding: people, to: queries)
        for (query, (answer, expected)) in zip(queries, zip(inSQL, inMemory)) where answer != expected {
            Issue.record("seed \(seed): \(query)\nin PostgreSQL \(answer)\nin memory \(expected)")
            return
        }
        await store.close()
    }

    @Test func textIsFoundWhereverItIsInText() async throws {
        let schema = try Schema {
            Entity("Text") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
            }
        }
        let scalars = ["\u{0}", "\u{1}", "\u{2}", "a", "É"]
        let texts = [""] + scalars.flatMap { one in [one] + scalars.flatMap { two in scalars.map { one + two + $0 } } }
        var changes = ChangeSet()
        for (number, text) in texts.enumerated() {
            changes.put(Record(schema["Text"]!, ["id": .integer(Int64(number)), "text": .string(text)]))
        }
        var queries: [Query] = []
        for match in Filter.TextMatch.allCases {
            for ignoresCase in [false, true] {
                for text in texts.filter({ $0.unicodeScalars.count < 2 }) + ["\u{0}\u{1}", "a\u{0}", "\u{1}\u{2}", "é"]
                {
                    let filter = Filter.text(path: "text", match, text, ignoresCase: ignoresCase)
                    queries.append(Query("Text", where: filter))
                    queries.append(
                        Query("Text", where: .not(filter), sort: [Query.SortKey("text")], offset: 2, limit: 30))
                }
            }
        }
        let memory = InMemoryAdapter(schema: schema)
        let store = try await TestCluster.shared.store(schema)
        try await memory.commit(changes)
        try await store.commit(changes)
        for query in queries {
            let expected = try await memory.read { try Answer(query, $0) }
            #expect(try await store.read { try Answer(query, $0) } == expected, "\(query)")
        }
        await store.close()
    }

    @Test func largeResultsAreReadInChunksWhileOtherQueriesRun() async throws {
        let schema = try Schema {
            Entity("Node") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
            }
        }
        let store = try await TestCluster.shared.store(schema)
        var changes = ChangeSet()
        for number in 0..<3_500 {
            changes.put(Record(schema["Node"]!, ["id": .integer(Int64(-number)), "name": .string("N\(number % 7)")]))
        }
        try await store.commit(changes)
        let keys = (0..<3_500).map { Value.integer(Int64(-$0)) }
        try await store.read { transaction in
            #expect(try transaction.keys(of: "Node") == keys)
            var found: [Value] = []
            try transaction.forEach(Query("Node")) { (record) throws -> Bool in
                found.append(record.key)
                if found.count % 500 == 0 {
                    #expect(try transaction.records(Query("Node", limit: 1_200)).count == 1_200)
                    #expect(try transaction.record(record.id) == record)
                }
                return found.count < 3_000
            }
            #expect(found == Array(keys.prefix(3_000)))
            #expect(
                try transaction.records(Query("Node", offset: 900, limit: 1_700)).map(\.key) == Array(keys[900..<2_600])
            )
            let ignoringCase = Filter.text(path: "name", .contains, "n3", ignoresCase: true)
            #expect(try transaction.count(Query("Node", where: ignoringCase)) == 500)
            #expect(try transaction.records(Query("Node", where: ignoringCase, offset: 400, limit: 90)).count == 90)
            #expect(try transaction.count(Query("Node", offset: .max, limit: .max)) == 0)
            #expect(try transaction.records(Query("Node", offset: .max)).isEmpty)
        }
        await store.close()
    }
}
