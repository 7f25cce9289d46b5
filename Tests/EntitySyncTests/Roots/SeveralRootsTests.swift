import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Several lists of one payload, several pages, and deletions that are listed.
struct SeveralRootsTests {
    private let both = [SyncRoot("Item", at: "items"), SyncRoot("User", at: "users")]

    @Test(arguments: StoreKind.allCases, PayloadForm.allCases)
    func listsOfOnePayloadNameRecordsOfEachOther(_ kind: StoreKind, _ form: PayloadForm) async throws {
        let store = try await SyncStore.shop(kind)
        let json = """
            {"items": [{"id": 1, "user_id": 8}, {"id": 2, "user_id": 9}], "users": [{"id": 8}, {"id": 9, "items_ids": [2]}]}
            """
        let result = try await form.sync(json, store, both)
        #expect(result.reports.isEmpty)
        #expect(try await store.value("Item", 1, "user") == 8)
        #expect(try await store.value("Item", 2, "user") == 9)
        #expect(try await store.keys("Item") == [1, 2])
        let again = try await form.sync(json, store, both)
        #expect(again.isUnchanged)
        #expect(again["Item"].unchangedCount == 2)
        #expect(again["User"].unchangedCount == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func unchangedLargeListsAreSkipped(_ kind: StoreKind) async throws {
        let (store, other) = (try await SyncStore.shop(kind), try await SyncStore.shop(kind))
        var plain = SyncOptions()
        plain.usesPayloadMemory = false
        // Each round has other names, owners and members than the last; users are also named by items.
        for round in [0, 0, 1, 2, 2, 1] {
            let items = (0..<(50 - round)).map {
                #"{"id": \#($0), "name": "\#($0 % 7 == round ? "x" : "y")", "user_id": \#(($0 * 3 + round) % 40)}"#
            }
            let users = (0..<(40 + round)).map { #"{"id": \#($0), "name": "\#($0 % 5 == round ? "x" : "y")"}"# }
            let json =
                #"{"users": [\#(users.joined(separator: ","))], "items": [\#(items.joined(separator: ","))]}"#
            let skipping = try await store.adapter.sync(json, roots: both)
            let looking = try await other.adapter.sync(json, roots: both, options: plain)
            #expect(try await store.contents() == other.contents())
            for entity in ["Item", "User"] {
                #expect(skipping[entity].count == looking[entity].count)
                #expect(skipping[entity].unchangedCount == looking[entity].unchangedCount)
            }
            #expect(try await store.adapter.sync(json, roots: both).isUnchanged)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func unchangedRecordsAreCountedBesideEqualKeysOfOtherEntities(_ kind: StoreKind) async throws {
        let store = try await SyncStore.shop(kind)
        try await store.sync(#"[{"id": 1, "name": "x"}]"#, into: "User")
        func json(_ name: String) -> String {
            """
            {"items": [{"id": 1, "name": "\(name)"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}],
             "users": [{"id": 1, "name": "x"}]}
            """
        }
        let changed = try await store.adapter.sync(json("new"), roots: both)
        #expect(changed["Item"].updated.map(\.id.key) == [1])
        #expect(changed["Item"].unchangedCount == 2)
        #expect(changed["User"].unchangedCount == 1)
        try await store.update("Item", 1, ["name": "mine"], origin: .local)
        let clashing = try await store.adapter.sync(json("theirs"), roots: both)
        #expect(clashing.clashes.map(\.id) == [RecordID("Item", 1)])
        #expect(clashing["Item"].unchangedCount == 2)
        #expect(clashing["User"].unchangedCount == 1)
    }

    @Test(arguments: PayloadForm.allCases)
    func reportsOfListsWhosePathsBeginAlikeAreInOrder(_ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        let prefix = form == .onePage ? "[0]." : ""
        let roots = [SyncRoot("Item", at: "items"), SyncRoot("User", at: "item")]
        let result = try await form.sync(#"{"items": [{"id": 1}, 7], "item": [7, {"id": 8}]}"#, store, roots)
        #expect(result.reports.map(\.path) == ["\(prefix)items[1]", "\(prefix)item[0]"])
        let nested = [SyncRoot("User", at: "user"), SyncRoot("Item", at: "user.list")]
        let json = #"{"user": {"id": 8, "list": [{"id": 1, "user_id": "x"}, 7]}}"#
        let reports = try await form.sync(json, store, nested).reports
        #expect(reports.map(\.path) == ["\(prefix)user.list[0].user_id", "\(prefix)user.list[1]"])
        // An attribute of the one object lies in its list, not in the list within.
        let attribute = #"{"user": {"id": 8, "name": {"x": 1}, "list": [{"id": 1}, 7]}}"#
        let sorted = try await form.sync(attribute, store, nested.reversed()).reports
        #expect(sorted.map(\.path) == ["\(prefix)user.list[1]", "\(prefix)user.name"])
    }

    @Test func rootsHaveTheirOwnOperationsAndScopes() async throws {
        let store = try await SyncStore.shop()
        try await store.sync(#"[{"id": 8, "name": "old"}, {"id": 9}]"#, into: "User")
        let roots = [
            SyncRoot("Item", at: "items", filter: Field("id") >= 3),
            SyncRoot("User", at: "users", operations: [.insert]),
        ]
        let json = #"{"users": [{"id": 8, "name": "new"}, {"id": 10}], "items": []}"#
        try await PayloadForm.text.sync(json, store, roots)
        #expect(try await store.keys("Item") == [1, 2])
        #expect(try await store.keys("User") == [8, 9, 10])
        #expect(try await store.value("User", 8, "name") == "old")
    }

    @Test func pendingLinksKeepTheOperationsOfTheirRoot() async throws {
        let store = try await SyncStore.shop()
        let roots = [
            SyncRoot("Item", at: "items", operations: [.insert, .update]), SyncRoot("User", at: "users"),
        ]
        let json = #"{"items": [{"id": 1, "user_id": 8}], "users": [{"id": 8}]}"#
        try await PayloadForm.text.sync(json, store, roots)
        #expect(try await store.value("Item", 1, "user") == .null)
    }

    @Test(arguments: PayloadForm.allCases)
    func aPartialListDeletesNothing(_ form: PayloadForm) async throws {
        for (json, isPartial) in [
            (#"{"items": [], "has_more": true}"#, true), (#"{"items": [], "has_more": false}"#, false),
            (#"{"has_more": null, "items": []}"#, false), (#"{"items": []}"#, false),
            (#"{"items": [], "has_more": 0}"#, false), (#"{"items": [], "has_more": "false"}"#, false),
            (#"{"items": [], "has_more": ""}"#, false),
            (#"{"items": [], "has_more": "https://example.org?page=2"}"#, true),
            (#"{"has_more": {"href": "x"}, "items": []}"#, true), (#"{"items": [], "has_more": [1, "]"]}"#, true),
        ] {
            let store = try await SyncStore.shop()
            var root = SyncRoot("Item", at: "items")
            root.morePath = "has_more"
            try await form.sync(json, store, [root])
            #expect(try await store.keys("Item") == (isPartial ? [1, 2, 3] : []), "\(json)")
        }
        let store = try await SyncStore.shop()
        var root = SyncRoot("Item", at: "items")
        root.isPartial = true
        let json = #"{"items": [{"id": 4}]}"#
        try await form.sync(json, store, [root])
        #expect(try await store.keys("Item") == [1, 2, 3, 4])
        #expect(try await form.sync(json, store, [root]).isUnchanged)
    }

    @Test(arguments: StoreKind.allCases, PayloadForm.allCases)
    func listedDeletionsDeleteRecords(_ kind: StoreKind, _ form: PayloadForm) async throws {
        let store = try await SyncStore.shop(kind)
        var changed = SyncRoot("Item", at: "changed")
        changed.isPartial = true
        let roots = [changed, .deletions(of: "Item", at: "deleted")]
        try await form.sync(#"{"changed": [{"id": 1, "parts": [{"id": 5}]}, {"id": 4}]}"#, store, roots)
        #expect(try await store.keys("Item") == [1, 2, 3, 4])
        let json = #"{"deleted": [1, "2", 77, {"id": 3}, null, {}, "x", [1]], "changed": [{"id": 4, "name": "d"}]}"#
        let result = try await form.sync(json, store, roots)
        #expect(try await store.keys("Item") == [4])
        #expect(try await store.keys("Part") == [])
        let prefix = form == .onePage ? "[0]." : ""
        #expect(result.reports.map(\.path) == [4, 5, 6, 7].map { "\(prefix)deleted[\($0)]" })
        #expect(try await form.sync(json, store, roots).isUnchanged)
        for json in [#"{"changed": [], "deleted": null}"#, #"{"changed": [], "deleted": []}"#] {
            #expect(try await form.sync(json, store, roots).reports.isEmpty)
        }
        for json in [#"{"changed": [], "deleted": 4}"#, #"{"changed": [], "deleted": {"id": 4}}"#] {
            #expect(try await form.sync(json, store, roots).reports.map(\.kind) == [.wrongShape])
        }
        #expect(try await store.keys("Item") == [4])
    }

    @Test(arguments: StoreKind.allCases)
    func aListedDeletionKeepsWhatWasEditedOrMadeHere(_ kind: StoreKind) async throws {
        let store = try await SyncStore.shop(kind)
        try await store.update("Item", 1, ["name": "mine"], origin: .local)
        try await store.put("Item", [["id": 9, "name": "new here"]])
        let roots = [SyncRoot.deletions(of: "Item", at: "deleted")]
        let result = try await PayloadForm.text.sync(#"{"deleted": [1, 2, 9]}"#, store, roots)
        #expect(try await store.keys("Item") == [1, 3, 9])
        #expect(try await store.value("Item", 1, "name") == "mine")
        #expect(result.clashes.map(\.id) == [RecordID("Item", 1)])
    }

    @Test func aDeletionOfAListedObjectCountsAndIsReported() async throws {
        let store = try await SyncStore.shop()
        let roots = [SyncRoot("Item", at: "items"), .deletions(of: "Item", at: "deleted")]
        let json = #"{"deleted": [2, 4], "items": [{"id": 1}, {"id": 2}, {"id": 4}]}"#
        let result = try await PayloadForm.text.sync(json, store, roots)
        #expect(try await store.keys("Item") == [1])
        #expect(result.reports.map(\.path) == ["deleted[0]", "deleted[1]"])
        #expect(result.reports.map(\.kind) == [.contradiction, .contradiction])
        #expect(try await PayloadForm.text.sync(json, store, roots).isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func pagesAreOneSync(_ kind: StoreKind) async throws {
        let store = try await SyncStore.shop(kind)
        var roots = [SyncRoot("Item", at: "items"), SyncRoot("User", at: "users")]
        roots[0].morePath = "next"
        let pages = [
            #"{"items": [{"id": 1, "user_id": 9}], "users": [{"id": 8}], "next": "2"}"#,
            #"{"next": null, "users": [{"id": 9}], "items": [{"id": 5, "user_id": 8, "name": {}}, {"id": 3}]}"#,
        ]
        let result = try await store.adapter.sync(pages: pages.map(\.utf8), roots: roots)
        #expect(try await store.keys("Item") == [1, 3, 5])
        #expect(try await store.value("Item", 1, "user") == 9)
        #expect(result.reports.map(\.path) == ["[1].items[0].name"])
        let stream = AsyncStream { continuation in
            for page in pages { continuation.yield(Array(page.utf8)) }
            continuation.finish()
        }
        let again = try await store.adapter.sync(pages: stream, roots: roots)
        #expect(again.isUnchanged)
        #expect(again["Item"].unchangedCount == 3)
        // The last page says that there are more.
        try await store.adapter.sync(pages: pages.reversed().map(\.utf8), roots: roots)
        try await store.adapter.sync(pages: [pages[0].utf8], roots: roots)
        #expect(try await store.keys("Item") == [1, 3, 5])
    }

    @Test(arguments: [
        [], [#"{"items": [{"id": 1}]}"#, #"{"error": 500}"#], [#"{"items": []}"#, #"{"items": [{"id": 1}"#],
        [#"{"items": [{"id": 1}]"#, "}"], [#"{"items": [{"id": 1}]}"#, ""],
        [#"{"items": [{"id": 1}]}"#, #"{"items": 5}"#],
    ])
    func aBrokenPageDeletesNothing(_ pages: [String]) async throws {
        let store = try await SyncStore.shop()
        let roots = [SyncRoot("Item", at: "items")]
        await #expect(throws: (any Error).self) {
            try await store.adapter.sync(pages: pages.map(\.utf8), roots: roots)
        }
        let stream = AsyncThrowingStream<[UInt8], any Error> { continuation in
            for page in pages { continuation.yield(Array(page.utf8)) }
            continuation.finish()
        }
        await #expect(throws: (any Error).self) { try await store.adapter.sync(pages: stream, roots: roots) }
        #expect(try await store.keys("Item") == [1, 2, 3])
    }

    @Test func aSequenceOfPagesThatThrowsChangesNothing() async throws {
        struct Interruption: Error {}
        let store = try await SyncStore.shop()
        let stream = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield(Array(#"{"items": [{"id": 1}]}"#.utf8))
            continuation.finish(throwing: Interruption())
        }
        await #expect(throws: Interruption.self) {
            try await store.adapter.sync(pages: stream, roots: [SyncRoot("Item", at: "items")])
        }
        #expect(try await store.keys("Item") == [1, 2, 3])
    }

    @Test func aListThatIsMissingFromAPageIsPartial() async throws {
        let store = try await SyncStore.shop()
        var root = SyncRoot("Item", at: "items")
        root.isOptional = true
        let pages = [#"{"items": [{"id": 4}]}"#, #"{"users": []}"#]
        try await store.adapter.sync(pages: pages.map(\.utf8), roots: [root])
        #expect(try await store.keys("Item") == [1, 2, 3, 4])
    }

    @Test(arguments: PayloadForm.allCases)
    func anEmptyPathIsThePayloadItself(_ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        let roots = [SyncRoot("Item"), .deletions(of: "User", at: "")]
        let result = try await form.sync(#" [{"id": 2}, {"id": 7}]"#, store, roots)
        #expect(try await store.keys("Item") == [2, 7])
        #expect(result.reports.isEmpty)
        await #expect(throws: SyncError.self) { try await form.sync(#"{"error": 1}"#, store, [SyncRoot("Item")]) }
        #expect(try await store.keys("Item") == [2, 7])
    }

    @Test func pagesOfListsAloneAndLargePagesAreSkippedTheSecondTime() async throws {
        let store = try await SyncStore.shop()
        let pages = [0, 40, 80].map { start in
            Array("[\((start..<start + 40).map { #"{"id": \#($0), "name": "n"}"# }.joined(separator: ", "))]".utf8)
        }
        let roots = [SyncRoot("Item")]
        #expect(try await store.adapter.sync(pages: pages, roots: roots)["Item"].inserted.count == 117)
        let again = try await store.adapter.sync(pages: pages, roots: roots)
        #expect(again.isUnchanged)
        #expect(again["Item"].unchangedCount == 120)
        let fewer = try await store.adapter.sync(pages: [pages[2], pages[0]], roots: roots)
        #expect(fewer["Item"].deleted.count == 40)
        #expect(fewer["Item"].count == 40)
    }

    @Test(arguments: PayloadForm.allCases)
    func anOptionalRootThatIsNullIsAbsent(_ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        try await store.sync(#"[{"id": 8}]"#, into: "User")
        var root = SyncRoot("User", at: "data.users")
        root.isOptional = true
        let roots = [SyncRoot("Item", at: "items"), root]
        for json in [
            #"{"items": [{"id": 1}], "data": {"users": null}}"#, #"{"items": [{"id": 1}], "data": null}"#,
            #"{"data": {"users":null}, "items": [{"id": 1}]}"#,
        ] {
            let result = try await form.sync(json, store, roots)
            #expect(result.reports.isEmpty)
            #expect(try await store.keys("User") == [8])
            #expect(try await store.keys("Item") == [1])
        }
        let whole = SyncRoot("User")
        for json in [#"{"items": [], "data": {"users": 5}}"#, #"{"items": [], "data": {"users": "null"}}"#] {
            await #expect(throws: SyncError.self) { try await form.sync(json, store, roots) }
        }
        await #expect(throws: SyncError.self) { try await form.sync("null", store, [whole]) }
        root.isOptional = false
        await #expect(throws: SyncError.self) {
            try await form.sync(#"{"data": {"users": null}}"#, store, [root])
        }
        #expect(try await store.keys("User") == [8])
    }
}
