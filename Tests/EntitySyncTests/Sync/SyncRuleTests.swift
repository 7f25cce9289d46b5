import EntitySync
import SyncPersistence
import Testing

/// The rules of each sync: one transaction, one record for each key, nothing lost.
@Suite(.needsStores) struct SyncRuleTests {
    @Test(arguments: StoreKind.allCases)
    func aPayloadIsOneCommit(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        var commits = store.adapter.commits().makeAsyncIterator()
        let result = try await store.sync(
            #"[{"id": 1, "notes": [{"id": 1, "comments": [{"id": 1}]}], "tags": [{"id": 1}], "company": {"id": 1}}]"#,
            into: "User")
        let commit = await commits.next()
        #expect(commit?.sequence == result.sequence)
        for entity in ["User", "Note", "Comment", "Tag", "Company"] {
            #expect(result[entity].inserted == [RecordID(entity, 1)], "\(entity)")
        }
        #expect(result.linkedCount == 4)
        #expect(result.unlinkedCount == 0)
        let again = try await store.sync(
            #"[{"id": 1, "notes": [{"id": 1, "comments": [{"id": 1}]}], "tags": [{"id": 1}], "company": {"id": 1}}]"#,
            into: "User")
        #expect(again.isUnchanged)
        #expect(again.sequence == result.sequence)
    }

    @Test(arguments: StoreKind.allCases)
    func aFailureAtTheEndStoresNothing(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("notes", toMany: "Note", inverse: "author", deleteRule: .deny)
            }
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("author", to: "User", inverse: "notes")
            }
        }
        let store = try await SyncStore(kind, schema)
        try await store.sync(#"[{"id": 1, "notes": [{"id": 1}]}]"#, into: "User")
        let before = try await store.contents()
        var options = SyncOptions()
        options.origin = .local
        let error = await #expect(throws: PersistenceError.self) {
            try await store.sync(#"[{"id": 2, "notes": [{"id": 2}]}]"#, into: "User", options: options)
        }
        #expect(error?.code == .deletionDenied)
        #expect(try await store.contents() == before)
        // The remote's deletion waits, and everything else is stored.
        let result = try await store.sync(#"[{"id": 2, "notes": [{"id": 2}]}]"#, into: "User")
        #expect(result.heldBack == [RecordID("User", 1)])
        #expect(try await store.keys("Note") == [1, 2])
    }

    private static func tree() throws -> Schema {
        try Schema {
            Entity("Node") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("parent", to: "Node", inverse: "children")
                Relationship("children", toMany: "Node", inverse: "parent", deleteRule: .cascade)
            }
        }
    }

    @Test(
        arguments: StoreKind.allCases,
        [(0, 1), (40, 1), (0, 2), (40, 2)])
    func recordsInThePayloadAreNotDeletedWithTheirOwner(kind: StoreKind, form: (others: Int, depth: Int)) async throws {
        let store = try await SyncStore(kind, Self.tree())
        let others = (100..<100 + form.others).map { #", {"id": \#($0)}"# }.joined()
        let inner = #"[{"id": 9, "children": [{"id": 10}]}, {"id": 11}]"#
        let within = form.depth == 1 ? inner : #"[{"id": 5, "children": \#(inner)}]"#
        try await store.sync(#"[{"id": 1, "children": \#(within)}\#(others)]"#, into: "Node")
        // 9 has no owner now, and the payload does not mention 10, which belongs to it.
        let moved = #"[{"id": 9}\#(others)]"#
        let result = try await store.sync(moved, into: "Node")
        #expect(result["Node"].deleted.contains(RecordID("Node", 1)))
        #expect(try await store.keys("Node").filter { Value.areInIncreasingOrder($0, 100) } == [9, 10])
        #expect(try await store.value("Node", 9, "parent") == .null)
        #expect(try await store.value("Node", 10, "parent") == 9)
        #expect(try await store.sync(moved, into: "Node").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases, [0, 40])
    func theOwnerNamedLastHasTheRecord(kind: StoreKind, others: Int) async throws {
        let store = try await SyncStore(kind, Self.tree())
        let rest = (100..<100 + others).map { #", {"id": \#($0)}"# }.joined()
        for text in ["a", "b"] {
            let payload = #"[{"id": 1, "text": "\#(text)", "children": []}, {"id": 2, "parent_id": 1}\#(rest)]"#
            try await store.sync(payload, into: "Node")
            #expect(try await store.value("Node", 2, "parent") == 1)
            for _ in 0..<3 { #expect(try await store.sync(payload, into: "Node").isUnchanged) }
        }
    }

    /// Users with notes that must have one, and may be pinned by another.
    private static func desk(isOptional: Bool) throws -> Schema {
        try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("notes", toMany: "Note", inverse: "user", deleteRule: .cascade)
                Relationship("pinned", to: "Note")
                Relationship("profile", to: "Profile", deleteRule: .cascade)
            }
            Entity("Profile") { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("user", to: "User", inverse: "notes", isOptional: isOptional)
                Relationship("lines", toMany: "Line", inverse: "note", deleteRule: .cascade)
            }
            Entity("Line") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("note", to: "Note", inverse: "lines")
                Relationship("reader", to: "User")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func recordsThatNeedTheirOwnerAreDeletedWithItAndReported(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.desk(isOptional: false))
        try await store.sync(
            #"[{"id": 1, "notes": [{"id": 2, "text": "a", "lines": [{"id": 7}, {"id": 8}]}]}]"#, into: "User")
        let result = try await store.sync(
            #"[{"id": 3, "pinned": {"id": 2, "text": "b", "lines": [{"id": 7}, {"id": 8}]}}]"#, into: "User")
        #expect(try await store.keys("User") == [3])
        #expect(try await store.keys("Note") == [])
        // The payload also has the record below it, which needs no owner.
        #expect(try await store.keys("Line") == [7, 8])
        #expect(result.reports.map(\.kind) == [.missingValue])
        #expect(result.reports.first?.id == RecordID("Note", 2) && result.reports.first?.property == "user")
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordThatIsNotDeletedKeepsItsChildren(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.desk(isOptional: true))
        try await store.sync(
            #"[{"id": 1, "profile": {"id": 5}, "notes": [{"id": 2, "text": "a"}]}]"#, into: "User")
        try await store.update("Note", 2, ["text": "mine"], origin: .local)
        let result = try await store.sync(#"[{"id": 3, "profile": {"id": 5}}]"#, into: "User")
        #expect(result.heldBack == [RecordID("User", 1)])
        #expect(try await store.value("User", 1, "profile") == 5)
        #expect(try await store.value("Note", 2, "user") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func aListOfKeysRestoresWhatAListOfObjectsOmitted(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.desk(isOptional: true))
        try await store.sync(#"[{"id": 1, "notes": [{"id": 2}]}, {"id": 3}]"#, into: "User")
        let payload =
            #"[{"id": 1, "notes": []}, {"id": 3, "notes": [{"id": 4, "lines": [{"id": 6, "reader": {"id": 1, "notes_ids": [2]}}]}]}]"#
        try await store.sync(payload, into: "User")
        #expect(try await store.value("Note", 2, "user") == 1)
        #expect(try await store.sync(payload, into: "User").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func problemsFoundAtTheEndAreReportedEachTime(kind: StoreKind, usesMemory: Bool) async throws {
        let store = try await SyncStore(kind, Self.desk(isOptional: false))
        let others = (100..<140).map { ", {\"id\": \($0)}" }.joined()
        try await store.sync(#"[{"id": 1, "notes": [{"id": 2}]}\#(others)]"#, into: "User")
        var options = SyncOptions()
        options.usesPayloadMemory = usesMemory
        for _ in 0..<3 {
            let result = try await store.sync(
                #"[{"id": 1, "notes": []}, {"id": 3, "pinned": {"id": 2}}\#(others)]"#, into: "User", options: options)
            #expect(result.reports.map(\.kind) == [.missingValue])
            #expect(try await store.value("Note", 2, "user") == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anOwnerNestedInItsOwnChildIsOneRecord(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        let json = """
            [{"id": 1, "text": "Ada", "company": {"id": 1, "users": [{"id": 1}, {"id": 2, "text": "Bob"}]}},
             {"id": 2, "notes": [{"id": 1, "author": {"id": 2, "text": "Eve"}}]}]
            """
        let result = try await store.sync(json, into: "User")
        #expect(result.reports.isEmpty)
        #expect(try await store.keys("User") == [1, 2])
        #expect(try await store.value("User", 1, "text") == "Ada")
        #expect(try await store.value("User", 2, "text") == "Eve")
        #expect(try await store.value("Note", 1, "author") == 2)
        #expect(try await store.members("Company", 1, "users") == [1, 2])
        #expect(try await store.sync(json, into: "User").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func objectsWithoutAKeyDoNotShiftTheirNeighbours(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        let result = try await store.sync(
            #"[{"text": "?"}, {"id": 1, "text": "a"}, {"id": null}, {"id": 2, "text": "b"}, {"id": "x"}, {"id": 3, "text": "c"}]"#,
            into: "Badge")
        #expect(try await store.keys("Badge") == [1, 2, 3])
        for (key, text): (Value, Value) in [(1, "a"), (2, "b"), (3, "c")] {
            #expect(try await store.value("Badge", key, "text") == text)
        }
        #expect(result.reports.map(\.kind) == [.noKey, .noKey, .unconvertible])
        #expect(result.reports.map(\.path) == ["[0]", "[2]", "[4].id"])
    }

    @Test(arguments: StoreKind.allCases)
    func laterObjectWinsWhenKeysRepeat(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        let json = #"[{"id": 1, "text": "a"}, {"id": 2}, {"id": "1", "text": "b"}, {"id": 1.0, "text": "c"}]"#
        let result = try await store.sync(json, into: "Badge")
        #expect(try await store.keys("Badge") == [1, 2])
        #expect(try await store.value("Badge", 1, "text") == "c")
        #expect(result.reports.map(\.kind) == [.duplicateKey, .duplicateKey])
        #expect(result.reports.map(\.path) == ["[0]", "[2]"])
        #expect(try await store.sync(json, into: "Badge").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func anUnconvertibleValueLeavesTheAttributeUnchanged(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("Thing") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("count", .integer)
                Attribute("must", .integer, isOptional: false)
            }
        }
        let store = try await SyncStore(kind, schema)
        try await store.sync(#"[{"id": 1, "count": 5, "must": 6}]"#, into: "Thing")
        let result = try await store.sync(
            #"[{"id": 1, "count": "12abc", "must": {}}, {"id": 2, "count": "x", "must": 3}, {"id": 3, "must": "x"}]"#,
            into: "Thing")
        #expect(try await store.value("Thing", 1, "count") == 5)
        #expect(try await store.value("Thing", 1, "must") == 6)
        #expect(try await store.value("Thing", 2, "count").isNull)
        #expect(try await store.keys("Thing") == [1, 2])
        #expect(
            result.reports.map { "\($0.kind.rawValue) \($0.path)" } == [
                "unconvertible [0].count", "unconvertible [0].must", "unconvertible [1].count",
                "unconvertible [2].must",
                "missingValue [2]",
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func aMissingValueAtAPathIsKeptAndNullClearsIt(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("Thing") {
                Attribute("key", .integer, isPrimaryKey: true, remoteKey: "meta.id")
                Attribute("one", .integer, remoteKey: "a.one")
                Attribute("two", .integer, remoteKey: "a.b.two")
                Attribute("three", .integer, remoteKey: "a.b.three")
            }
        }
        let store = try await SyncStore(kind, schema)
        let values = { () async throws -> [Value] in
            let record = try await store.record("Thing", 1)
            return ["one", "two", "three"].map { record?[$0] ?? .null }
        }
        let start = #"[{"meta": {"id": 1}, "a": {"one": 1, "b": {"two": 2, "three": 3}}}]"#
        try await store.sync(start, into: "Thing")
        #expect(try await values() == [1, 2, 3])
        let cases: [(json: String, values: [Value], reports: [String])] = [
            (#"{"a": {}}"#, [1, 2, 3], []), (#"{"a": {"b": {"two": 5}}}"#, [1, 5, 3], []),
            (#"{"a": {"one": null}}"#, [.null, 2, 3], []), (#"{"a": {"b": null}}"#, [1, .null, .null], []),
            (#"{"a": null}"#, [.null, .null, .null], []), (#"{"a": 5}"#, [1, 2, 3], ["wrongShape [0].a"]),
            (#"{"a": {"b": [1]}}"#, [1, 2, 3], ["wrongShape [0].a.b"]), (#"{"a.b.two": 7}"#, [1, 7, 3], []),
            (#"{"a": {"b": {"two": "x"}}}"#, [1, 2, 3], ["unconvertible [0].a.b.two"]),
        ]
        for (json, expected, reports) in cases {
            try await store.sync(start, into: "Thing")
            let object = json.dropLast() + #", "meta": {"id": "1"}}"#
            let result = try await store.sync("[\(object)]", into: "Thing")
            #expect(try await values() == expected, "\(json)")
            #expect(result.reports.map { "\($0.kind.rawValue) \($0.path)" } == reports, "\(json)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func keysMayNameRecordsLaterInThePayload(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        let json = """
            [{"id": 1, "tags_ids": [1, 2], "company_id": 5, "manager": 6, "notes_ids": [7, 8], "desk_id": 9, "badges": [3]},
             {"id": 2, "tags": [{"id": 2}, {"id": 1}], "company": {"id": 5}, "manager": {"id": 6},
              "desk": {"id": 10}, "badges": [{"id": 3}], "notes": [{"id": 9}]},
             {"id": 3, "notes": [{"id": 7}, {"id": 8}], "desk": {"id": 9}}]
            """
        let result = try await store.sync(json, into: "User")
        #expect(try await store.members("User", 1, "tags") == [1, 2])
        #expect(try await store.value("User", 1, "company") == 5)
        #expect(try await store.value("User", 1, "boss") == 6)
        #expect(try await store.members("User", 1, "badges") == [3])
        #expect(try await store.members("User", 1, "notes") == [7, 8])
        // Two users have one desk.
        #expect(result.reports.map(\.kind) == [.contradiction])
    }

    @Test(arguments: StoreKind.allCases)
    func anUnknownKeyIsReportedAndTheOldLinkKept(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let result = try await store.sync(
            #"[{"id": 1, "tags_ids": [2, 77], "company_id": 88, "desk_id": 99}]"#, into: "User",
            operations: FormRow.operations)
        #expect(try await store.members("User", 1, "tags") == [2])
        #expect(try await store.value("User", 1, "company") == 1)
        #expect(try await store.related("User", 1, "desk") == [1])
        #expect(
            Set(result.reports.map(\.description)) == [
                "[0].tags_ids[1] (User 1.tags): expected the key of a record of 'Tag', found 77, which none has",
                "[0].company_id (User 1.company): expected the key of a record of 'Company', found 88, which none has",
                "[0].desk_id (User 1.desk): expected the key of a record of 'Desk', found 99, which none has",
            ])
        #expect(result.reports.map(\.path).sorted() == ["[0].company_id", "[0].desk_id", "[0].tags_ids[1]"])
    }

    @Test func phasesAreTimedAndUnchangedRecordsAreCounted() async throws {
        let store = try await SyncStore.office()
        let result = try await store.sync(
            #"[{"id": 1}, {"id": 2, "text": "new"}, {"id": 9}]"#, into: "Badge", operations: [.insert, .update])
        #expect(result["Badge"].unchangedCount == 1)
        #expect(result["Badge"].updated.map(\.id) == [RecordID("Badge", 2)])
        #expect(result["Badge"].updated.map(\.properties) == [["text"]])
        #expect(result["Badge"].inserted == [RecordID("Badge", 9)])
        #expect(result["Badge"].count == 2)
        #expect(!result.isUnchanged)
        #expect(Set(result.durations.keys) == Set(SyncPhase.allCases))
    }
}
