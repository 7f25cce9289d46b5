import EntitySync
import SyncPersistence
import Testing

/// Several syncs of one store at the same time.
@Suite(.needsStores) struct SyncConcurrencyTests {
    @Test(arguments: StoreKind.allCases)
    func concurrentSyncsNeverInsertARecordTwice(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        let json: Value = .array(
            (1...100).map { key in
                [
                    "id": .integer(key), "notes": [["id": .integer(key * 2)], ["id": .integer(key * 2 + 1)]],
                    "tags": [["id": .integer(key % 7)]], "company": ["id": .integer(key % 3)],
                ]
            })
        let results = try await withThrowingTaskGroup(of: SyncResult.self) { group in
            for _ in 0..<8 { group.addTask { try await store.adapter.sync(json, into: "User") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.filter { !$0.isUnchanged }.count == 1)
        #expect(results.map { $0["User"].inserted.count }.reduce(0, +) == 100)
        #expect(try await store.keys("User").count == 100)
        #expect(try await store.keys("Note").count == 200)
        #expect(try await store.keys("Tag").count == 7)
        #expect(try await store.keys("Company").count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func differentEntitiesCanBeSyncedConcurrently(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        let entities = ["Note", "Tag", "Badge", "Company"]
        let json: Value = .array((1...200).map { ["id": .integer($0), "text": "x"] })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for entity in entities + entities {
                group.addTask { _ = try await store.adapter.sync(json, into: entity) }
            }
            try await group.waitForAll()
        }
        for entity in entities { #expect(try await store.keys(entity).count == 200, "\(entity)") }
    }

    @Test(arguments: StoreKind.allCases)
    func recordsWithoutAnAttributeAsKeyCanBeSyncedConcurrently(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("Car") { Attribute("wheels", .integer) }
            Entity("Racecar", parent: "Car") {
                Attribute("number", .integer, isIndexed: true, userInfo: ["sync.isPrimaryKey": "YES"])
            }
        }
        let store = try await SyncStore(kind, schema)
        let json: Value = .array((1...50).map { ["number": .integer($0), "wheels": 4] })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { _ = try await store.adapter.sync(json, into: "Racecar") } }
            try await group.waitForAll()
        }
        #expect(try await store.keys("Racecar").count == 50)
        #expect(try await store.adapter.fetch("Racecar", "7")?["wheels"] == 4)
        try await store.adapter.sync([["number": 7], ["number": 51]], into: "Racecar")
        #expect(try await store.keys("Racecar").count == 2)
    }
}
