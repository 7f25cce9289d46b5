import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Exports of maps, of texts in place of objects, and of lists without keys.
struct ExportSourceTests {
    static func countries() throws -> Schema { try SyncMapTests.countries() }

    private func export(
        _ json: String, _ schema: Schema, _ entity: String, _ kind: StoreKind = .inMemory,
        _ options: ExportOptions = ExportOptions(), format: JSONFormat = []
    ) async throws -> String {
        let store = try await SyncStore(kind, schema)
        try await store.sync(json, into: entity)
        let bytes = try await store.adapter.exportJSON(entity, options: options, format: format)
        #expect(try await store.adapter.export(entity, options: options).jsonBytes(format) == bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: StoreKind.allCases)
    func recordsWithMapKeysStandUnderTheseAndTextsStandForObjects(kind: StoreKind) async throws {
        let json = """
            {"AT": {"name": "Austria", "area": 83.5, "translations": {"de": {"text": "Österreich", "is_official": true},
             "fr": "Autriche"}, "tags": ["alps", {"name": "eu", "weight": 3}], "group": "west"}, "DE": {"tags": ["alps"]}}
            """
        var options = ExportOptions()
        options.writesMap = true
        let exported = try await export(json, Self.countries(), "Country", kind, options, format: .sortedNames)
        #expect(
            exported == """
                {"AT":{"area":83.5,"group":"west","name":"Austria","tags":["alps",\
                {"countries":[{"code":"AT"}],"name":"eu","weight":3}],"translations":\
                {"de":{"country_code":"AT","is_official":true,"text":"Österreich"},"fr":"Autriche"}},\
                "DE":{"area":null,"name":null,"tags":["alps"],"translations":[]}}
                """)
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func exportReadsBack(kind: StoreKind, isMap: Bool) async throws {
        let schema = try Self.countries()
        let store = try await SyncStore(kind, schema)
        let json = """
            {"AT": {"translations": {"de": "Österreich", "": {"is_official": false}}, "tags": ["alps", "eu"], "group": "alps"},
             "DE": {"name": "Germany", "tags": [{"name": "eu", "weight": 3}]}, "": {}}
            """
        try await store.sync(json, into: "Country")
        var options = ExportOptions()
        options.writesMap = isMap
        for style in [ExportOptions.RelationshipStyle.array, .ids] {
            options.relationships = style
            let exported = try await store.adapter.exportJSON("Country", options: options)
            let copy = try await SyncStore(kind, schema)
            // Other records are named by their keys and not written.
            for entity in style == .ids ? ["Tag", "Translation"] : [] {
                try await copy.adapter.sync(store.adapter.exportJSON(entity), into: entity)
            }
            #expect(try await copy.adapter.sync(exported, into: "Country").reports.isEmpty)
            #expect(try await copy.contents() == store.contents())
            #expect(try await store.adapter.sync(exported, into: "Country").isUnchanged)
        }
    }

    @Test func recordsWithTheSameNameOrNoneStandInAnArray() async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("phones", toMany: "Phone", inverse: "user")
            }
            Entity("Phone") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("kind", .string, userInfo: ["sync.isMapKey": "YES"])
                Relationship("user", to: "User", inverse: "phones")
            }
        }
        for (phones, expected) in [
            (#"{"work": {"id": 1}, "home": {"id": 2}}"#, #"{"work":{"id":1},"home":{"id":2}}"#),
            (#"[{"id": 1, "kind": "a"}, {"id": 2, "kind": "a"}]"#, #"[{"id":1,"kind":"a"},{"id":2,"kind":"a"}]"#),
            (#"[{"id": 1, "kind": "a"}, {"id": 2}]"#, #"[{"id":1,"kind":"a"},{"id":2,"kind":null}]"#), ("{}", "[]"),
        ] {
            let exported = try await export("[{\"id\": 1, \"phones\": \(phones)}]", schema, "User")
            #expect(exported == "[{\"id\":1,\"phones\":\(expected)}]")
        }
        let store = try await SyncStore(.inMemory, schema)
        try await store.put("Phone", [["id": 1, "kind": "a"], ["id": 2, "kind": "a"], ["id": 3]])
        var options = ExportOptions()
        options.writesMap = true
        for (filter, message) in [
            (Field("id") < 3, "another record has its name in a map, \"a\": export an array"),
            (Field("id") == 3, "give it a value of the attribute with 'sync.isMapKey'"),
        ] as [(Filter, String)] {
            let error = await #expect(throws: PersistenceError.self) {
                try await store.adapter.export("Phone", where: filter, options: options)
            }
            #expect(error?.code == .notRepresentable)
            #expect(error?.description.contains(message) == true)
        }
        #expect(try await store.adapter.export("Phone", where: Field("id") == 1, options: options) == ["a": ["id": 1]])
        struct Phone: Decodable { var id: Int }
        #expect(try await store.adapter.export("Phone", as: Phone.self, options: options).map(\.id) == [1, 2, 3])
    }

    @Test func textThatSaysLessThanItsRecordIsNoStandIn() async throws {
        let schema = try Schema {
            Entity("Post") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tags", toMany: "Tag", isOrdered: true, inverse: "posts")
                Relationship("main", to: "Tag")
            }
            Entity("Tag") {
                Attribute("name", .string, isPrimaryKey: true, userInfo: ["sync.isElement": "YES"])
                Attribute("weight", .integer, default: 1)
                Relationship("posts", toMany: "Post", inverse: "tags")
                Relationship("parent", to: "Tag")
            }
        }
        let json = """
            [{"id": 1, "tags": ["b", {"name": "c", "weight": null}, {"name": "d", "parent": "b"}, "a"], "main": "b"},
             {"id": 2, "tags": ["a"]}]
            """
        #expect(
            try await export(json, schema, "Post") == """
                [{"id":1,"tags":["b",{"name":"c","weight":null,"posts":[{"id":1}]},\
                {"name":"d","weight":1,"posts":[{"id":1}],"parent":"b"},"a"],"main":"b"},{"id":2,"tags":["a"]}]
                """)
        // A single post also writes the destinations of its tags.
        let store = try await SyncStore(.inMemory, schema)
        try await store.sync(json, into: "Post")
        let one = try await store.adapter.exportJSON(RecordID("Post", 2))
        #expect(
            one.map { String(decoding: $0, as: UTF8.self) }?.contains(
                #""tags":[{"name":"a","weight":1,"posts":[{"id":"#)
                == true)
    }

    @Test(arguments: StoreKind.allCases, [ExportOptions.RelationshipStyle.array, .ids])
    func listsWithoutKeysReadBackInTheirOrder(kind: StoreKind, style: ExportOptions.RelationshipStyle) async throws {
        let schema = try SyncPartListTests.shops()
        let store = try await SyncStore(kind, schema)
        let json = """
            [{"id": 1, "hours": [{"day": "we", "breaks": ["12", "10"]}, {"day": "mo", "open": false}, {"day": "mo"}]},
             {"id": 2, "hours": []}]
            """
        try await store.sync(#"[{"id": 1, "hours": [{"day": "x"}]}]"#, into: "Shop")
        try await store.sync(json, into: "Shop")
        var options = ExportOptions()
        options.relationships = style
        let exported = try await store.adapter.exportJSON("Shop", options: options)
        #expect(
            String(decoding: exported, as: UTF8.self).contains(
                style == .array ? #""breaks":["12","10"]"# : #""breaks":[{"at":"12"},{"at":"10"}]"#))
        let copy = try await SyncStore(kind, schema)
        #expect(try await copy.adapter.sync(exported, into: "Shop").reports.isEmpty)
        #expect(try await copy.adapter.exportJSON("Shop", options: options) == exported)
        #expect(try await copy.keys("Hours").count == 3)
        #expect(try await store.adapter.sync(exported, into: "Shop").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func keyOfAPartIsNoPartOfAKeyInAnExport(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("Shop") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("owner", to: "Owner", inverse: "shop")
            }
            Entity("Owner") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("shop", to: "Shop", inverse: "owner")
                Relationship("phones", toMany: "Phone", inverse: "owner", deleteRule: .cascade)
            }
            Entity("Phone") {
                Attribute("owner_key", .integer, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "owner.id"])
                Attribute("number", .string, isPrimaryKey: true, userInfo: ["sync.isElement": "YES"])
                Relationship("owner", to: "Owner", inverse: "phones")
            }
        }
        let json = #"[{"id":1,"owner":{"phones":["1","2"]}}]"#
        let store = try await SyncStore(kind, schema)
        #expect(try await store.sync(json, into: "Shop").reports.isEmpty)
        let exported = try await store.adapter.exportJSON("Shop")
        #expect(String(decoding: exported, as: UTF8.self) == json)
        #expect(try await store.adapter.sync(exported, into: "Shop").isUnchanged)
        var options = ExportOptions()
        options.properties["Phone"] = ["owner_key"]
        #expect(try await store.adapter.export("Phone", options: options) == [[:], [:]])
    }
}
