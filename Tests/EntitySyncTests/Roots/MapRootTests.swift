import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Maps of objects at paths, over pages, and beside other lists.
struct MapRootTests {
    private func json(_ members: [(name: String, area: String)]) -> String {
        members.map { #""\#($0.name)": {"area": \#($0.area)}"# }.joined(separator: ", ")
    }

    @Test(arguments: StoreKind.allCases, PayloadForm.allCases)
    func reportsOfAMapStandInTheOrderOfThePayload(_ kind: StoreKind, _ form: PayloadForm) async throws {
        let store = try await SyncStore(kind, SyncMapTests.countries())
        let old = #"{"data": {"a.b": {"name": "old"}, "DE": {"name": "old"}}}"#
        try await form.sync(old, store, [SyncRoot("Country", at: "data")])
        // New ones are stored first, whatever stands before them.
        let members = json([("a.b", "[]"), ("AT", "{}"), ("DE", "[]"), ("X", "[]")])
        let roots = [SyncRoot("Country", at: "data"), .deletions(of: "Country", at: "gone")]
        let result = try await form.sync(#"{"data": {\#(members)}, "gone": ["AT", {}]}"#, store, roots)
        let page = form == .onePage ? "[0]." : ""
        #expect(
            result.reports.map(\.path) == [
                "\(page)data.a.b.area", "\(page)data.AT.area", "\(page)data.DE.area", "\(page)data.X.area",
                "\(page)gone[0]", "\(page)gone[1]",
            ])
        #expect(try await store.keys("Country") == ["DE", "X", "a.b"])
    }

    @Test(arguments: StoreKind.allCases, ["", "data"])
    func aMapGoesOnOverPages(_ kind: StoreKind, _ path: String) async throws {
        let store = try await SyncStore(kind, SyncMapTests.countries())
        func page(_ list: String) -> String.UTF8View { (path.isEmpty ? list : #"{"data": \#(list)}"#).utf8 }
        let place = path.isEmpty ? "" : "data."
        let pages = [
            page("{\(json([("AT", "[]"), ("DE", "1")]))}"), page("{}"), page(#"[{"code": "IT", "area": []}]"#),
            page("{\(json([("FR", "[]"), ("AT", "2"), ("AT", "[]")]))}"), page("[]"),
        ]
        let roots = [SyncRoot("Country", at: path)]
        let result = try await store.adapter.sync(pages: pages, roots: roots)
        #expect(try await store.keys("Country") == ["AT", "DE", "FR", "IT"])
        #expect(
            result.reports.map { "\($0.kind) \($0.path)" } == [
                "duplicateKey [0].\(place)AT",
                "unconvertible [2]\(path.isEmpty ? "" : ".data")[0].area",
                "unconvertible [3].\(place)FR.area",
                "duplicateKey [3].\(place)AT", "unconvertible [3].\(place)AT.area",
            ])
        let again = try await store.adapter.sync(pages: pages, roots: roots)
        #expect(again.isUnchanged && again.reports == result.reports)
        // An empty map is a list without objects on a page as well.
        let none = try await store.adapter.sync(pages: [page("{}"), page("{}")], roots: roots)
        #expect(none["Country"].deleted.count == 4)
    }

    @Test(arguments: StoreKind.allCases, PayloadForm.allCases)
    func listedDeletionNeedsOnlyTheKeyPartsWithoutASource(_ kind: StoreKind, _ form: PayloadForm) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Repository") {
                    Attribute("source", .string, isPrimaryKey: true)
                    Attribute("id", .integer, isPrimaryKey: true)
                }
            })
        var options = SyncOptions()
        for source in ["two", "one"] as [Value] {
            options.constants["Repository"] = ["source": source]
            try await store.sync(#"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]"#, into: "Repository", options: options)
        }
        let json = #"{"gone": [1, ["one", 2], {"id": 3}]}"#
        let roots = [SyncRoot.deletions(of: "Repository", at: "gone")]
        #expect(try await form.sync(json, store, roots, options: options).reports.isEmpty)
        #expect(
            try await store.keys("Repository") == [
                ["one", 4], ["two", 1], ["two", 2], ["two", 3], ["two", 4],
            ])
    }

    @Test(arguments: StoreKind.allCases, PayloadForm.allCases)
    func eachListHasItsOwnParent(_ kind: StoreKind, _ form: PayloadForm) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Order") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("lines", toMany: "Line", inverse: "order", deleteRule: .cascade)
                }
                Entity("Line") {
                    Attribute("orderID", .integer, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "order.id"])
                    Attribute("number", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("order", to: "Order", inverse: "lines")
                }
            })
        try await store.sync(#"[{"id": 7}, {"id": 8}]"#, into: "Order")
        var others = SyncRoot("Line", at: "others")
        others.isPartial = true
        let roots = [
            SyncRoot("Line", at: "seven", parent: RecordID("Order", 7)),
            SyncRoot("Line", at: "eight", parent: RecordID("Order", 8)), others,
        ]
        let line = #"[{"number": 1, "text": "x"}, {"number": 2}]"#
        // Nothing says to which order the others belong.
        let json = #"{"seven": \#(line), "eight": \#(line), "others": [{"number": 5}, {"order_id": 8, "number": 6}]}"#
        let result = try await form.sync(json, store, roots)
        #expect(result.reports.map(\.kind) == [.noKey])
        #expect(try await store.keys("Line") == [[7, 1], [7, 2], [8, 1], [8, 2], [8, 6]])
        #expect(try await store.members("Order", 7, "lines") == [[7, 1], [7, 2]])
        #expect(try await form.sync(json, store, roots).reports == result.reports)
        var gone = SyncRoot.deletions(of: "Line", at: "gone")
        gone.parent = RecordID("Order", 8)
        let told = try await form.sync(#"{"gone": [1, {"number": 2}, [7, 2], 99]}"#, store, [gone])
        #expect(told.reports.isEmpty)
        #expect(try await store.keys("Line") == [[7, 1], [8, 6]])
    }

    @Test(arguments: [PayloadForm.text, .file, .stream, .onePage])
    func aByteOrderMarkMayComeBeforeWhatIsReadAsAWhole(_ form: PayloadForm) async throws {
        let store = try await SyncStore.shop()
        let mark = "\u{FEFF}"
        try await form.sync(mark + "[1]", store, [.deletions(of: "Item", at: "")])
        #expect(try await store.keys("Item") == [2, 3])
        var options = SyncOptions()
        options.format = .jsonAPI
        let json = mark + #"{"data": [{"type": "items", "id": "3"}]}"#
        try await form.sync(json, store, [SyncRoot("Item")], options: options)
        #expect(try await store.keys("Item") == [3])
    }
}
