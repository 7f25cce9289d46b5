import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about single objects.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of conformance cases is not there; set DIFFSYNC_SHARED"))
struct CatalogueObjectTests {
    /// A store with one user, whose key is `id`.
    private func user(_ kind: StoreKind) async throws -> CatalogueStore {
        let store = try await CatalogueStore(kind, model: "id")
        try await store.put("User", [["id": "id", "name": "dada"]])
        #expect(try await store.count("User") == 1)
        return store
    }

    @Test("A01: delete by a key of text", arguments: StoreKind.allCases)
    func a01(kind: StoreKind) async throws {
        let store = try await user(kind)
        let result = try await store.adapter.delete("User", "id")
        #expect(result["User"].deleted == [RecordID("User", "id")])
        #expect(try await store.count("User") == 0)
        #expect(try await store.adapter.delete("User", "id").isUnchanged)
    }

    @Test("A03: fetch by key", arguments: StoreKind.allCases)
    func a03(kind: StoreKind) async throws {
        let store = try await user(kind)
        let fetched = try #require(try await store.adapter.fetch("User", "id"))
        #expect(fetched["id"] == "id")
        #expect(fetched["name"] == "dada")
        try await store.adapter.delete("User", "id")
        #expect(try await store.count("User") == 0)
        #expect(try await store.adapter.fetch("User", "id") == nil)
    }

    @Test("A04: insert or update by a key of text", arguments: StoreKind.allCases)
    func a04(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "id")
        let (stored, result) = try await store.insertOrUpdate(["id": "id", "name": "name"], into: "User")
        #expect(stored?["id"] == "id")
        #expect(stored?["name"] == "name")
        #expect(result["User"].inserted == [RecordID("User", "id")])
        #expect(try await store.record("User", "id")["name"] == "name")
        #expect(try await store.count("User") == 1)
    }

    @Test("A05: insert or update by a number", arguments: StoreKind.allCases)
    func a05(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Tests")
        let (stored, _) = try await store.insertOrUpdate(["id": 1], into: "User")
        #expect(stored?["remoteID"] == 1)
        #expect(try await store.count("User") == 1)
    }

    @Test("A07: update of what is not there", arguments: StoreKind.allCases)
    func a07(kind: StoreKind) async throws {
        let store = try await user(kind)
        let (updated, result) = try await store.adapter.update("User", "someotherid", with: [:])
        #expect(updated == nil)
        #expect(result.isUnchanged)
        #expect(try await store.count("User") == 1)
    }

    @Test("A08: update with the same key", arguments: StoreKind.allCases)
    func a08(kind: StoreKind) async throws {
        let store = try await user(kind)
        let (updated, _) = try await store.adapter.update("User", "id", with: ["name": "bossy"])
        #expect(updated?["id"] == "id")
        #expect(try await store.count("User") == 1)
        #expect(try await store.record("User", "id")["name"] == "bossy")
    }

    @Test("A10: an object is completed before it is inserted", arguments: StoreKind.allCases)
    func a10(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Tests")
        var options = SyncOptions()
        options.willInsert = { object, _, _ in
            var object = object
            object["localID"] = "local"
            return object
        }
        #expect(try await store.count("User") == 0)
        try await store.sync([["id": 9, "completed": false]], into: "User", options: options)
        #expect(try await store.count("User") == 1)
        let user = try await store.record("User", 9)
        #expect(user["remoteID"] == 9)
        #expect(user["localID"] == "local")
    }

    @Test("A16: records by their keys", arguments: StoreKind.allCases)
    func a16(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Tests")
        try await store.put("User", [["remoteID": 1, "name": "Joshua"]])
        #expect(try await store.adapter.read { try $0.keys(of: "User") } == [1])
        #expect(try await store.adapter.fetch("User", 1)?["name"] == "Joshua")
    }
}
