import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct StaffTests {
    @Test func populationHasEveryCase() {
        let people = Population(count: 60, seed: 1)
        #expect(people.records == Population(count: 60, seed: 1).records)
        #expect(people.records != Population(count: 60, seed: 2).records)
        #expect(Set(people.records.map(\.id)).count == people.records.count)
        #expect(Set(people.records.map(\.shape.name)) == ["Company", "Site", "Pass", "Person", "Manager"])
        let person = people.records.filter { $0.shape.inherits("Person") }
        #expect(person.count == 60)
        for type in AttributeType.allCases {
            let values = Set(person.map { $0[type.rawValue] })
            #expect(values == Set(Staff.samples[type] + [.null]), "\(type)")
        }
        let keys = Set(person.map(\.key))
        let managers = Set(person.filter { $0.shape == Staff.manager }.map(\.key))
        let bosses = Set(person.map { $0["boss"] }.filter { !$0.isNull })
        #expect(!bosses.isDisjoint(with: managers))
        #expect(!bosses.isDisjoint(with: keys.subtracting(managers)))
        let companies = Set(people.records.filter { $0.shape == Staff.company }.map(\.key))
        #expect(!Set(person.map { $0["company"] }).subtracting([.null]).isSubset(of: companies))
    }

    @Test func changesAreSound() async throws {
        let people = Population(count: 60, seed: 1)
        let store = InMemoryAdapter(schema: Staff.schema)
        try await store.commit(people.changes)
        let stored = try await store.read { try $0.records(Query("Person")) }
        #expect(stored.map(\.id) == people.records.filter { $0.shape.inherits("Person") }.map(\.id))
        #expect(stored.contains { !$0["boss"].isNull } && stored.contains { !$0["second.boss"].isNull })
    }

    @Test func poolGrows() {
        let pool = Staff.samples.adding(20, seed: 1)
        for type in AttributeType.allCases {
            #expect(pool[type].count == Staff.samples[type].count + 20)
            #expect(pool[type].allSatisfy(type.admits))
        }
        let mixed = pool.mixingNumbers
        #expect(mixed[.integer] == mixed[.decimal])
        #expect(mixed[.double].contains { pool[.integer].contains($0) })
        #expect(mixed[.string] == pool[.string])
    }

    @Test func filtersHaveEveryCase() throws {
        var random = RandomFilter(seed: 1)
        var again = RandomFilter(seed: 1)
        var names: Set<String> = []
        for _ in 0..<200 {
            let query = random.query()
            #expect(query == again.query())
            _ = try BoundQuery(query, in: Staff.schema)
            names.formUnion(query.filter.map(self.names) ?? ["none"])
        }
        #expect(names == ["none", "comparison", "membership", "text", "isNull", "and", "or", "not"])
    }

    private func names(_ filter: Filter) -> Set<String> {
        switch filter {
        case .comparison: ["comparison"]
        case .membership: ["membership"]
        case .text: ["text"]
        case .isNull: ["isNull"]
        case .and(let filters): filters.reduce(into: ["and"]) { $0.formUnion(names($1)) }
        case .or(let filters): filters.reduce(into: ["or"]) { $0.formUnion(names($1)) }
        case .not(let filter): names(filter).union(["not"])
        }
    }
}
