import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about what a sync may change.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of conformance cases is not there; set DIFFSYNC_SHARED"))
struct CatalogueOperationTests {
    /// Two users, and then a payload that changes one of them and has one that is new.
    private func users(_ kind: StoreKind, _ operations: SyncOperations) async throws -> CatalogueStore {
        let store = try await CatalogueStore(kind, model: "Contacts")
        try await store.sync("operation-types-users-a", into: "User")
        #expect(try await store.count("User") == 2)
        try await store.sync("operation-types-users-b", into: "User", operations: operations)
        return store
    }

    @Test("S07: insert alone", arguments: StoreKind.allCases)
    func s07(kind: StoreKind) async throws {
        let store = try await users(kind, .insert)
        #expect(try await store.count("User") == 3)
        #expect(try await store.record("User", 0)["email"] == "melisawhite@ovium.com")
    }

    @Test("S09: update alone", arguments: StoreKind.allCases)
    func s09(kind: StoreKind) async throws {
        let store = try await users(kind, .update)
        #expect(try await store.count("User") == 2)
        #expect(try await store.record("User", 0)["email"] == "updated@ovium.com")
    }

    @Test("S11: insert and update", arguments: StoreKind.allCases)
    func s11(kind: StoreKind) async throws {
        let store = try await users(kind, [.insert, .update])
        #expect(try await store.count("User") == 3)
        #expect(try await store.record("User", 0)["email"] == "updated@ovium.com")
        #expect(try await store.record("User", 1)["name"] == "Glass Oconnor")
    }

    @Test("S70: children are inserted, not updated", arguments: StoreKind.allCases)
    func s70(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "422OneToMany")
        try await store.sync("422-one-to-many-insert-option-initial", into: "User")
        #expect(try await store.count("User") == 1)
        #expect(try await store.count("Message") == 1)
        try await store.sync(
            "422-one-to-many-insert-option-update", into: "User",
            operations: [.insert, .update, .delete, .insertRelationships])
        #expect(try await store.count("User") == 1)
        #expect(try await store.count("Message") == 2)
        #expect(try await store.record("Message", 101)["text"] == "101")
        #expect(try await store.record("Message", 102)["user"] == 1)
    }

    @Test("S72: children are deleted, not updated", arguments: StoreKind.allCases)
    func s72(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "422OneToMany")
        try await store.sync("422-one-to-many-delete-option-initial", into: "User")
        #expect(try await store.count("Message") == 2)
        let result = try await store.sync(
            "422-one-to-many-delete-option-update", into: "User",
            operations: [.insert, .update, .delete, .deleteRelationships])
        #expect(result["Message"].deleted == [RecordID("Message", 101)])
        #expect(try await store.count("Message") == 1)
        #expect(try await store.record("Message", 102)["text"] == "102")
    }

    @Test("S74: children are updated, not inserted", arguments: StoreKind.allCases)
    func s74(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "422ManyToMany")
        try await store.sync("422-many-to-many-update-option-initial", into: "User")
        try await store.sync(
            "422-many-to-many-update-option-update", into: "User",
            operations: [.insert, .update, .delete, .updateRelationships])
        #expect(try await store.count("Message") == 1)
        #expect(try await store.record("Message", 101)["text"] == "updated-101")
    }

    @Test("S13: objects of a parent", arguments: StoreKind.allCases)
    func s13(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "InsertObjectsInParent")
        try await store.put("SuperUser", [["remoteID": 6]])
        try await store.sync("notes_for_user_a", into: "SuperNote", parent: RecordID("SuperUser", 6))
        #expect(try await store.count("SuperUser") == 1)
        #expect(try await store.count("SuperNote", where: Field("superUser") == 6) == 2)
    }

    @Test("S30: a story of a scope", arguments: StoreKind.allCases)
    func s30(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Social")
        try await store.sync("story-summarize", into: "Story", filter: Field("remoteID") == 1)
        #expect(try await store.count("Story") == 1)
        #expect(try await store.related("Story", 1, "summarize") == [1])
        #expect(try await store.related("Story", 1, "comments") == ["Hi"])
        #expect(try await store.count("SocialComment") == 1)
    }
}
