import DifferentialSyncTesting
import TestSupport
import Testing

@testable import SyncPersistence

struct FilterModelTests {
    @Test(arguments: 0..<6)
    func queriesAgreeWithTheNaiveEvaluationOfTheirFilter(seed: UInt64) throws {
        let population = Population(count: 24, seed: seed)
        let storage = try population.storage
        let model = NaiveFilter(records: population.records, schema: Staff.schema)
        let people = population.records.filter { $0.shape.inherits("Person") }
        var random = RandomFilter(seed: seed &+ 1000)
        var (found, indexed) = (0, 0)
        for _ in 0..<100 {
            var filter = random.filter()
            if random.generator.happens(0.5) { filter = random.key() && filter }
            let entity = random.generator.happens(0.2) ? "Manager" : "Person"
            let expected = people.filter { $0.shape.inherits(entity) && model.holds(filter, for: $0) }
            let query = Query(entity, where: filter)
            let results = try storage.records(query)
            #expect(results == expected, "seed \(seed): \(filter)")
            #expect(try storage.count(query) == expected.count)
            // What a disjunction requires is not looked up, so every record is looked at.
            #expect(try storage.records(Query(entity, where: .or([filter]))) == expected)
            found += results.count
            if try storage.isIndexed(query) { indexed += 1 }
        }
        #expect(found > 100)
        #expect(indexed > 5)
    }

    @Test(arguments: 0..<6)
    func sortingOffsetAndLimitAgreeWithTheNaiveEvaluation(seed: UInt64) throws {
        let population = Population(count: 24, seed: seed)
        let storage = try population.storage
        let model = NaiveFilter(records: population.records, schema: Staff.schema)
        let people = population.records.filter { $0.shape.inherits("Person") }
        var random = RandomFilter(seed: seed &+ 2000)
        for _ in 0..<100 {
            let filter = random.generator.happens(0.5) ? random.filter(depth: 1) : nil
            let keys = (0..<Int.random(in: 0..<4, using: &random.generator)).map { _ in random.sortKey() }
            let offset = random.generator.happens(0.5) ? Int.random(in: 0..<9, using: &random.generator) : 0
            let limit = random.generator.happens(0.5) ? Int.random(in: 0..<9, using: &random.generator) : nil
            let matching = people.filter { record in filter.map { model.holds($0, for: record) } ?? true }
            let sorted = matching.enumerated().sorted { left, right in
                for key in keys {
                    let (one, other) = (
                        model.value(key.path, of: left.element), model.value(key.path, of: right.element)
                    )
                    let order =
                        one.isNull || other.isNull
                        ? (one.isNull ? 0 : 1) - (other.isNull ? 0 : 1) : NaiveFilter.order(one, other)
                    if order != 0 { return key.isDescending ? order > 0 : order < 0 }
                }
                return left.offset < right.offset
            }.map(\.element)
            let expected = sorted.dropFirst(offset).prefix(limit ?? .max)
            let query = Query("Person", where: filter, sort: keys, offset: offset, limit: limit)
            #expect(try storage.records(query) == Array(expected), "seed \(seed): \(query)")
            #expect(try storage.count(query) == expected.count)
        }
    }

    @Test(arguments: ["json", "site", "boss.json"])
    func sortingByAnUnorderedPropertyIsRefused(path: String) throws {
        let storage = InMemoryStorage(InMemoryState(schema: Staff.schema))
        let error = try #require(throws: PersistenceError.self) {
            try storage.records(Query("Person", sort: [Query.SortKey(path)]))
        }
        #expect(error.code == .wrongType)
        #expect(error.property == path)
        #expect(error.message.hasSuffix("which has no order: sort by another"))
    }

    @Test func enumerationStopsWhenTheBodyReturnsFalse() throws {
        let storage = try Population(count: 24, seed: 1).storage
        for sort in [[], [Query.SortKey("string")]] {
            var count = 0
            try storage.forEach(Query("Person", sort: sort)) { _ in
                count += 1
                return count < 3
            }
            #expect(count == 3)
        }
    }
}

extension InMemoryStorage {
    /// Whether less than all records are looked at.
    func isIndexed(_ query: Query) throws -> Bool {
        try state[Staff.person].candidates(for: BoundQuery(query, in: schema)) != nil
    }
}
