import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about what a sync may change; the comments name the cases.
@Suite(.needsStores) struct CatalogueOperationTests {
    /// Stores two visitors, and then syncs a payload that changes one of them and has a new one.
    private func visitors(_ kind: StoreKind, _ operations: SyncOperations) async throws -> CatalogueStore {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            #"[{"id": 3, "name": "Ida", "email": "ida@mail.example"}, {"id": 4, "name": "Jon"}]"#, into: "Visitor")
        #expect(try await store.count("Visitor") == 2)
        try await store.sync(
            #"[{"id": 3, "name": "Ida", "email": "new@mail.example"}, {"id": 8, "name": "Kim"}]"#, into: "Visitor",
            operations: operations)
        return store
    }

    // S07
    @Test(arguments: StoreKind.allCases)
    func insertAloneUpdatesNothing(kind: StoreKind) async throws {
        let store = try await visitors(kind, .insert)
        #expect(try await store.count("Visitor") == 3)
        #expect(try await store.record("Visitor", 3)["email"] == "ida@mail.example")
    }

    // S09
    @Test(arguments: StoreKind.allCases)
    func updateAloneInsertsNothing(kind: StoreKind) async throws {
        let store = try await visitors(kind, .update)
        #expect(try await store.count("Visitor") == 2)
        #expect(try await store.record("Visitor", 3)["email"] == "new@mail.example")
    }

    // S11
    @Test(arguments: StoreKind.allCases)
    func insertAndUpdateDeleteNothing(kind: StoreKind) async throws {
        let store = try await visitors(kind, [.insert, .update])
        #expect(try await store.count("Visitor") == 3)
        #expect(try await store.record("Visitor", 3)["email"] == "new@mail.example")
        #expect(try await store.record("Visitor", 4)["name"] == "Jon")
    }

    // S70
    @Test(arguments: StoreKind.allCases)
    func childrenCanBeInsertedWithoutBeingUpdated(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": 6, "letters": [{"id": 61, "text": "hello"}]}]"#, into: "Sender")
        #expect(try await store.count("Letter") == 1)
        try await store.sync(
            #"[{"id": 6, "letters": [{"id": 62, "text": "bye"}, {"id": 61, "text": "changed"}]}]"#, into: "Sender",
            operations: [.insert, .update, .delete, .insertRelationships])
        #expect(try await store.count("Sender") == 1)
        #expect(try await store.count("Letter") == 2)
        #expect(try await store.record("Letter", 61)["text"] == "hello")
        #expect(try await store.record("Letter", 62)["sender"] == 6)
    }

    // S72
    @Test(arguments: StoreKind.allCases)
    func childrenCanBeDeletedWithoutBeingUpdated(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            #"[{"id": 6, "letters": [{"id": 61, "text": "hello"}, {"id": 62, "text": "bye"}]}]"#, into: "Sender")
        #expect(try await store.count("Letter") == 2)
        let result = try await store.sync(
            #"[{"id": 6, "letters": [{"id": 62, "text": "changed"}, {"id": 63, "text": "new"}]}]"#, into: "Sender",
            operations: [.insert, .update, .delete, .deleteRelationships])
        #expect(result["Letter"].deleted == [RecordID("Letter", 61)])
        #expect(try await store.count("Letter") == 1)
        #expect(try await store.record("Letter", 62)["text"] == "bye")
    }

    // S74
    @Test(arguments: StoreKind.allCases)
    func childrenCanBeUpdatedWithoutBeingInserted(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": 6, "issues": [{"id": 61, "text": "May"}]}]"#, into: "Reader")
        try await store.sync(
            #"[{"id": 6, "issues": [{"id": 62, "text": "June"}, {"id": 61, "text": "May, reprinted"}]}]"#,
            into: "Reader", operations: [.insert, .update, .delete, .updateRelationships])
        #expect(try await store.count("Issue") == 1)
        #expect(try await store.record("Issue", 61)["text"] == "May, reprinted")
    }

    // S13
    @Test(arguments: StoreKind.allCases)
    func objectsOfAParentAreConnectedWithIt(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.put("Visitor", [["remoteID": 3]])
        try await store.sync(#"[{"id": 71}, {"id": 72}]"#, into: "Page", parent: RecordID("Visitor", 3))
        #expect(try await store.count("Visitor") == 1)
        #expect(try await store.count("Page", where: Field("visitor") == 3) == 2)
    }

    // S30
    @Test(arguments: StoreKind.allCases)
    func oneObjectOfAScopeIsSyncedWithItsRelationships(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            #"{"id": 80, "summary_text": {"id": 81}, "long_remarks": [{"body": "Encore!"}]}"#, into: "Act",
            filter: Field("remoteID") == 80)
        #expect(try await store.count("Act") == 1)
        #expect(try await store.related("Act", 80, "summary") == [81])
        #expect(try await store.related("Act", 80, "longRemarks") == ["Encore!"])
        #expect(try await store.count("LongRemark") == 1)
    }
}
