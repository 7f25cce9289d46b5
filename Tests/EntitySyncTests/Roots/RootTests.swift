import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Lists within a payload.
struct RootTests {
    private let items = [SyncRoot("Item", at: "data.items")]

    @Test(arguments: StoreKind.allCases, PayloadForm.allCases)
    func aPathLeadsToTheList(_ kind: StoreKind, _ form: PayloadForm) async throws {
        let store = try await SyncStore.shop(kind)
        let json = #"""
            {"me\u0074a": {"items": ["]", "}\"{", {"data": [{"id": 9}]}], "n": -1.5e3, "t": true}, "data":
              {"count": 2, "items": [{"id": 2, "name": "B"}, {"name": "x", "id": 4}], "more": [[], {}]}, "end": "\\"}
            """#
        let result = try await form.sync(json, store, items)
        #expect(result["Item"].inserted == [RecordID("Item", 4)])
        #expect(result["Item"].updated.map(\.id) == [RecordID("Item", 2)])
        #expect(result["Item"].deleted.map(\.key).sorted(by: Value.areInIncreasingOrder) == [1, 3])
        #expect(result.reports.isEmpty)
        #expect(try await form.sync(json, store, items).isUnchanged)
    }

    @Test(
        arguments: [
            #"{}"#, "null", "5", #""data""#, "[]", #"[{"data": {"items": []}}]"#, #"{"data": null}"#, #"{"data": []}"#,
            #"{"data": "items"}"#, #"{"data": {}}"#, #"{"data": {"item": []}}"#, #"{"data": {"items": null}}"#,
            #"{"data": {"items": 5}}"#, #"{"data": {"items": "[]"}}"#, #"{"data": {"items": {}}}"#,
            #"{"data": {"items": {"error": 1}}}"#, #"{"data.items": []}"#, #"{"error": "internal server error"}"#,
        ], PayloadForm.allCases)
    func aPathThatLeadsToNoListIsAnError(_ json: String, _ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        let error = await #expect(throws: SyncError.self) { try await form.sync(json, store, items) }
        #expect(error?.code == .noObjects)
        #expect(try await store.keys("Item") == [1, 2, 3])
    }

    @Test(
        arguments: [
            #"{"data": {"items": []}"#, #"{"data": {"items": []}} x"#, #"{"data": {"items": [{"id": 1}"#,
            #"{"data": {"items": []}, "a": }"#, #"{"data": {"items": []}, "a": ]"#, #"{"data": {"items": []},}"#,
            #"{"data": {"items": []} "a": 1}"#, #"{"data": {"items": [{"id": 1},]}}"#, #"{data: {"items": []}}"#,
            #"{"data" {"items": []}}"#, #"{"a": [1, "data": {"items": []}}"#, #"{"a": "x, "data": {"items": []}}"#, "",
            "{",
        ], PayloadForm.allCases.filter { $0 != .value })
    func aBrokenPayloadChangesNothing(_ json: String, _ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        await #expect(throws: (any Error).self) { try await form.sync(json, store, items) }
        #expect(try await store.keys("Item") == [1, 2, 3])
    }

    @Test func theErrorNamesWhereThePathEnds() async throws {
        let store = try await SyncStore.shop()
        for (json, reason) in [
            (#"{"data": null}"#, "'data' is null and has no 'items'"),
            (#"{"data": {"users": []}}"#, "'data' has no 'items'"),
            (#"{"errors": []}"#, "the payload has no 'data'"),
            (
                #"{"data": [{"items": []}]}"#,
                "'data' is an array; if each of its elements has 'items', write 'data[].items'"
            ),
        ] {
            for form in [PayloadForm.text, .value] {
                let error = await #expect(throws: SyncError.self) { try await form.sync(json, store, items) }
                #expect(
                    error?.message
                        == "the payload has no list of 'Item' at 'data.items': \(reason). Correct the path, or set "
                        + "`isOptional` if the list may be missing. Nothing has changed")
            }
        }
    }

    @Test func aRepeatedNameOnThePathIsAnError() async throws {
        let store = try await SyncStore.shop()
        let json = #"{"data": {"items": [{"id": 1}]}, "data": {"items": []}}"#
        let error = await #expect(throws: SyncError.self) { try await PayloadForm.text.sync(json, store, items) }
        #expect(error?.message == "the payload has 'data' twice: have it sent once. Nothing has changed")
        #expect(try await store.keys("Item") == [1, 2, 3])
    }

    @Test(arguments: PayloadForm.allCases)
    func anEmptyListDeletesAllRecords(_ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        try await form.sync(#"{"data": {"items": [ ]}}"#, store, items)
        #expect(try await store.keys("Item") == [])
    }

    @Test(arguments: PayloadForm.allCases)
    func aListWithoutAUsableObjectDeletesNothing(_ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        let result = try await form.sync(#"{"data": {"items": [null, 5, {"id": null}]}}"#, store, items)
        #expect(result.isUnchanged)
        let prefix = form == .onePage ? "[0]." : ""
        #expect(result.reports.map(\.path) == [0, 1, 2].map { "\(prefix)data.items[\($0)]" })
    }

    @Test(arguments: PayloadForm.allCases)
    func oneObjectAtAPathDeletesNoOthers(_ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        let json = #"{"data": {"items": {"id": 4, "name": {}}}}"#
        let result = try await form.sync(json, store, items)
        #expect(result["Item"].inserted == [RecordID("Item", 4)])
        #expect(result["Item"].deleted.isEmpty)
        #expect(result.reports.map(\.path) == [form == .onePage ? "[0].data.items.name" : "data.items.name"])
    }

    @Test(arguments: PayloadForm.allCases)
    func anOptionalListMayBeMissing(_ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        var root = items[0]
        root.isOptional = true
        #expect(try await form.sync(#"{"data": {}}"#, store, [root]).isUnchanged)
        #expect(try await form.sync("5", store, [root]).isUnchanged)
        try await form.sync(#"{"data": {"items": []}}"#, store, [root])
        #expect(try await store.keys("Item") == [])
    }

    @Test(arguments: StoreKind.allCases, PayloadForm.allCases)
    func aPathLeadsThroughAnArrayOfWrappers(_ kind: StoreKind, _ form: PayloadForm) async throws {
        let store = try await SyncStore.shop(kind)
        let json = #"""
            {"data": {"edges": [{"cursor": "}", "node": {"id": 2, "name": "B", "user": {"id": 5}}},
             {"node": null}, {"cursor": "x"}, 7, {"node": {"id": 3, "name": []}, "cursor": {"node": {"id": 9}}}]}}
            """#
        let roots = [SyncRoot("Item", at: "data.edges.node")]
        let result = try await form.sync(json, store, roots)
        #expect(try await store.keys("Item") == [2, 3])
        #expect(try await store.keys("User") == [5])
        let prefix = form == .onePage ? "[0]." : ""
        #expect(
            result.reports.map(\.path)
                == ["[1].node", "[2].node", "[3].node", "[4].node.name"].map { "\(prefix)data.edges\($0)" })
        #expect(try await form.sync(json, store, roots).isUnchanged)
        try await form.sync(#"{"data": {"edges": []}}"#, store, roots)
        #expect(try await store.keys("Item") == [])
    }

    @Test(arguments: PayloadForm.allCases)
    func aMarkLeadsThroughAnyArray(_ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        let roots = [SyncRoot("Item", at: "entries[].content.item")]
        try await form.sync(#"{"entries": [{"content": {"item": {"id": 8}}}]}"#, store, roots)
        #expect(try await store.keys("Item") == [8])
        let error = await #expect(throws: SyncError.self) {
            try await form.sync(#"{"entries": {"content": {"item": []}}}"#, store, roots)
        }
        #expect(error?.message.contains("'entries' is an object, not an array") == true)
        #expect(try await store.keys("Item") == [8])
    }

    @Test func aValueBesideAListMayBeLargerThanTheWindow() async throws {
        let form = PayloadForm.file
        let store = try await SyncStore.shop()
        let long = String(repeating: #"{\"items\": [1]} "#, count: 80_000)
        let many = Array(repeating: #"{"id": [1, {"a": "b"}], "text": "]"}"#, count: 30_000).joined(separator: ",\n")
        let wide = (10..<2_010).map { #"{"id": \#($0), "name": "item \#($0)"}"# }.joined(separator: ", ")
        let json = """
            {"a": "\(long)", "b": {"c": [\(many)]}, "data": {"x": [\(many)], "items": [\(wide)], "y": "\(long)"}, "z": [\(many)]}
            """
        let result = try await form.sync(json, store, items)
        #expect(result["Item"].inserted.count == 2_000)
        #expect(result["Item"].deleted.count == 3)
        #expect(try await form.sync(json, store, items).isUnchanged)
        let broken = json.dropLast(2)
        await #expect(throws: JSONError.self) { try await form.sync(String(broken), store, items) }
    }

    @Test(arguments: StoreKind.allCases)
    func aRootOfTheOptionsIsARootOfThePayload(_ kind: StoreKind) async throws {
        let store = try await SyncStore.shop(kind)
        var options = SyncOptions()
        options.root = "data.items"
        let json = #"{"data": {"items": [{"id": 1, "name": "z"}, {"id": 4}], "users": [{"id": 8}]}, "count": 2}"#
        let result = try await store.sync(json, into: "Item", filter: Field("id") >= 3, options: options)
        #expect(result["Item"].updated.count == 1 && result.reports.isEmpty)
        #expect(try await store.keys("Item") == [1, 2, 4])
        let whole = try await store.adapter.sync(Value(json: json), into: "Item", options: options)
        #expect(whole["Item"].deleted.count == 1)
        #expect(try await store.keys("Item") == [1, 4])
        // It is the same as a root of its own.
        let again = try await store.adapter.sync(json, roots: [SyncRoot("Item", at: "data.items")])
        #expect(again.isUnchanged)
        // The paths of roots begin at it.
        options.root = "data"
        let roots = [SyncRoot("Item", at: "items"), SyncRoot("User", at: "users")]
        try await store.adapter.sync(json, roots: roots, options: options)
        #expect(try await store.keys("User") == [8])
        options.root = "data.list"
        let error = await #expect(throws: SyncError.self) {
            try await store.sync(json, into: "Item", options: options)
        }
        #expect(error?.code == .noObjects && error?.message.contains("'data.list'") ?? false)
        #expect(try await store.keys("Item") == [1, 4])
    }

    @Test func singleObjectsAndAnswersFollowTheRootOfTheOptions() async throws {
        let store = try await SyncStore.shop()
        var options = SyncOptions()
        options.root = "data"
        try await store.adapter.insertOrUpdate(["data": ["id": 9, "name": "n"]], into: "Item", options: options)
        try await store.adapter.update("Item", 9, with: ["data": ["name": "m"]], options: options)
        #expect(try await store.value("Item", 9, "name") == "m")
        try await store.put("Item", [["id": -1, "name": "new"]])
        let upload = try #require(try await store.adapter.uploads(of: "Item").first)
        for wrong: Value in [["id": 7], ["data": 5], ["data": ["error": "no"]]] {
            await #expect(throws: SyncError.self) {
                try await store.adapter.accept(upload, answer: wrong, options: options)
            }
        }
        #expect(try await store.adapter.uploads(of: "Item") == [upload])
        #expect(
            try await store.adapter.accept(upload, answer: ["data": ["id": 7]], options: options).record?.key == 7)
        for nothing: Value in [.null, [:], ["data": .null], ["data": [:]]] {
            try await store.put("Item", [["id": -2, "name": "new"]])
            let upload = try #require(try await store.adapter.uploads(of: "Item").first)
            try await store.adapter.accept(upload, answer: nothing, options: options)
            #expect(try await store.adapter.uploads(of: "Item").isEmpty)
            try await store.adapter.delete("Item", -2)
        }
    }
}
