import EntitySync
import SyncPersistence
import Testing

/// The records that a payload covers.
@Suite(.needsStores) struct SyncScopeTests {
    @Test(arguments: StoreKind.allCases)
    func anEmptyPayloadDeletesAllRecordsInScope(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.sync("[]", into: "Badge", filter: Field("id") <= 2)
        #expect(try await store.keys("Badge") == [3, 4])
        try await store.sync("[]", into: "Badge", operations: [.insert, .update])
        #expect(try await store.keys("Badge") == [3, 4])
        try await store.sync("[]", into: "Badge")
        #expect(try await store.keys("Badge") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aFilterLimitsDeletionsAndNotUpdates(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let result = try await store.sync(
            #"[{"id": 1, "text": "new"}, {"id": 4, "text": "new"}, {"id": 5}]"#, into: "Badge",
            filter: Field("id") <= 2)
        #expect(result["Badge"].inserted.map(\.key) == [5])
        #expect(result["Badge"].updated.map(\.id.key) == [1, 4])
        #expect(result["Badge"].deleted.map(\.key) == [2])
        #expect(try await store.keys("Badge") == [1, 3, 4, 5])
    }

    @Test(arguments: StoreKind.allCases)
    func aFilteredRecordIsUpdatedWhenItsAttributeChanges(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.sync(#"[{"id": 1, "text": "page"}]"#, into: "Badge", filter: Field("text") == "page")
        #expect(try await store.keys("Badge") == [1, 2, 3, 4])
        try await store.sync("[]", into: "Badge", filter: Field("text") == "page")
        #expect(try await store.keys("Badge") == [2, 3, 4])
    }

    @Test(arguments: StoreKind.allCases)
    func onlyTheRootsOfATreeAreInScope(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("Unit") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("parent", to: "Unit", inverse: "children")
                Relationship("children", toMany: "Unit", inverse: "parent", deleteRule: .cascade)
            }
        }
        let store = try await SyncStore(kind, schema)
        let json = #"[{"id": 1, "children": [{"id": 2, "children": [{"id": 3}]}]}, {"id": 4}]"#
        try await store.sync(json, into: "Unit")
        #expect(try await store.keys("Unit") == [1, 2, 3, 4])
        #expect(try await store.sync(json, into: "Unit").isUnchanged)
        try await store.sync(#"[{"id": 1}]"#, into: "Unit")
        #expect(try await store.keys("Unit") == [1, 2, 3])
        try await store.sync(#"[{"id": 4}]"#, into: "Unit")
        #expect(try await store.keys("Unit") == [4])
    }

    @Test(arguments: StoreKind.allCases)
    func aSelfReferenceWithoutAToManyInverseIsNoTree(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("Page") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("next", to: "Page")
            }
        }
        let store = try await SyncStore(kind, schema)
        try await store.sync(#"[{"id": 1, "next_id": 2}, {"id": 2, "next_id": 1}, {"id": 3}]"#, into: "Page")
        #expect(try await store.value("Page", 1, "next") == 2)
        try await store.sync(#"[{"id": 3}]"#, into: "Page")
        #expect(try await store.keys("Page") == [3])
    }

    @Test(arguments: StoreKind.allCases)
    func objectsOfAParentAreConnectedAndItsOthersDeleted(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let parent = RecordID("User", 1)
        let json = #"[{"id": 2, "text": "new"}, {"id": 3}, {"id": 4}, {"id": 5}]"#
        let result = try await store.sync(json, into: "Note", parent: parent)
        #expect(result["Note"].deleted.map(\.key) == [1])
        #expect(result["Note"].inserted.map(\.key) == [5])
        #expect(try await store.keys("Note") == [2, 3, 4, 5])
        #expect(try await store.members("User", 1, "notes") == [2, 3, 4, 5])
        #expect(try await store.members("User", 2, "notes") == [])
        #expect(try await store.sync(json, into: "Note", parent: parent).isUnchanged)
        try await store.sync("[]", into: "Note", parent: RecordID("User", 2))
        #expect(try await store.keys("Note") == [2, 3, 4, 5])
        try await store.sync(#"[{"id": 2, "author_id": 2}]"#, into: "Note", parent: parent, operations: [.update])
        #expect(try await store.value("Note", 2, "author") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func objectsSharedByParentsAreSeparatedAndNotDeleted(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let parent = RecordID("User", 1)
        let json = #"[{"id": 2}, {"id": 4}, {"id": 5}]"#
        let result = try await store.sync(json, into: "Tag", parent: parent)
        #expect(result["Tag"].deleted.isEmpty)
        #expect(try await store.members("User", 1, "tags") == [2, 4, 5])
        #expect(try await store.members("User", 2, "tags") == [4])
        #expect(try await store.keys("Tag") == [1, 2, 3, 4, 5])
        #expect(try await store.sync(json, into: "Tag", parent: parent).isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func parentAndFilterLimitTheScopeTogether(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.sync("[]", into: "Note", filter: Field("id") >= 2, parent: RecordID("User", 1))
        #expect(try await store.keys("Note") == [1, 3, 4])
    }

    @Test(arguments: StoreKind.allCases)
    func aSyncUnderAnUnrelatedParentChangesNothing(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let noWay = await #expect(throws: SyncError.self) {
            try await store.sync("[]", into: "Note", parent: RecordID("Company", 1))
        }
        #expect(noWay?.code == .noParent)
        #expect(
            noWay?.message == "no relationship of 'Note' leads to 'Company': give one to the schema, or sync without a "
                + "parent")
        let missing = await #expect(throws: SyncError.self) {
            try await store.sync("[]", into: "Note", parent: RecordID("User", 9))
        }
        #expect(missing?.code == .noParent)
        #expect(missing?.message == "there is no parent User 9: store it first")
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func aParentMayHaveASingleRecord(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.sync(#"[{"id": 5}]"#, into: "Desk", parent: RecordID("User", 1))
        #expect(try await store.related("User", 1, "desk") == [5])
        #expect(try await store.keys("Desk") == [2, 3, 4, 5])
    }

    @Test(arguments: StoreKind.allCases)
    func errorForALocallyDeletedParentSaysSo(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.adapter.delete("User", 1, origin: .local)
        let error = await #expect(throws: SyncError.self) {
            try await store.sync("[]", into: "Note", parent: RecordID("User", 1))
        }
        #expect(error?.code == .noParent)
        #expect(
            error?.message
                == "the parent User 1 was deleted locally, and the deletion was not sent yet: skip its list until then")
    }
}
