import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// The fingerprint of a store's contents.
struct StoreFingerprintTests {
    private static func schema(_ attributes: [Attribute], name: String = "Note") throws -> Schema {
        try Schema([Entity(name, attributes: [Attribute("id", .integer, isPrimaryKey: true)] + attributes)])
    }

    private static func record(
        _ values: [String: Value], _ attributes: [Attribute], name: String = "Note"
    ) throws -> Record {
        try Record(name, in: schema(attributes, name: name), values)
    }

    @Test func fingerprintOfGivenContentNeverChanges() throws {
        let attributes = [Attribute("text", .string), Attribute("stars", .integer)]
        let one = StoreFingerprint(of: try Self.record(["id": 1, "text": "a", "stars": 2], attributes))
        #expect(one == StoreFingerprint(count: 1, high: 102_188_943_555_339_240, low: 14_052_293_906_411_524_199))
    }

    @Test func orderOfAttributesDoesNotCount() throws {
        let attributes = [Attribute("text", .string), Attribute("stars", .integer)]
        let values: [String: Value] = ["id": 1, "text": "a", "stars": 2]
        let record = try Self.record(values, attributes)
        let other = try Self.record(values, attributes.reversed())
        #expect(StoreFingerprint(of: record) == StoreFingerprint(of: other))
    }

    @Test func entityNamesAndValuesCount() throws {
        let text = Attribute("text", .string)
        let records = [
            try Self.record(["id": 1, "text": "a"], [text]), try Self.record(["id": 2, "text": "a"], [text]),
            try Self.record(["id": 1, "text": "b"], [text]), try Self.record(["id": 1], [text]),
            try Self.record(["id": 1, "text": "a"], [text], name: "Task"),
            try Self.record(["id": 1, "title": "a"], [Attribute("title", .string)]),
            try Self.record(["id": 1, "text": "a"], [text, Attribute("stars", .integer)]),
        ]
        let fingerprints = records.map { StoreFingerprint(of: $0) }
        #expect(Set(fingerprints).count == records.count)
        #expect(Set(fingerprints.map(\.high)).count == records.count)
        #expect(Set(fingerprints.map(\.low)).count == records.count)
    }

    @Test func equalValuesOfDifferentNotationsHaveOneFingerprint() throws {
        let attributes = [Attribute("number", .double), Attribute("text", .string)]
        let record = try Self.record(["id": 1, "number": 0.0, "text": "\u{E9}"], attributes)
        let zero = try Self.record(["id": 1, "number": -0.0, "text": "\u{E9}"], attributes)
        #expect(StoreFingerprint(of: record) == StoreFingerprint(of: zero))
    }

    @Test func sumsAreThoseOfSetsOfRecords() throws {
        let text = [Attribute("text", .string)]
        let parts = try (0..<100 as Range<Int64>).map {
            StoreFingerprint(of: try Self.record(["id": .integer($0), "text": "x"], text))
        }
        let sum = parts.reduce(StoreFingerprint(), +)
        #expect(sum.count == 100)
        #expect(parts.reversed().reduce(StoreFingerprint(), +) == sum)
        #expect(parts.reduce(sum, -) == StoreFingerprint())
        #expect(parts.dropFirst(40).reduce(sum, -) == parts.prefix(40).reduce(StoreFingerprint(), +))
        let greatest = StoreFingerprint(count: .max, high: .max, low: .max)
        #expect(greatest + StoreFingerprint(low: 1) - StoreFingerprint(low: 1) == greatest)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func fingerprintWithoutAHistoryFollowsEachChange(seed: UInt64) async throws {
        let schema = try RandomSchema(seed: seed).schema
        let store = InMemoryAdapter(schema: schema)
        try await store.write { try $0.keepFingerprint(true) }
        var random = RandomChanges(of: schema, seed: seed)
        for _ in 0..<20 {
            let changes = random.next(for: try await store.read { try StoreImage(of: $0) })
            _ = try? await store.commit(changes)
            let (kept, counted) = try await store.read { try ($0.fingerprint(), StoreFingerprint(ofAllIn: $0)) }
            #expect(kept == counted)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func fingerprintWithinATransactionFollowsEachChange(seed: UInt64) async throws {
        let schema = try RandomSchema(seed: seed).schema
        let store = InMemoryAdapter(schema: schema)
        try await store.write { try $0.keepFingerprint(true) }
        for round in 0..<5 as Range<UInt64> {
            _ = try? await store.write { transaction in
                var random = RandomChanges(of: schema, seed: seed &* 10 &+ round)
                for _ in 0..<10 {
                    try transaction.apply(random.next(for: StoreImage(of: transaction)))
                    let known = try transaction.fingerprint()
                    #expect(try known == StoreFingerprint(ofAllIn: transaction))
                    #expect(try known == transaction.fingerprint())
                }
            }
            let (kept, counted) = try await store.read { try ($0.fingerprint(), StoreFingerprint(ofAllIn: $0)) }
            #expect(kept == counted)
        }
    }

    @Test func historyAndFingerprintAreSwitchedOnTheirOwn() async throws {
        let schema = try Self.schema([])
        let store = InMemoryAdapter(schema: schema)
        try await store.put("Note", ["id": 1], ["id": 2])
        func keep(history: Bool) async throws {
            var changes = ChangeSet()
            changes.keepHistory(history)
            try await store.commit(changes)
        }
        func state() async throws -> [Int64?] {
            try await store.read { try [$0.keepsHistory ? 1 : 0, $0.fingerprint()?.count] }
        }
        #expect(try await state() == [0, nil])
        try await store.write { try $0.keepFingerprint(true) }
        #expect(try await state() == [0, 2])
        #expect(try await store.write { try $0.keepFingerprint(true) }.commit.isEmpty)
        try await keep(history: true)
        #expect(try await state() == [1, 2])
        try await store.write { try $0.keepFingerprint(false) }
        #expect(try await state() == [1, 2])
        try await store.write { try $0.keepFingerprint(true) }
        try await keep(history: false)
        #expect(try await state() == [0, 2])
        try await store.put("Note", ["id": 3])
        #expect(try await state() == [0, 3])
        try await store.write { try $0.keepFingerprint(false) }
        #expect(try await state() == [0, nil])
    }

    @Test(arguments: ["", "1 2", "1 2 3 4", "1  3", "x 1 1", "1 -1 0", "1 2 99999999999999999999"])
    func damagedFingerprintIsAnError(text: String) async throws {
        let store = InMemoryAdapter(schema: try Self.schema([]))
        try await store.write { transaction in
            try transaction.keepFingerprint(true)
            try transaction.setLibraryMetadata(text, for: "sync.history.fingerprint")
        }
        let error = await #expect(throws: PersistenceError.self) { try await store.read { try $0.fingerprint() } }
        #expect(error?.code == .unreadable)
        await #expect(throws: PersistenceError.self) { try await store.put("Note", ["id": 1]) }
    }
}
