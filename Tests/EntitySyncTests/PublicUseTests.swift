import EntitySync
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// What a user of the module sets and reads of its values, and calls within a transaction.
struct PublicUseTests {
    private static let schema: Schema = {
        do {
            return try Schema {
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("firstName", .string)
                    Attribute("born", .date)
                    Relationship("tags", toMany: "Tag")
                }
                Entity("Tag") { Attribute("id", .integer, isPrimaryKey: true) }
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// A store with the users 1 and 2.
    private func users() async throws -> InMemoryAdapter {
        let store = InMemoryAdapter(schema: Self.schema)
        try await store.sync(
            [["id": 1, "first_name": "Ada", "born": "2001-01-01T00:00:00Z"], ["id": 2, "first_name": "Bob"]],
            into: "User")
        return store
    }

    @Test func transactionExportsItsOwnChanges() async throws {
        let store = try await users()
        let options = ExportOptions(relationships: .none)
        let (values, texts) = try await store.write { transaction in
            var changes = ChangeSet()
            changes.update(RecordID("User", 2), ["firstName": "Bo"])
            try transaction.apply(changes)
            let query = Query("User", where: Field("id") == 2)
            let list = try transaction.export(query, options: options)
            let values = try [2, 3].map { try transaction.export(RecordID("User", $0), options: options) }
            let bytes = try [2, 3].map {
                try transaction.exportJSON(RecordID("User", $0), options: options, format: .sortedNames)
            }
            let texts = [try transaction.exportJSON(query, options: options, format: .sortedNames)] + bytes
            return ([list] + values, texts.map { $0.map { String(decoding: $0, as: UTF8.self) } })
        }.result
        let bob: Value = ["born": nil, "first_name": "Bo", "id": 2]
        let json = #"{"born":null,"first_name":"Bo","id":2}"#
        #expect(values == [[bob], bob, nil] as [Value?])
        #expect(texts == ["[\(json)]", json, nil])
    }

    @Test func transactionListsTheUploadsOfItsOwnChanges() async throws {
        let store = try await users()
        #expect(try await store.read { try $0.uploads(of: "User", with: ["tags"]) } == [])
        let (all, records) = try await store.write { transaction in
            var changes = ChangeSet()
            changes.put(Record(transaction.schema["Tag"]!, ["id": 7]))
            changes.update(RecordID("User", 1), ["firstName": "Adele"])
            changes.link(RecordID("User", 2), "tags", to: 7)
            try transaction.apply(changes)
            return (try transaction.uploads(of: "User", with: ["tags"]), try transaction.uploads(of: "User"))
        }.result
        #expect(all.map(\.id.key) == [1, 2])
        #expect(all.map(\.changedNames) == [["firstName"], []])
        #expect(records.map(\.id.key) == [1])
        await #expect(throws: PersistenceError.self) {
            try await store.read { try $0.uploads(of: "User", with: ["friends"]) }
        }
    }

    @Test func fetchReadsAStoreThatMustNotBeWritten() async throws {
        let folder = TemporaryFolder()
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: Self.schema)
        try await store.sync([["id": 1, "first_name": "Ada"]], into: "User")
        await store.close()
        var options = SQLiteAdapter.Options()
        options.isReadOnly = true
        let reader = try await SQLiteAdapter.open(at: folder.file(), schema: Self.schema, options: options)
        #expect(try await reader.fetch("User", "1")?["firstName"] == "Ada")
        #expect(try await reader.fetch("User", 2) == nil)
        await reader.close()
    }

    @Test func exportOptionsMayBeChanged() async throws {
        let store = try await users()
        var options = ExportOptions()
        #expect(options.names == .snakeCase)
        options.relationships = .none
        options.names = .camelCase
        options.dates = .custom { .double($0.timeIntervalSinceReferenceDate) }
        let exported = try await store.export("User", where: Field("id") == 1, options: options)
        #expect(exported == [["id": 1, "firstName": "Ada", "born": 0.0]])
    }

    @Test func rootMayBeGivenAFilter() async throws {
        let store = try await users()
        var root = SyncRoot("User", at: "data.users")
        #expect(root.entity == "User" && root.path == "data.users" && root.filter == nil)
        root.filter = Field("id") > 1
        let result = try await store.sync(["data": ["users": [["id": 3]]]], roots: [root])
        #expect(result["User"].inserted == [RecordID("User", 3)])
        #expect(result["User"].deleted == [RecordID("User", 2)])
    }

    @Test func durationsAreMeasuredByTheClockOfTheOptions() async throws {
        let store = try await users()
        var options = SyncOptions()
        options.clock = SecondsClock()
        let result = try await store.sync([["id": 3]], into: "User", options: options)
        #expect(!result.durations.isEmpty)
        for duration in result.durations.values {
            #expect(duration >= .seconds(1) && duration.components.attoseconds == 0)
        }
    }

    @Test func propertiesWithOneKeyHaveACodeOfTheirOwn() async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("firstName", .string)
                Attribute("name", .string, remoteKey: "first_name")
            }
        }
        let store = InMemoryAdapter(schema: schema)
        try await store.sync([["id": 1]], into: "User")
        let error = await #expect(throws: PersistenceError.self) { try await store.exportJSON("User") }
        #expect(error?.code == .keyClash)
    }

    @Test func transformerStatesItsVersion() {
        #expect(AttributeTransformer(pureVersion: 3) { $0 }.pureVersion == 3)
        #expect(AttributeTransformer { $0 }.pureVersion == nil)
    }
}

/// A clock that is a second later each time it is read.
private struct SecondsClock: Clock {
    struct Instant: InstantProtocol {
        var seconds: Int
        func advanced(by duration: Duration) -> Instant { Instant(seconds: seconds + Int(duration.components.seconds)) }
        func duration(to other: Instant) -> Duration { .seconds(other.seconds - seconds) }
        static func < (left: Instant, right: Instant) -> Bool { left.seconds < right.seconds }
    }

    private let reads = Locked(0)

    var now: Instant {
        Instant(
            seconds: reads.withLock { reads in
                reads += 1
                return reads
            })
    }

    var minimumResolution: Duration { .seconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
