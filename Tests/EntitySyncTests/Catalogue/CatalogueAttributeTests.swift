import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about keys and attributes; the comments name the cases.
@Suite(.needsStores) struct CatalogueAttributeTests {
    // S02
    @Test(arguments: StoreKind.allCases)
    func namesInAnySpellingReachTheirAttribute(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            #"[{"id": "k7", "albumCount": 4, "stageName": "Åse Vik", "given_name": "Åse", "family_name": "Vik"}]"#,
            into: "Singer")
        #expect(try await store.count("Singer") == 1)
        let singer = try await store.record("Singer", "k7")
        #expect(singer["albumCount"] == 4)
        #expect(singer["stageName"] == "Åse Vik")
        #expect(singer["givenName"] == "Åse")
        #expect(singer["bynavn"] == "Vik")
    }

    // S03
    @Test(arguments: StoreKind.allCases)
    func absentMembersLeaveAttributesUnchanged(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let first = try await store.sync(
            """
            [{"id": 3, "name": "Ida", "email": "ida@mail.example", "created_at": "2021-05-03T00:00:00+00:00"},
             {"id": 4, "name": "Jon", "email": "jon@mail.example", "created_at": "2021-05-04T00:00:00+00:00",
              "updated_at": "2021-06-01T00:00:00+00:00"}]
            """, into: "Visitor")
        #expect(first["Visitor"].inserted.count == 2)
        let second = try await store.sync(
            """
            [{"id": 4, "name": "Jon", "email": "new@mail.example"}, {"id": 8, "name": "Kim"}, {"id": 9, "name": "Lea"}]
            """, into: "Visitor")
        #expect(try await store.count("Visitor") == 3)
        #expect(second["Visitor"].inserted.map(\.key) == [8, 9])
        #expect(second["Visitor"].deleted.map(\.key) == [3])
        let visitor = try await store.record("Visitor", 4)
        #expect(visitor["email"] == "new@mail.example")
        #expect(visitor["createdAt"] == .date(try day("2021-05-04")))
        #expect(visitor["updatedAt"] == .date(try day("2021-06-01")))
    }

    // S05
    @Test(arguments: StoreKind.allCases)
    func numbersBecomeKeysOfTypeText(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let result = try await store.sync(
            #"[{"PosterCode": 10, "url": "https://a.example/10"}, {"PosterCode": 11, "url": "https://a.example/11"}]"#,
            into: "Poster")
        #expect(result["Poster"].inserted == ["10", "11"].map { RecordID("Poster", $0) })
        #expect(try await store.count("Poster") == 2)
        #expect(try await store.record("Poster", "10")["url"] == "https://a.example/10")
    }

    static let volunteers = #"[{"id": "north", "name": "Mia"}, {"id": "south", "name": "Noa"}]"#

    // S36
    @Test(arguments: StoreKind.allCases)
    func anAttributeNamedIDIsThePrimaryKey(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(Self.volunteers, into: "Volunteer")
        #expect(try await store.count("Volunteer") == 2)
    }

    // S38
    @Test(arguments: StoreKind.allCases)
    func aSyncCanRunInATaskOfItsOwn(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let task = Task { try await store.sync(Self.volunteers, into: "Volunteer") }
        #expect(try await task.value["Volunteer"].inserted.count == 2)
        #expect(try await store.count("Volunteer") == 2)
    }

    // S63
    @Test(arguments: StoreKind.allCases)
    func remoteKeysOfBothVocabulariesAreRead(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": 5, "value_before": "dim", "value_now": "bright"}]"#, into: "Setting")
        #expect(try await store.count("Setting") == 1)
        let setting = try await store.record("Setting", 5)
        #expect(setting["former"] == "dim")
        #expect(setting["present"] == "bright")
    }

    // A19
    @Test func theModelNamesTheRemoteKeyOfAnAttribute() throws {
        let entity = try #require(CatalogueStore.festival().entities.first { $0.name == "Setting" })
        let attribute = try #require(entity.attributes.first { $0.name == "present" })
        #expect(attribute.remoteKey == "value_now")
    }

    // S79
    @Test(arguments: StoreKind.allCases)
    func listedRecordsHaveTheOrderOfThePayload(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let key: Int64 = 9_007_199_254_740_993
        try await store.sync(#"[{"id": 21}, {"id": 23}, {"id": 22}, {"id": 24}]"#, into: "Song")
        #expect(try await store.count("Song") == 4)
        try await store.sync(#"[{"id": \#(key)}]"#, into: "Playlist")
        #expect(try await store.count("Playlist") == 1)
        #expect(try await store.related("Playlist", .integer(key), "songs") == [])
        try await store.sync(
            #"[{"id": \#(key), "songs": [{"id": 24}, {"id": 21}, {"id": 23}, {"id": 22}]}]"#, into: "Playlist")
        #expect(try await store.count("Playlist") == 1)
        #expect(try await store.count("Song") == 4)
        #expect(try await store.related("Playlist", .integer(key), "songs") == [24, 21, 23, 22])
    }

    // S22
    @Test(arguments: StoreKind.allCases)
    func aTreeHasOneRoot(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let result = try await store.sync(
            """
            [{"id": 500, "name": "site", "parts": [
                {"id": 510, "name": "meadow", "parts": [
                    {"id": 511, "parts": [{"id": 901}, {"id": 902}]}, {"id": 512, "parts": [{"id": 903}]}]}]}]
            """, into: "Area")
        #expect(result["Area"].inserted.count == 7)
        #expect(try await store.count("Area") == 7)
        #expect(try await store.count("Area", where: Field("whole").isNull) == 1)
        #expect(try await store.record("Area", 903)["whole"] == 512)
    }
}
