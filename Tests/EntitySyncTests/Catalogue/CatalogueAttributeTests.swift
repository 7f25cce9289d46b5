import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about keys and attributes.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of conformance cases is not there; set DIFFSYNC_SHARED"))
struct CatalogueAttributeTests {
    @Test("S02: names in any spelling", arguments: StoreKind.allCases)
    func s02(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Camelcase")
        try await store.sync("camelcase", into: "NormalUser")
        #expect(try await store.count("NormalUser") == 1)
        let user = try await store.record("NormalUser", "1")
        #expect(user["numberOfChildren"] == 1)
        #expect(user["fullName"] == "Elvis Nuñez")
        #expect(user["firstName"] == "Elvis")
        #expect(user["etternavn"] == "Nuñez")
    }

    @Test("S03: absent members leave attributes as they are", arguments: StoreKind.allCases)
    func s03(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Contacts")
        let first = try await store.sync("users_a", into: "User")
        #expect(first["User"].inserted.count == 8)
        #expect(try await store.count("User") == 8)
        let second = try await store.sync("users_b", into: "User")
        #expect(try await store.count("User") == 6)
        #expect(second["User"].inserted.map(\.key) == [8, 9, 10, 11])
        #expect(second["User"].deleted.count == 6)
        let user = try await store.record("User", 7)
        #expect(user["email"] == "secondupdated@ovium.com")
        #expect(user["createdAt"] == .date(try day("2014-02-14")))
        #expect(user["updatedAt"] == .date(try day("2014-02-17")))
    }

    @Test("S05: numbers are keys of text, and stay so", arguments: StoreKind.allCases)
    func s05(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Contacts")
        let result = try await store.sync("images", into: "Image")
        #expect(result["Image"].inserted == ["0", "1", "2"].map { RecordID("Image", $0) })
        #expect(try await store.count("Image") == 3)
        #expect(try await store.record("Image", "0")["url"] == "http://sample.com/sample0.png")
    }

    @Test("S36: id as primary key", arguments: StoreKind.allCases)
    func s36(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "id")
        try await store.sync("id", into: "User")
        #expect(try await store.count("User") == 2)
    }

    @Test("S38: a sync in a task of its own", arguments: StoreKind.allCases)
    func s38(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "id")
        let task = Task { try await store.sync("id", into: "User") }
        #expect(try await task.value["User"].inserted.count == 2)
        #expect(try await store.count("User") == 2)
    }

    @Test("S63: remote keys of either vocabulary", arguments: StoreKind.allCases)
    func s63(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "RemoteKey")
        try await store.sync("remote_key", into: "Entity")
        #expect(try await store.count("Entity") == 1)
        let entity = try await store.record("Entity", 1)
        #expect(entity["old"] == "old")
        #expect(entity["current"] == "current")
    }

    @Test("A19: the remote key of an attribute")
    func a19() async throws {
        let store = try await CatalogueStore(.inMemory, model: "RemoteKey")
        let entity = try #require(store.adapter.schema.entities.first { $0.name == "Entity" })
        let attribute = try #require(entity.attributes.first { $0.name == "current" })
        #expect(attribute.remoteKey == "custom_current")
    }

    @Test("S79: integers have 64 bits, and what is listed has the order of the payload", arguments: StoreKind.allCases)
    func s79(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "ordered-many-to-many-update")
        try await store.sync("inital-ordered-many-to-many-update", into: "Item")
        #expect(try await store.count("Item") == 5)
        try await store.sync("ordered-many-to-many-update-inital", into: "List")
        #expect(try await store.count("List") == 1)
        #expect(try await store.related("List", 702377, "items") == [])
        try await store.sync("ordered-many-to-many-update-update", into: "List")
        #expect(try await store.count("List") == 1)
        #expect(try await store.count("Item") == 5)
        #expect(try await store.related("List", 702377, "items") == [1, 3, 2, 5, 4])
    }

    @Test("S22: a tree has one root", arguments: StoreKind.allCases)
    func s22(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Organizations")
        let result = try await store.sync("organizations-tree", into: "OrganizationUnit")
        #expect(result["OrganizationUnit"].inserted.count == 7)
        #expect(try await store.count("OrganizationUnit") == 7)
        #expect(try await store.count("OrganizationUnit", where: Field("parentUnit").isNull) == 1)
        #expect(try await store.record("OrganizationUnit", 1114)["parentUnit"] == 112)
    }
}
