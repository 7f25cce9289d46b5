import EntitySync
import SyncPersistence
import Testing

/// Payloads and lists without a usable object: they delete and separate nothing.
@Suite(.needsStores) struct UnusablePayloadTests {
    @Test(
        arguments: StoreKind.allCases,
        [
            #"{"error": "internal server error"}"#, "5", "null", "{}", "true", #""text""#, #"{"users": [{"id": 1}]}"#,
            #"{"id": null}"#, #"{"id": "x"}"#, "{\"error\": 1}\n{\"error\": 2}",
        ])
    func payloadThatIsNoAnswerIsAnErrorAndChangesNothing(kind: StoreKind, json: String) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let error = await #expect(throws: SyncError.self) { try await store.sync(json, into: "User") }
        #expect(error?.code == .noObjects)
        #expect(try await store.contents() == before)
        if json.contains("\n") { return }
        let value = try Value(json: json)
        let again = await #expect(throws: SyncError.self) { try await store.adapter.sync(value, into: "User") }
        #expect(again == error)
        #expect(try await store.contents() == before)
    }

    @Test
    func errorForAPayloadWithoutObjectsSaysWhatWasFound() async throws {
        let store = try await SyncStore.office()
        let error = await #expect(throws: SyncError.self) { try await store.sync("5", into: "User") }
        #expect(
            error?.message
                == "the payload is neither an array nor an object with a key of 'User' (expected an object, found the "
                + "number 5): pass the array of objects alone. Nothing has changed")
    }

    @Test(arguments: StoreKind.allCases, ["[null]", "[{}]", "[5, null]", #"[{"id": null}]"#, #"[{"id": "x"}]"#])
    func listWithoutAUsableObjectDeletesNothing(kind: StoreKind, json: String) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let result = try await store.sync(json, into: "User")
        #expect(result.reportCount > 0)
        #expect(result.isUnchanged)
        try await store.sync(json, into: "Note", parent: RecordID("User", 1))
        try await store.sync(json, into: "Tag", parent: RecordID("User", 1))
        try await store.sync(json, into: "Badge", filter: Field("id") <= 2)
        #expect(try await store.contents() == before)
        try await store.sync(#"[{"id": 2}, null]"#, into: "User")
        #expect(try await store.keys("User") == [2])
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            #""notes": [{}]"#, #""notes": [null]"#, #""notes": [1.5]"#, #""notes": ["x"]"#, #""notes_ids": [1.5]"#,
            #""notes_ids": [null]"#, #""tags": [{}]"#, #""tags_ids": ["x"]"#, #""team": {"groups": [{}]}"#,
            #""post": [{"id": null}]"#, #""post": [1.5]"#, #""badges": [{}]"#,
        ])
    func nestedListWithoutAUsableObjectSeparatesNothing(kind: StoreKind, member: String) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let result = try await store.sync("[{\"id\": 1, \(member)}, {\"id\": 2}]", into: "User")
        #expect(result.reportCount == 1)
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func nullInANestedListIsReportedAndTheRestIsUsed(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let result = try await store.sync(
            #"[{"id": 1, "notes": [{"id": 1, "text": "new"}, null], "tags_ids": [2, null]}, {"id": 2}]"#, into: "User")
        #expect(
            result.reports.map(\.description) == [
                "[0].notes[1]: expected an object, found null",
                "[0].tags_ids[1]: expected a key of 'Tag': an integer of 64 bits, found null",
            ])
        #expect(try await store.value("Note", 1, "text") == "new")
        #expect(try await store.members("User", 1, "notes") == [1])
        #expect(try await store.members("User", 1, "tags") == [2])
    }

    @Test(arguments: StoreKind.allCases)
    func wrongElementOfANestedListIsReportedAndTheRestIsUsed(kind: StoreKind) async throws {
        let members = [
            (#""notes": [1, {"id": 2, "text": "new"}, true]"#, "notes", "Note", "an object, as others of the list are"),
            (#""post": [{"id": 2, "text": "new"}, [3]]"#, "letters", "Letter", "an object, as others of the list are"),
            (#""tags": ["x", null, {"id": 2, "text": "new"}]"#, "tags", "Tag", "an object, as others of the list are"),
        ]
        for (member, name, entity, expected) in members {
            let store = try await SyncStore.office(kind)
            for isFirst in [true, false] {
                let result = try await store.sync("[{\"id\": 1, \(member)}, {\"id\": 2}]", into: "User")
                #expect(result.reports.allSatisfy { $0.kind == .noObject }, "\(member)")
                #expect(result.reports.contains { $0.expected == expected }, "\(member)")
                #expect(result.isUnchanged != isFirst, "\(member)")
                // The element may mean any record, so none is deleted or separated.
                #expect(try await store.members("User", 1, name) == [1, 2], "\(member)")
                #expect(try await store.value(entity, 2, "text") == "new", "\(member)")
            }
        }
        let store = try await SyncStore.office(kind)
        let result = try await store.sync(#"[{"id": 1, "notes": [1, {"id": 2}]}, {"id": 2}]"#, into: "User")
        #expect(
            result.reports.map(\.description) == [
                "[0].notes[0]: expected an object, as others of the list are, found the number 1"
            ])
        var options = SyncOptions()
        options.isStrict = true
        await #expect(throws: SyncError.self) {
            try await store.sync(#"[{"id": 1, "notes": [1, {"id": 2}]}]"#, into: "User", options: options)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aListWithAKeyThatCannotBeReadSeparatesNothing(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        for member in [#""tags_ids": [2, "x"]"#, #""notes": [{}, 2, 1.5]"#, #""notes": [true, 2]"#] {
            try await store.sync("[{\"id\": 1, \(member)}, {\"id\": 2}]", into: "User")
            #expect(try await store.members("User", 1, "tags") == [1, 2], "\(member)")
            #expect(try await store.members("User", 1, "notes") == [1, 2], "\(member)")
        }
    }

    @Test(arguments: StoreKind.allCases, ["[5, {\"id\": 2}]", "[{\"id\": 2}, [1], null]"])
    func aPayloadWithAnElementThatIsNoObjectDeletesNothing(kind: StoreKind, json: String) async throws {
        let store = try await SyncStore.office(kind)
        let result = try await store.sync(json, into: "User")
        #expect(result.reports.first?.kind == .noObject)
        #expect(try await store.keys("User") == [1, 2])
        #expect(try await store.adapter.sync(Value(json: json), into: "User").reports == result.reports)
        #expect(try await store.keys("User") == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func aPayloadWithAnObjectWhoseKeyCannotBeReadDeletesNothing(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let json = #"[{"id": 2}, {"id": "1x"}]"#
        let result = try await store.sync(json, into: "User")
        #expect(result.reports.map(\.path) == ["[1].id"])
        #expect(try await store.keys("User") == [1, 2])
        #expect(try await store.adapter.sync(Value(json: json), into: "User").reports == result.reports)
        #expect(try await store.keys("User") == [1, 2])
        // An object without a key means no record.
        try await store.sync(#"[{"id": 2}, {"id": null}]"#, into: "User")
        #expect(try await store.keys("User") == [2])
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectWhoseKeyCannotBeReadKeepsTheRecordsOfAScope(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let user = RecordID("User", 1)
        let lists: [(String, [Value])] = [(#"[{"id": 2}, {"id": "1x"}]"#, [1, 2]), (#"[{"id": 2}]"#, [2])]
        for (json, members) in lists {
            for (entity, name) in [("Note", "notes"), ("Tag", "tags")] {
                try await store.sync(json, into: entity, parent: user)
                #expect(try await store.members("User", 1, name) == members)
            }
            try await store.sync(json, into: "Badge", filter: Field("id") <= 2)
            #expect(try await store.keys("Badge") == members + [3, 4])
        }
        #expect(try await store.keys("Note") == [2, 3, 4])
        #expect(try await store.keys("Tag") == [1, 2, 3, 4])
    }

    @Test(arguments: StoreKind.allCases)
    func theResultNamesTheListsThatDeleteNothing(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        for json in [#"[{"id": 2}, {"id": "1x"}]"#, #"[5, {"id": 2}]"#, "[{}]", #"[{"id": null}, null]"#] {
            #expect(try await store.sync(json, into: "User").incompleteLists == ["User"], "\(json)")
            let page = try await store.sync(json, into: "User", operations: .page)
            #expect(page.incompleteLists.isEmpty, "\(json)")
        }
        let roots = [SyncRoot("User", at: "users"), SyncRoot("Note", at: "notes"), SyncRoot("Tag", at: "tags")]
        let json = #"{"users": [{"id": 2}, true], "notes": [{"id": 1}, {"id": "x"}], "tags": [{"id": 1}, null]}"#
        let result = try await store.adapter.sync(json, roots: roots)
        #expect(result.incompleteLists == ["Note", "User"])
        #expect(try await store.keys("Tag") == [1])
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            #"{"id": "2x", "notes": [{"id": 2}]}"#, #"{"notes": [{"id": 2}]}"#,
            #"{"id": "2x", "notes": [5, {"id": "x"}, {"id": "2", "text": []}]}"#,
            #"{"id": 2, "notes": [{"id": 4}, {"id": "x", "comments": [{"id": 7, "note": {"id": 2}}]}]}"#,
            #"{"id": 2, "notes": [{"id": 4}, {"comments": [{"note": {"id": 2}}]}]}"#,
            #"{"id": 2, "desk": {"id": "x", "user": {"id": 5, "notes": [{"id": 2}]}}}"#,
            #"{"id": 2, "desk": {"user": {"id": 5, "notes": [{"id": 2}]}}}"#,
        ])
    func aRecordWithinAnObjectWhoseKeyCannotBeReadIsKeptWithoutAnOwner(kind: StoreKind, object: String) async throws {
        let store = try await SyncStore.office(kind)
        let json = #"[{"id": 1, "notes": [{"id": 1}]}, \#(object)]"#
        let result = try await store.sync(json, into: "User")
        #expect(result.reportCount == 1)
        #expect(try await store.members("User", 1, "notes") == [1])
        #expect(try await store.value("Note", 2, "text") == "Note 2")
        #expect(try await store.value("Note", 2, "author") == .null)
        #expect(try await store.adapter.sync(Value(json: json), into: "User").reports == result.reports)
        #expect(try await store.keys("Note") == [1, 2, 3, 4])
        // Nothing in such an object is stored.
        #expect(try await store.record("User", 5) == nil)
        #expect(try await store.keys("Comment") == [])
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            #""notes": {"id": 2}"#, #""notes": {"0": {"id": 2}}"#,
            #""notes": [[{"id": 2}], {"id": 4}]"#, #""notes_ids": {"id": 2}"#,
            #""notes_ids": [4, {"id": 2}]"#, #""notes": [{"id": 2}], "notes_ids": [4]"#,
            #""desk": [{"user": {"notes": [{"id": 2}]}}]"#, #""desk_id": {"user": {"notes": [{"id": 2}]}}"#,
        ])
    func aRecordInAValueOfAWrongFormIsKeptWithoutAnOwner(kind: StoreKind, member: String) async throws {
        let store = try await SyncStore.office(kind)
        let json = #"[{"id": 1, "notes": [{"id": 1}]}, {"id": 2, \#(member)}]"#
        #expect(try await store.sync(json, into: "User").reportCount > 0)
        #expect(try await store.members("User", 1, "notes") == [1])
        #expect(try await store.keys("Note") == [1, 2, 3, 4])
        #expect(try await store.value("Note", 2, "author") == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func anElementOfAnArrayIsNoMapAlsoWithinAnOmittedObject(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("settings", toMany: "Setting", inverse: "user")
                }
                Entity("Setting") {
                    Attribute("key", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                    Attribute("value", .string, userInfo: ["sync.isElement": "YES"])
                    Relationship("user", to: "User", inverse: "settings")
                }
            })
        try await store.sync(#"[{"id": 1, "settings": {"color": "red"}}]"#, into: "User")
        let moved = #"{"id": "x", "settings": [{"key": "color", "value": "red"}]}"#
        try await store.sync(#"[{"id": 1, "settings": []}, \#(moved)]"#, into: "User")
        #expect(try await store.keys("Setting") == ["color"])
        #expect(try await store.value("Setting", "color", "user") == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordThatContradictsTheObjectAroundItIsKept(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let json = #"[{"id": 1, "notes": [{"id": 1, "author": {"id": 2}}]}]"#
        #expect(try await store.sync(json, into: "User").reports.map(\.kind) == [.contradiction])
        #expect(try await store.keys("User") == [1, 2])
        #expect(try await store.value("Note", 1, "author") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordOfTheListWithinAnObjectWhoseKeyCannotBeReadIsKept(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.sync(#"[{"id": 1, "manager": {"id": "1x", "users": [{"id": 2}]}}]"#, into: "User")
        #expect(try await store.keys("User") == [1, 2])
        try await store.sync(#"[{"id": 1, "manager": {"id": "1x"}}]"#, into: "User")
        #expect(try await store.keys("User") == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectThatStatesADeletionAndWhoseKeyCannotBeReadMeansNoLivingRecord(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("User", userInfo: ["sync.deletedPath": "is_deleted"]) {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("notes", toMany: "Note", inverse: "user")
                }
                Entity("Note", userInfo: ["sync.deletedPath": "is_deleted"]) {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("user", to: "User", inverse: "notes")
                }
            })
        let deleted = #"{"id": "1x", "is_deleted": true}"#
        for json in [
            #"[{"id": 2, "notes": [{"id": 1}, \#(deleted)]}, \#(deleted)]"#, #"[\#(deleted), {"id": 2}]"#,
        ] {
            try await store.sync(#"[{"id": 1}, {"id": 2, "notes": [{"id": 1}, {"id": 2}]}]"#, into: "User")
            for isValue in [false, true] {
                let result =
                    isValue
                    ? try await store.adapter.sync(Value(json: json), into: "User")
                    : try await store.sync(json, into: "User")
                #expect(Set(result.reports.map(\.kind)) == [.unconvertible])
                #expect(try await store.keys("User") == [2])
            }
        }
        let alive = #"[{"id": 3}, {"id": "1x", "is_deleted": false}]"#
        try await store.sync(alive, into: "User")
        #expect(try await store.keys("User") == [2, 3])
        // Alone, it is a list without a usable object.
        try await store.sync("[\(deleted)]", into: "User")
        #expect(try await store.keys("User") == [2, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func aListOfPartsWithAWrongElementTakesThePlaceOfNone(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, SyncPartListTests.shops())
        try await store.sync(#"[{"id": 1, "hours": [{"day": "mo"}, {"day": "tu"}]}]"#, into: "Shop")
        let json = #"[{"id": 1, "hours": [5, {"day": "tu"}, {"day": "we"}]}]"#
        for _ in 0..<2 {
            let result = try await store.sync(json, into: "Shop")
            #expect(result.reports.map(\.path) == ["[0].hours[0]"])
            let days = try await store.adapter.read { try $0.records(Query("Hours")).map { $0["day"] } }
            #expect(Set(days) == ["mo", "tu", "we"] && days.count == 3)
        }
    }
}
