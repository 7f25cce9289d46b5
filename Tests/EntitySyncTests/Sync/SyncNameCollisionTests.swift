import EntitySync
import SyncPersistence
import Testing

/// Names of a remote that could mean several properties.
struct SyncNameCollisionTests {
    static func schema() throws -> Schema {
        try Schema {
            Entity("Country") {
                Attribute("id", .string, isPrimaryKey: true, remoteKey: "_id.$oid")
                Attribute("name", .string, remoteKey: "name.common")
                Attribute("title", .string, remoteKey: "title.rendered")
                Attribute("city", .string, remoteKey: "address.city")
            }
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func firstWordOfADottedRemoteKeyIsNotThePlainName(kind: StoreKind, isStrict: Bool) async throws {
        let store = try await SyncStore(kind, Self.schema())
        var options = SyncOptions()
        options.isStrict = isStrict
        let json = #"[{"_id": {"$oid": "a"}, "name": {"common": "Austria"}, "title": {"rendered": "t"}}]"#
        for _ in 0..<2 {
            let result = try await store.sync(json, into: "Country", options: options)
            #expect(result.reports.isEmpty)
            #expect(result.unknownKeys.isEmpty)
        }
        #expect(try await store.keys("Country") == ["a"])
        #expect(try await store.value("Country", "a", "name") == "Austria")
        #expect(try await store.value("Country", "a", "title") == "t")
        let wrapped = try await store.sync(#"[{"_id": {"$oid": "a"}, "name": "Austria"}]"#, into: "Country")
        #expect(wrapped.reports.map(\.kind) == [.wrongShape])
        #expect(wrapped.isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func plainNameCountsWhereTheDottedRemoteKeyIsMissing(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let json = #"""
            [{"id": "a", "city": "Vienna"}, {"_id": {"$oid": "b"}, "id": "c", "address": {"city": "Graz"}, "city": []},
             {"id": "d", "_id": {}, "address": {}, "city": "Linz"}]
            """#
        let result = try await store.sync(json, into: "Country")
        #expect(result.reports.isEmpty)
        #expect(try await store.keys("Country") == ["a", "b", "d"])
        #expect(try await store.value("Country", "a", "city") == "Vienna")
        #expect(try await store.value("Country", "b", "city") == "Graz")
        #expect(try await store.value("Country", "d", "city") == "Linz")
    }

    static func media() throws -> Schema {
        try Schema {
            Entity("Media", userInfo: ["sync.discriminator": "kind"]) {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("mediaType", .string)
                Relationship("genres", toMany: "Genre", inverse: "media")
                Relationship("categories", toMany: "Genre")
                Relationship("children", toMany: "Genre")
                Relationship("company", to: "Company")
            }
            Entity("Genre") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("media", toMany: "Media", inverse: "genres")
            }
            Entity("Company") { Attribute("id", .integer, isPrimaryKey: true) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func exactNameComesBeforeAReservedWord(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.media())
        for json in [
            #"[{"id": 1, "media_type": "movie", "type": "x"}]"#, #"[{"id": 1, "type": "x", "media_type": "movie"}]"#,
        ] {
            let result = try await store.sync(json, into: "Media")
            #expect(try await store.value("Media", 1, "mediaType") == "movie")
            #expect(result.reports.isEmpty)
            #expect(result.unknownKeys == ["Media": ["type"]])
        }
        try await store.sync(#"[{"id": 1, "type": "x", "kind": "Media"}]"#, into: "Media")
        #expect(try await store.value("Media", 1, "mediaType") == "x")
    }

    @Test(arguments: StoreKind.allCases)
    func singularWithIDsReachesARelationshipToMany(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.media())
        try await store.sync(#"[{"id": 1}, {"id": 2}]"#, into: "Genre")
        let result = try await store.sync(
            #"[{"id": 1, "genre_ids": [1, 2], "categoryIds": [2], "child_ids": [1]}]"#, into: "Media")
        #expect(result.unknownKeys.isEmpty)
        #expect(try await store.members("Media", 1, "genres") == [1, 2])
        #expect(try await store.members("Media", 1, "categories") == [2])
        #expect(try await store.members("Media", 1, "children") == [1])
    }

    @Test
    func keyWhereAnObjectWasDueIsToldItsName() async throws {
        let store = try await SyncStore(.inMemory, Self.media())
        let result = try await store.sync(#"[{"id": 1, "company": 5, "kind": "Media"}]"#, into: "Media")
        #expect(
            result.reports.map(\.description) == [
                "[0].company (Media 1.company): expected an object or null; a key stands under 'company_id', found the "
                    + "number 5"
            ])
        #expect(result.unknownKeys.isEmpty)
    }
}
