import DifferentialSyncTesting
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct FilterAgreementTests {
    /// What a query answers: how many records, and their keys in order; or which error.
    private enum Answer: Equatable, Sendable {
        case found(count: Int, [RecordID])
        case refused(PersistenceError.Code)

        init(_ query: Query, _ transaction: ReadTransaction) throws {
            do {
                self = .found(
                    count: try transaction.count(query), try transaction.records(query).map(\.id))
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

    @Test(arguments: 0..<4)
    func sqliteAndMemoryReturnTheSameRecordsInTheSameOrder(number: UInt64) async throws {
        let seed = SeededGenerator.testSeed(number)
        let values = Staff.samples.adding(12, seed: seed)
        let people = Population(count: 40, seed: seed, values: values)
        var random = RandomFilter(seed: seed &+ 1000, values: values.mixingNumbers)
        let queries = (0..<700).map { _ in random.query() }

        let inMemory = try await answers(of: InMemoryAdapter(schema: Staff.schema), holding: people, to: queries)
        let inSQL = try await answers(of: SQLiteAdapter.inMemory(schema: Staff.schema), holding: people, to: queries)
        for (query, (answer, expected)) in zip(queries, zip(inSQL, inMemory)) where answer != expected {
            Issue.record("seed \(seed): \(query)\nin SQLite \(answer)\nin memory \(expected)")
            return
        }

        // The queries ask for something, and leave something out.
        let counts = inMemory.map { if case .found(let count, _) = $0 { count } else { -1 } }
        #expect(counts.count { $0 == 0 } < 500, "seed \(seed)")
        #expect(counts.count { (1..<40).contains($0) } > 200, "seed \(seed)")
        #expect(counts.count { $0 < 0 } < 70, "seed \(seed)")
    }

    @Test(arguments: 0..<2)
    func sqliteAndMemoryAgreeOnEqualityWithValuesOfAnyKind(number: UInt64) async throws {
        let seed = SeededGenerator.testSeed(number)
        var random = SeededGenerator(seed: seed)
        let people = Population(count: 40, seed: seed, values: Staff.samples)
        var values: [Value] = [.null, ["F", 3], "c1", 3, "level"]
        for type in AttributeType.allCases {
            for _ in 0..<4 { values.append(Staff.samples.random(type, using: &random)) }
        }
        let paths = [
            "id", "integer", "string", "uuid", "decimal", "double", "date", "url", "json", "company", "site", "boss",
            "company.name", "boss.string", "second.boss.id", "level",
        ]
        var queries: [Query] = []
        for entity in ["Person", "Manager"] {
            for path in paths {
                for value in values {
                    var query = Query(entity, where: .comparison(path: path, .equal, value))
                    if random.happens(0.3) { query.sort = [Query.SortKey("string", isDescending: random.happens(0.5))] }
                    if random.happens(0.1) { query.limit = 1 }
                    queries.append(query)
                }
            }
        }
        queries.shuffle(using: &random)
        let inMemory = try await answers(of: InMemoryAdapter(schema: Staff.schema), holding: people, to: queries)
        let inSQL = try await answers(of: SQLiteAdapter.inMemory(schema: Staff.schema), holding: people, to: queries)
        for (query, (answer, expected)) in zip(queries, zip(inSQL, inMemory)) where answer != expected {
            Issue.record("seed \(seed): \(query)\nin SQLite \(answer)\nin memory \(expected)")
            return
        }
        #expect(inMemory.count { if case .found(1..., _) = $0 { true } else { false } } > 60, "seed \(seed)")
        #expect(inMemory.contains { if case .refused = $0 { true } else { false } }, "seed \(seed)")
    }

    @Test func sqliteReadsAsManyConditionsAboutHeirsAsMemory() async throws {
        let parts = (0..<7).map { Attribute("part\($0)", .integer, isPrimaryKey: true) }
        let heirs = (0..<6).map { Entity("Heir\($0)", parent: "Author") }
        let schema = try Schema(
            [
                Entity("Person", attributes: [Attribute("name", .string)]), Entity("Author", parent: "Person"),
                Entity(
                    "Note", relationships: [Relationship("author", to: "Author"), Relationship("place", to: "Place")]),
                Entity("Place", attributes: parts),
            ] + heirs)
        let names: [Filter] = (0..<5_000).map { Field("author.name").hasPrefix("\($0)x") }
        func place(_ number: Int64) -> Value { .array((0..<7).map { .integer(number + $0) }) }
        let places: [Filter] = (0..<5_000).map { .comparison(path: "place", .notEqual, place($0)) }
        for store in [InMemoryAdapter(schema: schema), try await SQLiteAdapter.inMemory(schema: schema)]
            as [any PersistenceAdapter]
        {
            var changes = ChangeSet()
            for number in [4_999, 5_000] as [Int64] {
                let values = (0..<7).map { ("part\($0)", Value.integer(number + $0)) }
                changes.put(
                    try Record("Place", in: schema, Dictionary(uniqueKeysWithValues: values)))
            }
            changes.put(try Record("Heir3", in: schema, [Schema.implicitKey: 1, "name": "4999xy"]))
            changes.put(try Record("Person", in: schema, [Schema.implicitKey: 2, "name": "4999xy"]))
            changes.put(try Record("Note", in: schema, [Schema.implicitKey: 1, "author": 1, "place": place(4_999)]))
            changes.put(try Record("Note", in: schema, [Schema.implicitKey: 2, "place": place(5_000)]))
            changes.put(try Record("Note", in: schema, [Schema.implicitKey: 3]))
            try await store.commit(changes)
            #expect(try await store.read { try $0.keys(of: "Note", where: .or(names)) } == [1])
            #expect(try await store.read { try $0.keys(of: "Note", where: .and(places)) } == [2])
        }
    }
}
