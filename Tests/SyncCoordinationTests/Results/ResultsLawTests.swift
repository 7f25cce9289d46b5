import DifferentialSync
import DifferentialSyncTesting
import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

/// Observed queries, compared with the same queries after each of many random commits.
@Suite
struct ResultsLawTests {
    /// An observed query, and what its observer has seen.
    private struct Observer {
        let query: Query
        var results: StoreObservation<QuerySnapshot<Record>>.AsyncIterator
        var counts: StoreObservation<Int>.AsyncIterator
        var records: [Record]
        var count: Int
    }

    @Test(arguments: StoreKind.allCases, seeds)
    func observedResultsAreThoseOfTheQueryAfterEachCommit(kind: StoreKind, seed: UInt64) async throws {
        let store = ReadCounter().store(on: try await kind.store(Staff.schema))
        var population = Population(count: 16, seed: seed)
        try await store.commit(population.changes)
        var random = RandomFilter(seed: seed &+ 3000)
        var observers: [Observer] = []
        for number in 0..<40 {
            // Every other query has no path to related records, so that commits alone determine its results.
            let query = number.isMultiple(of: 2) ? random.query() : Self.plainQuery(&random)
            var (results, counts) = (
                store.results(query).makeAsyncIterator(), store.counts(of: query).makeAsyncIterator()
            )
            let records = Array(try #require(try await results.next()).elements)
            let count = try #require(try await counts.next())
            observers.append(
                Observer(query: query, results: results, counts: counts, records: records, count: count))
        }
        var snapshots = 0
        for step in 0..<50 {
            guard try await Self.commit(to: store, &population, &random.generator) else { continue }
            for number in observers.indices {
                let query = observers[number].query
                let (expected, count) = try await store.read { try ($0.records(query), $0.count(query)) }
                let comment: Comment = "seed \(seed), step \(step): \(query)"
                // Without a change the observer must not be woken: the next snapshot is that of a later commit.
                if expected != observers[number].records {
                    let snapshot = try #require(try await observers[number].results.next())
                    let changes = try diff(wins: expected, loses: observers[number].records, primaryKey: \.key)
                    #expect(Array(snapshot.elements) == expected, comment)
                    #expect(snapshot.changes == changes, comment)
                    observers[number].records = expected
                    snapshots += 1
                }
                if count != observers[number].count {
                    #expect(try await observers[number].counts.next() == count, comment)
                    observers[number].count = count
                }
            }
        }
        #expect(snapshots > 50)
        await store.close()
        for var observer in observers {
            #expect(try await observer.results.next() == nil)
            #expect(try await observer.counts.next() == nil)
        }
    }

    private static let seeds: [UInt64] = environmentSeed.map { [$0] } ?? Array(0..<4)

    /// Returns a query of people whose few sort values often tie.
    private static func plainQuery(_ random: inout RandomFilter) -> Query {
        let paths = ["integer", "bool", "decimal", "string", "id"]
        let filters: [Filter?] = [
            nil, nil, Field("bool") == true, Field("integer") > 0, !Field("string").isNull,
            Field("decimal") < 9 || Field("id") > 6,
        ]
        return Query(
            random.generator.happens(0.2) ? "Manager" : "Person",
            where: filters.randomElement(using: &random.generator)!,
            sort: (0..<Int.random(in: 0..<3, using: &random.generator)).map { _ in
                Query.SortKey(
                    paths.randomElement(using: &random.generator)!, isDescending: random.generator.happens(0.5))
            },
            offset: random.generator.happens(0.4) ? Int.random(in: 0..<5, using: &random.generator) : 0,
            limit: random.generator.happens(0.6) ? Int.random(in: 0..<8, using: &random.generator) : nil)
    }

    /// Makes a random commit; returns whether it was not refused.
    private static func commit(
        to store: any PersistenceAdapter, _ population: inout Population, _ generator: inout SeededGenerator
    ) async throws -> Bool {
        var changes = ChangeSet()
        for _ in 0..<Int.random(in: 1..<4, using: &generator) {
            let number = Int64.random(in: 0..<20, using: &generator)
            let id = RecordID("Person", .integer(number))
            var person = population.person(number, count: 16)
            for name in ["company", "boss", "second.boss", "site", "deputy"] where person.shape.slot(named: name) != nil
            {
                guard let target = person.shape.relationship(named: name)?.definition.destination else { continue }
                let key = person[name]
                let isThere = try await store.read { try $0.record(RecordID(target, key)) != nil }
                if !isThere { person[name] = .null }
            }
            switch Int.random(in: 0..<8, using: &generator) {
            case 0, 1: changes.put(person)
            case 2: changes.update(id, ["integer": person["integer"], "bool": person["bool"]])
            case 3: changes.update(id, ["string": person["string"]])
            case 4: changes.delete(id)
            case 5:
                // In one transaction, which changes the order in which records are stored.
                changes.delete(id)
                changes.put(person)
            case 6: changes.update(RecordID("Company", "c1"), ["name": person["string"]])
            default: changes.setMetadata("value", "\(number)")
            }
        }
        do {
            try await store.commit(changes)
            return true
        } catch is PersistenceError {
            return false
        }
    }
}
