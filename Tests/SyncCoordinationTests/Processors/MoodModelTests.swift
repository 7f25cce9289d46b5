import DifferentialSync
import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

/// Moods in countries on continents: deletion marks that go up to the parents, counts, and times.
///
/// Nothing that follows from other records is stored: counts and times are queries. So two devices that add moods at
/// the same time cannot disagree about them.
@Suite struct MoodModelTests {
    private let server: InMemoryAdapter
    private let devices: [InMemoryAdapter]

    init() throws {
        server = InMemoryAdapter(schema: try Self.schema())
        devices = [InMemoryAdapter(schema: try Self.schema()), InMemoryAdapter(schema: try Self.schema())]
    }

    private static func schema() throws -> Schema {
        try Schema {
            Entity("Continent") {
                Attribute("code", .string, isPrimaryKey: true)
                Attribute("isMarked", .bool)
                Relationship("countries", toMany: "Country", inverse: "continent")
            }
            Entity("Country") {
                Attribute("code", .string, isPrimaryKey: true)
                Attribute("isMarked", .bool)
                Attribute("seen", .integer)
                Relationship("continent", to: "Continent", inverse: "countries")
                Relationship("moods", toMany: "Mood", inverse: "country")
            }
            Entity("Mood") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("date", .integer)
                Attribute("isMarked", .bool)
                Relationship("country", to: "Country", inverse: "moods")
            }
        }
    }

    /// Adds a mood, with its country and continent if they are missing.
    private func add(_ id: Int64, _ country: String, to store: InMemoryAdapter) async throws {
        _ = try await store.write { transaction in
            var changes = ChangeSet()
            if try transaction.record(RecordID("Continent", "EU")) == nil {
                changes.put(Record(try transaction.shape("Continent"), ["code": "EU"]))
            }
            if try transaction.record(RecordID("Country", .string(country))) == nil {
                let values: [String: Value] = ["code": .string(country), "continent": "EU"]
                changes.put(Record(try transaction.shape("Country"), values))
            }
            let values: [String: Value] = ["id": .integer(id), "date": .integer(id), "country": .string(country)]
            changes.put(Record(try transaction.shape("Mood"), values))
            try transaction.apply(changes)
        }
    }

    private func set(_ id: RecordID, _ values: [String: Value], in store: InMemoryAdapter) async throws {
        var changes = ChangeSet()
        changes.update(id, values)
        try await store.commit(changes)
    }

    /// Counts the visible moods of a country, or of the continent.
    private func moods(_ country: String? = nil, in store: InMemoryAdapter) async throws -> Int {
        let place = country.map { Field("country") == .string($0) } ?? (Field("country.continent") == "EU")
        return try await store.read { try $0.count(Query("Mood", where: place && Field("isMarked").isNull)) }
    }

    /// Counts the visible countries of the continent.
    private func countries(in store: InMemoryAdapter) async throws -> Int {
        try await store.read { try $0.count(Query("Country", where: Field("isMarked").isNull)) }
    }

    /// Returns the time of the last visible mood of a country, or of the continent.
    private func lastTime(_ country: String? = nil, in store: InMemoryAdapter) async throws -> Value? {
        let place = country.map { Field("country") == .string($0) } ?? (Field("country.continent") == "EU")
        return try await store.read { transaction in
            try transaction.records(
                Query("Mood", where: place, sort: [Query.SortKey("date", isDescending: true)], limit: 1)
            ).first?["date"]
        }
    }

    /// Synchronizes both devices until each has the changes of the other.
    private func synchronize(_ policies: SyncPolicies = SyncPolicies()) async throws {
        let service = SyncService(server, account: "ada", makeName: { "epoch" })
        for round in 0..<2 {
            for (number, device) in devices.enumerated() {
                let outcome = try await device.synchronize(
                    with: service, policies: policies, makeName: countedNames("\(number) \(round)"))
                #expect(outcome.isSynced)
            }
        }
        #expect(
            try await devices[0].read { try $0.fingerprint() } == devices[1].read { try $0.fingerprint() })
    }

    /// Marks the parent of marked records without visible siblings, and deletes the marked ones.
    private func sweeper(of entity: String, parent: String, _ reference: String) -> TestProcessor {
        let store = devices[0]
        return TestProcessor("sweep \(entity)", ProcessorWork(entity, where: Field("isMarked") == true)) { records, _ in
            for record in records where !record[reference].isNull {
                let rest = Field(reference) == record[reference] && Field("isMarked").isNull
                _ = try await store.write { transaction in
                    if try transaction.count(Query(entity, where: rest)) > 0 { return }
                    var changes = ChangeSet()
                    changes.update(RecordID(parent, record[reference]), ["isMarked": true])
                    try transaction.apply(changes)
                }
            }
            return Dictionary(uniqueKeysWithValues: records.map { ($0.id, .delete) })
        }
    }

    /// Lets a coordinator with processors for marks do everything that is to be done.
    private func sweep() async throws {
        let clock = VirtualClock()
        let end = TestProcessor("sweep Continent", ProcessorWork("Continent", where: Field("isMarked") == true)) {
            records, _ in Dictionary(uniqueKeysWithValues: records.map { ($0.id, .delete) })
        }
        let coordinator = SyncCoordinator(
            of: devices[0], with: SyncService(server, account: "ada", makeName: { "epoch" }),
            processors: [
                end, sweeper(of: "Country", parent: "Continent", "continent"),
                sweeper(of: "Mood", parent: "Country", "country"),
            ],
            clock: clock, generator: SeededGenerator(seed: 1), date: { Date(timeIntervalSinceReferenceDate: 0) },
            makeName: { "device" })
        // Each processor has work that the one before has made.
        #expect(await coordinator.syncOnce(within: .seconds(60)))
    }

    private func count(_ entity: String, in store: InMemoryAdapter) async throws -> Int {
        try await store.read { try $0.count(Query(entity)) }
    }

    @Test func aCountryWithoutMoodsIsDeletedByItsProcessorAndThenItsContinent() async throws {
        try await add(1, "DE", to: devices[0])
        try await add(2, "FR", to: devices[0])
        try await synchronize()
        try await set(RecordID("Mood", 2), ["isMarked": true], in: devices[0])
        try await sweep()
        #expect(try await count("Country", in: server) == 1)
        #expect(try await count("Continent", in: server) == 1)
        try await set(RecordID("Mood", 1), ["isMarked": true], in: devices[0])
        try await sweep()
        for store in [server, devices[0]] {
            for entity in ["Mood", "Country", "Continent"] { #expect(try await count(entity, in: store) == 0) }
        }
        try await synchronize()
        #expect(try await count("Country", in: devices[1]) == 0)
    }

    @Test func aNewMoodIsTheLastOfItsCountryAndContinentAndAMarkChangesNoTime() async throws {
        try await add(1, "DE", to: devices[0])
        try await add(2, "DE", to: devices[0])
        #expect(try await lastTime("DE", in: devices[0]) == 2)
        #expect(try await lastTime(in: devices[0]) == 2)
        try await set(RecordID("Mood", 1), ["isMarked": true], in: devices[0])
        #expect(try await lastTime("DE", in: devices[0]) == 2)
    }

    @Test func countsFollowInsertionsAndMarks() async throws {
        try await add(1, "DE", to: devices[0])
        try await add(2, "DE", to: devices[0])
        #expect(try await moods("DE", in: devices[0]) == 2)
        try await add(3, "FR", to: devices[0])
        #expect(try await moods(in: devices[0]) == 3)
        #expect(try await countries(in: devices[0]) == 2)
        try await set(RecordID("Mood", 1), ["isMarked": true], in: devices[0])
        #expect(try await moods("DE", in: devices[0]) == 1)
        try await add(4, "FR", to: devices[0])
        try await set(RecordID("Mood", 3), ["isMarked": true], in: devices[0])
        #expect(try await moods(in: devices[0]) == 2)
        try await set(RecordID("Mood", 4), ["isMarked": true], in: devices[0])
        try await sweep()
        #expect(try await countries(in: devices[0]) == 1)
        #expect(try await moods(in: devices[0]) == 1)
    }

    @Test(arguments: [(20, 10), (10, 20)]) func theLaterOfTwoTimesStays(first: Int64, second: Int64) async throws {
        try await add(1, "DE", to: devices[0])
        try await synchronize()
        let country = RecordID("Country", "DE")
        try await set(country, ["seen": .integer(first)], in: devices[0])
        try await set(country, ["seen": .integer(second)], in: devices[1])
        let newest = ConflictPolicy<Record>.newest { record -> Int64 in
            if case .integer(let time) = record["seen"] { time } else { 0 }
        }
        try await synchronize(SyncPolicies(newest))
        for device in devices {
            #expect(try await device.read { try $0.record(country)?["seen"] } == 20)
        }
    }

    @Test func moodsThatTwoDevicesAddAtTheSameTimeAreCountedOnce() async throws {
        try await add(1, "DE", to: devices[0])
        try await synchronize()
        try await add(2, "DE", to: devices[0])
        try await add(3, "DE", to: devices[1])
        try await add(4, "FR", to: devices[0])
        try await add(5, "PL", to: devices[1])
        try await synchronize()
        for store in devices + [server] {
            #expect(try await moods("DE", in: store) == 3)
            #expect(try await moods(in: store) == 5)
            #expect(try await countries(in: store) == 3)
        }
    }

    @Test func aCountryThatTwoDevicesCreateIsOne() async throws {
        try await add(1, "DE", to: devices[0])
        try await add(2, "DE", to: devices[1])
        try await synchronize()
        for store in devices + [server] {
            #expect(try await moods("DE", in: store) == 2)
            #expect(try await countries(in: store) == 1)
            #expect(try await count("Continent", in: store) == 1)
            #expect(try await moods(in: store) == 2)
        }
    }
}
