import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about single objects; the comments name the cases.
@Suite(.needsStores) struct CatalogueObjectTests {
    /// Returns a store with one volunteer, whose key is `gate`.
    private func volunteer(_ kind: StoreKind) async throws -> CatalogueStore {
        let store = try await CatalogueStore(kind)
        try await store.put("Volunteer", [["id": "gate", "name": "Vera"]])
        #expect(try await store.count("Volunteer") == 1)
        return store
    }

    // A01
    @Test(arguments: StoreKind.allCases)
    func aRecordIsDeletedByAKeyOfTypeText(kind: StoreKind) async throws {
        let store = try await volunteer(kind)
        let result = try await store.adapter.delete("Volunteer", "gate")
        #expect(result["Volunteer"].deleted == [RecordID("Volunteer", "gate")])
        #expect(try await store.count("Volunteer") == 0)
        #expect(try await store.adapter.delete("Volunteer", "gate").isUnchanged)
    }

    // A03
    @Test(arguments: StoreKind.allCases)
    func aRecordIsFetchedByItsKey(kind: StoreKind) async throws {
        let store = try await volunteer(kind)
        let fetched = try #require(try await store.adapter.fetch("Volunteer", "gate"))
        #expect(fetched["id"] == "gate")
        #expect(fetched["name"] == "Vera")
        try await store.adapter.delete("Volunteer", "gate")
        #expect(try await store.count("Volunteer") == 0)
        #expect(try await store.adapter.fetch("Volunteer", "gate") == nil)
    }

    // A04
    @Test(arguments: StoreKind.allCases)
    func anObjectWithAKeyOfTypeTextIsInserted(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let synced = try await store.insertOrUpdate(["id": "bar", "name": "Yngve"], into: "Volunteer")
        let (stored, result) = (synced.record, synced.result)
        #expect(stored?["id"] == "bar")
        #expect(stored?["name"] == "Yngve")
        #expect(result["Volunteer"].inserted == [RecordID("Volunteer", "bar")])
        #expect(try await store.record("Volunteer", "bar")["name"] == "Yngve")
        #expect(try await store.count("Volunteer") == 1)
    }

    // A05
    @Test(arguments: StoreKind.allCases)
    func anObjectWithANumberAsKeyIsInserted(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let stored = try await store.insertOrUpdate(["id": 12], into: "Draft").record
        #expect(stored?["remoteID"] == 12)
        #expect(try await store.count("Draft") == 1)
    }

    // A07
    @Test(arguments: StoreKind.allCases)
    func updatingAMissingRecordChangesNothing(kind: StoreKind) async throws {
        let store = try await volunteer(kind)
        let synced = try await store.adapter.update("Volunteer", "stage", with: [:])
        let (updated, result) = (synced.record, synced.result)
        #expect(updated == nil)
        #expect(result.isUnchanged)
        #expect(try await store.count("Volunteer") == 1)
    }

    // A08
    @Test(arguments: StoreKind.allCases)
    func anUpdatedRecordKeepsItsKey(kind: StoreKind) async throws {
        let store = try await volunteer(kind)
        let updated = try await store.adapter.update("Volunteer", "gate", with: ["name": "Wim"]).record
        #expect(updated?["id"] == "gate")
        #expect(try await store.count("Volunteer") == 1)
        #expect(try await store.record("Volunteer", "gate")["name"] == "Wim")
    }

    // A10
    @Test(arguments: StoreKind.allCases)
    func aHookCompletesAnObjectBeforeItIsInserted(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        var options = SyncOptions()
        options.willInsert = { object, _, _ in
            var object = object
            object["localID"] = "device-1"
            return object
        }
        #expect(try await store.count("Draft") == 0)
        try await store.sync([["id": 40, "finished": false]], into: "Draft", options: options)
        #expect(try await store.count("Draft") == 1)
        let draft = try await store.record("Draft", 40)
        #expect(draft["remoteID"] == 40)
        #expect(draft["localID"] == "device-1")
    }

    // A16
    @Test(arguments: StoreKind.allCases)
    func storedRecordsAreListedByTheirKeys(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.put("Draft", [["remoteID": 2, "name": "Poem"]])
        #expect(try await store.adapter.read { try $0.keys(of: "Draft") } == [2])
        #expect(try await store.adapter.fetch("Draft", 2)?["name"] == "Poem")
    }
}
