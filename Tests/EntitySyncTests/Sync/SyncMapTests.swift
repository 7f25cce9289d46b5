import EntitySync
import SyncPersistence
import Testing

/// Objects whose names are their keys, and plain values in place of objects.
struct SyncMapTests {
    static func countries() throws -> Schema {
        try Schema {
            Entity("Country") {
                Attribute("code", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                Attribute("name", .string)
                Attribute("area", .double)
                Relationship("translations", toMany: "Translation", inverse: "country", deleteRule: .cascade)
                Relationship("tags", toMany: "Tag", inverse: "countries")
                Relationship("group", to: "Tag")
            }
            Entity("Translation") {
                Attribute(
                    "country_code", .string, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "country.code"])
                Attribute("language", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                Attribute("text", .string, userInfo: ["sync.isElement": "YES"])
                Attribute("isOfficial", .bool)
                Relationship("country", to: "Country", inverse: "translations")
            }
            Entity("Tag") {
                Attribute("name", .string, isPrimaryKey: true, userInfo: ["sync.isElement": "YES"])
                Attribute("weight", .integer)
                Relationship("countries", toMany: "Country", inverse: "tags")
            }
        }
    }

    private func sync(_ store: SyncStore, _ json: String, asBytes: Bool) async throws -> SyncResult {
        asBytes
            ? try await store.sync(json, into: "Country")
            : try await store.adapter.sync(Value(json: json), into: "Country")
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func namesOfAMapAreKeysAtTheRootAndBelow(kind: StoreKind, asBytes: Bool) async throws {
        let store = try await SyncStore(kind, Self.countries())
        let json = """
            { "AT": {"name": "Austria", "translations": {"de": {"text": "Österreich", "is_official": true}, "fr": "Autriche"}},
              "DE" : {"name": "Germany", "translations": {"de": "Deutschland"}} , "X.[1]": {}}
            """
        let result = try await sync(store, json, asBytes: asBytes)
        #expect(result.reports.isEmpty)
        #expect(try await store.keys("Country") == ["AT", "DE", "X.[1]"])
        #expect(try await store.keys("Translation") == [["AT", "de"], ["AT", "fr"], ["DE", "de"]])
        #expect(try await store.value("Translation", ["AT", "de"], "text") == "Österreich")
        #expect(try await store.value("Translation", ["AT", "de"], "isOfficial") == true)
        #expect(try await store.value("Translation", ["AT", "fr"], "text") == "Autriche")
        #expect(try await sync(store, json, asBytes: asBytes).isUnchanged)
        let other = try await sync(
            store, #"{"AT": {"translations": {"de": "Austria"}}, "DE": {"translations": null}}"#, asBytes: asBytes)
        #expect(other["Country"].deleted.map(\.key) == ["X.[1]"])
        #expect(Set(other["Translation"].deleted.map(\.key)) == [["AT", "fr"], ["DE", "de"]])
        #expect(try await store.value("Translation", ["AT", "de"], "text") == "Austria")
    }

    @Test(arguments: StoreKind.allCases)
    func arrayOfObjectsThatSayTheirKeysIsTakenAsWell(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.countries())
        let json = #"[{"code": "AT", "translations": [{"language": "de", "text": "Österreich"}]}]"#
        #expect(try await store.sync(json, into: "Country").reports.isEmpty)
        #expect(try await store.keys("Translation") == [["AT", "de"]])
        #expect(try await store.sync(json, into: "Country").isUnchanged)
        let record = try await store.adapter.insertOrUpdate(["code": "DE", "area": 7], into: "Country").record
        #expect(record?["area"] == 7.0)
        // A single object that contains its key is no map.
        let one = #"{"translations": {"de": {"text": "Dänemark"}}, "area": 9, "code": "DK", "name": "x"}"#
        for asBytes in [true, false] {
            #expect(try await sync(store, one, asBytes: asBytes).reports.isEmpty)
            #expect(try await store.keys("Country") == ["DK"])
            #expect(try await store.keys("Translation") == [["DK", "de"]])
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func mapOfTextsIsOneWhateverItsNames(kind: StoreKind, asBytes: Bool) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Label") {
                    Attribute("key", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                    Attribute("text", .string, userInfo: ["sync.isElement": "YES"])
                }
            })
        let json = #"{"key": "Schlüssel", "text": "Text", "a.b": 5, "": true, "none": null}"#
        let result =
            asBytes
            ? try await store.sync(json, into: "Label") : try await store.adapter.sync(Value(json: json), into: "Label")
        #expect(result.reports.map(\.description) == ["none: expected an object, found null"])
        #expect(try await store.keys("Label") == ["", "a.b", "key", "text"])
        #expect(try await store.value("Label", "key", "text") == "Schlüssel")
        #expect(try await store.value("Label", "a.b", "text") == "5")
        // Texts without names have no keys, so they may mean any record and none is deleted.
        let array = try await store.sync(#"["a", {"key": "b", "text": "c"}]"#, into: "Label")
        #expect(array.reports.map(\.description) == ["[0]: expected an object, found the text \"a\""])
        #expect(try await store.keys("Label") == ["", "a.b", "b", "key", "text"])
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func pageThatIsNoMapOfTheEntityChangesNothing(kind: StoreKind, asBytes: Bool) async throws {
        let store = try await SyncStore(kind, Self.countries())
        try await store.sync(#"{"AT": {"name": "Austria"}}"#, into: "Country")
        let before = try await store.contents()
        for json in [
            #"{"error": "internal server error"}"#, #"{"error": {"status": 404, "message": "not found"}}"#,
            #"{"error": {"code": 404, "message": "not found"}}"#, #"{"AT": null}"#, "5", "null", #"{"AT": [1]}"#,
        ] {
            let error = await #expect(throws: SyncError.self, "\(json)") {
                try await sync(store, json, asBytes: asBytes)
            }
            #expect(error?.code == .noObjects)
        }
        #expect(try await store.contents() == before)
        #expect(try await sync(store, "{}", asBytes: asBytes)["Country"].deleted.map(\.key) == ["AT"])
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func objectWithoutAPropertyBesideOthersDeletesNothing(kind: StoreKind, asBytes: Bool) async throws {
        let store = try await SyncStore(kind, Self.countries())
        try await store.sync(#"{"AT": {"name": "Austria"}, "DE": {"name": "Germany"}}"#, into: "Country")
        for (other, place) in [(#""DE": {"error": "timeout"}"#, "DE"), (#""error": {"status": 500}"#, "error")] {
            let result = try await sync(store, #"{"AT": {"name": "Österreich"}, \#(other)}"#, asBytes: asBytes)
            #expect(result.reports.map { "\($0.kind) \($0.path)" } == ["noObject \(place)"])
            #expect(try await store.keys("Country") == ["AT", "DE"])
            #expect(try await store.value("Country", "AT", "name") == "Österreich")
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func nameThatIsNoKeyOrThatTheObjectContradictsDeletesNothing(kind: StoreKind, asBytes: Bool) async throws {
        let store = try await SyncStore(kind, Self.countries())
        try await store.sync(#"{"AT": {"area": 1}, "CH": {"area": 2}, "DE": {"area": 3}}"#, into: "Country")
        let result = try await sync(store, #"{"DE": {"area": 4}, "AT": {"code": "AU"}}"#, asBytes: asBytes)
        #expect(result.reports.map { "\($0.kind) \($0.path)" } == ["contradiction AT.code"])
        #expect(result.incompleteLists == ["Country"])
        #expect(try await store.keys("Country") == ["AT", "CH", "DE"])
        #expect(try await store.value("Country", "DE", "area") == 4.0)
        let rooms = try await SyncStore(
            kind,
            Schema {
                Entity("Room") {
                    Attribute("number", .integer, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                    Attribute("name", .string)
                }
            })
        try await rooms.sync(#"{"1": {"name": "a"}, "2": {"name": "b"}}"#, into: "Room")
        let json = #"{"1": {"name": "c"}, "x": {"name": "d"}}"#
        let other =
            asBytes
            ? try await rooms.sync(json, into: "Room") : try await rooms.adapter.sync(Value(json: json), into: "Room")
        #expect(other.reports.map { "\($0.kind) \($0.path)" } == ["unconvertible x"])
        #expect(try await rooms.keys("Room") == [1, 2])
        #expect(try await rooms.value("Room", 1, "name") == "c")
    }

    @Test(arguments: StoreKind.allCases)
    func faultsInAMapAreReportedUnderTheirNamesInTheOrderOfThePayload(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.countries())
        try await store.sync(#"{"A.B": {"name": "old"}}"#, into: "Country")
        let result = try await store.sync(
            #"{"A.B": {"area": "big"}, "AT": {"code": "AU", "name": "x"}, "DE": {"area": [1], "tags": {"a": 1}}}"#,
            into: "Country")
        #expect(
            result.reports.map(\.description) == [
                "A.B.area (Country \"A.B\".area): expected a number that a double holds, found the text \"big\"",
                "AT.code: expected the value that follows from the object's place, the text \"AT\", found the text \"AU\"",
                "DE.area (Country \"DE\".area): expected a number that a double holds, found an array",
                "DE.tags (Country \"DE\".tags): expected an array of objects, or of keys, or null, found an object",
            ])
        #expect(try await store.keys("Country") == ["A.B", "DE"])
    }

    @Test(arguments: StoreKind.allCases, [#"{"data": {}}"#, #"{"data": {}, "errors": {}}"#])
    func emptyObjectsUnderNamesThatNoRecordHasChangeNothing(kind: StoreKind, json: String) async throws {
        let store = try await SyncStore(kind, Self.countries())
        try await store.sync(#"{"AT": {"name": "Austria"}, "DE": {"name": "Germany"}}"#, into: "Country")
        let before = try await store.contents()
        let error = await #expect(throws: SyncError.self) { try await store.sync(json, into: "Country") }
        #expect(error?.code == .noObjects)
        #expect(try await store.contents() == before)
        // A known name makes it a map.
        #expect(try await store.sync(#"{"AT": {}, "CH": {}}"#, into: "Country").reports.isEmpty)
        #expect(try await store.keys("Country") == ["AT", "CH"])
    }

    @Test(arguments: [
        "{", "{\"AT\"", "{\"AT\":", "{\"AT\": {}", "{\"AT\": {},", "{\"AT\": {},}", "{AT: {}}", "{\"AT\" {}}",
        "{\"AT\": {} \"DE\": {}}", "{\"AT\": {}}}", "{\"AT\": {}} {}", "{\"AT\": {\"name\": }}", "{5: {}}",
        "{\"\\u00\": {}}",
    ])
    func textThatIsNoMapIsAnErrorWithItsPlace(json: String) async throws {
        let store = try await SyncStore(.inMemory, Self.countries())
        try await store.sync(#"{"AT": {"name": "Austria"}}"#, into: "Country")
        let error = await #expect(throws: JSONError.self) { try await store.sync(json, into: "Country") }
        let expected = #expect(throws: JSONError.self) { try Value(json: json) }
        #expect(error == expected)
        #expect(try await store.keys("Country") == ["AT"])
    }

    @Test(arguments: StoreKind.allCases)
    func nameThatStandsTwiceIsReportedAndTheLastCounts(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.countries())
        let json = #"{"AT": {"name": "a"}, "AT": {"name": "b"}}"#
        let result = try await store.sync(json, into: "Country")
        #expect(result.reports.map(\.kind) == [.duplicateKey])
        #expect(try await store.value("Country", "AT", "name") == "b")
        var options = SyncOptions()
        options.json.refusesDuplicateNames = true
        await #expect(throws: JSONError.self) { try await store.sync(json, into: "Country", options: options) }
    }

    @Test(arguments: StoreKind.allCases)
    func largeMapIsSkippedWhereItIsAsItWas(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.countries())
        func json(_ names: [Int: String]) -> String {
            let members = (0..<60).map { "\"K\($0)\": {\"name\": \"\(names[$0] ?? "n")\"}" }
            return "{\(members.joined(separator: ", "))}"
        }
        #expect(try await store.sync(json([:]), into: "Country")["Country"].inserted.count == 60)
        #expect(try await store.sync(json([:]), into: "Country").isUnchanged)
        let changed = try await store.sync(json([7: "x", 59: "y"]), into: "Country")
        #expect(Set(changed["Country"].updated.map(\.id.key)) == ["K7", "K59"])
    }

    @Test func nameThatIsNoKeyCountsForWhatIsAsItWas() async throws {
        let store = try await SyncStore(
            .inMemory,
            Schema {
                Entity("Message") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("push", .string, userInfo: ["sync.isMapKey": "YES"])
                }
            })
        func json(_ prefix: String) -> String {
            "{\((0..<40).map { "\"\(prefix)\($0)\": {\"id\": \($0)}" }.joined(separator: ","))}"
        }
        try await store.sync(json("a"), into: "Message")
        #expect(try await store.sync(json("b"), into: "Message")["Message"].updated.count == 40)
        #expect(try await store.value("Message", 7, "push") == "b7")
    }

    @Test(arguments: StoreKind.allCases)
    func textsMakeRecordsThatAreKeptWhenTheyAreNamedNoMore(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.countries())
        let json =
            #"[{"code": "AT", "tags": ["alps", "eu", 5, "eu"], "group": "west"}, {"code": "DE", "tags": ["eu"]}]"#
        let result = try await store.sync(json, into: "Country")
        #expect(result.reports.map(\.kind) == [.duplicateKey])
        #expect(try await store.keys("Tag") == ["5", "alps", "eu", "west"])
        #expect(try await store.members("Country", "AT", "tags") == ["5", "alps", "eu"])
        #expect(try await store.value("Country", "AT", "group") == "west")
        #expect(try await store.sync(json, into: "Country").isUnchanged)
        let other = try await store.sync(
            #"[{"code": "AT", "tags": ["alps", {"name": "new", "weight": 3}], "group": null}, {"code": "DE", "tags": []}]"#,
            into: "Country")
        #expect(other["Tag"].deleted.isEmpty)
        #expect(other["Tag"].inserted.map(\.key) == ["new"])
        #expect(try await store.members("Country", "AT", "tags") == ["alps", "new"])
        #expect(try await store.members("Country", "DE", "tags") == [])
        #expect(try await store.sync(#"["a", "b"]"#, into: "Tag")["Tag"].inserted.count == 2)
        #expect(try await store.keys("Tag") == ["a", "b"])
    }

    static func owned(_ rule: DeleteRule) throws -> Schema {
        try Schema {
            Entity("Post") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("keywords", toMany: "Keyword", inverse: "post", deleteRule: rule)
            }
            Entity("Keyword") {
                Attribute("word", .string, isPrimaryKey: true, userInfo: ["sync.isElement": "YES"])
                Relationship("post", to: "Post", inverse: "keywords")
            }
        }
    }

    @Test(arguments: StoreKind.allCases, [DeleteRule.nullify, .cascade])
    func deleteRuleSaysWhetherATextThatIsNamedNoMoreIsDeleted(kind: StoreKind, rule: DeleteRule) async throws {
        let store = try await SyncStore(kind, Self.owned(rule))
        try await store.sync(#"[{"id": 1, "keywords": ["a", "b"]}]"#, into: "Post")
        let result = try await store.sync(#"[{"id": 1, "keywords": ["b"]}]"#, into: "Post")
        #expect(result.reports.isEmpty)
        #expect(try await store.related("Post", 1, "keywords") == ["b"])
        #expect(try await store.keys("Keyword") == (rule == .cascade ? ["b"] : ["a", "b"]))
        try await store.sync(#"[{"id": 1, "keywords": []}]"#, into: "Post")
        #expect(try await store.keys("Keyword") == (rule == .cascade ? [] : ["a", "b"]))
        // As an object, it belongs to its owner.
        try await store.sync(#"[{"id": 1, "keywords": [{"word": "a"}]}]"#, into: "Post")
        try await store.sync(#"[{"id": 1, "keywords": [{"word": "b"}]}]"#, into: "Post")
        #expect(try await store.keys("Keyword") == ["b"])
    }

    @Test(arguments: StoreKind.allCases)
    func hookSeesWhatFollowsFromThePlace(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.countries())
        var options = SyncOptions()
        options.willInsert = { object, entity, _ in
            var object = object
            if entity == "Tag" { object["weight"] = object["name"] == "eu" ? 1 : 2 }
            if entity == "Country" { object["name"] = object["code"] }
            return object
        }
        try await store.sync(#"{"AT": {"tags": ["eu", "alps"]}}"#, into: "Country", options: options)
        #expect(try await store.value("Tag", "eu", "weight") == 1)
        #expect(try await store.value("Tag", "alps", "weight") == 2)
        #expect(try await store.value("Country", "AT", "name") == "AT")
    }
}
