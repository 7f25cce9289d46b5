import EntitySync
import SyncPersistence
import Testing

/// Pages that are no answer: they delete nothing, whatever the other pages have.
struct PageAnswerTests {
    private static func store(_ kind: StoreKind) async throws -> SyncStore {
        let store = try await SyncStore(
            kind,
            Schema {
                for entity in ["User", "Account"] {
                    Entity(entity) {
                        Attribute("id", entity == "User" ? .integer : .string, isPrimaryKey: true)
                        Attribute("text", .string)
                    }
                }
            })
        for entity in ["User", "Account"] {
            try await store.sync(#"[{"id": "1"}, {"id": "2"}, {"id": "3"}]"#, into: entity)
        }
        return store
    }

    @Test(
        arguments: StoreKind.allCases,
        [#"[{"error": "rate limited"}]"#, "[null]", "[{}]", #"[{"id": null}, {"id": "x"}]"#])
    func pageWithoutAUsableObjectDeletesNothing(kind: StoreKind, page: String) async throws {
        for pages in [[#"[{"id": 1}, {"id": 2}]"#, page], [page, #"[{"id": 1}, {"id": 2}]"#]] {
            let store = try await Self.store(kind)
            let result = try await store.adapter.sync(pages: pages.map(\.utf8), roots: [SyncRoot("User")])
            #expect(!result.reports.isEmpty)
            #expect(try await store.keys("User") == [1, 2, 3])
            let values = try await store.adapter.sync(
                pages: pages.map { "{\"users\": \($0)}".utf8 }, roots: [SyncRoot("User", at: "users")])
            #expect(values["User"].deleted.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectOfAPageWhoseKeyCannotBeReadKeepsTheOthers(kind: StoreKind) async throws {
        let (whole, broken) = (#"[{"id": 1}]"#, #"[{"id": 2}, {"id": "3x"}]"#)
        for pages in [[whole, broken], [broken, whole]] {
            let store = try await Self.store(kind)
            let result = try await store.adapter.sync(pages: pages.map(\.utf8), roots: [SyncRoot("User")])
            #expect(result.reports.map(\.kind) == [.unconvertible])
            #expect(result.incompleteLists == ["User"])
            #expect(try await store.keys("User") == [1, 2, 3])
            try await store.adapter.sync(pages: [whole.utf8, #"[{"id": 2}]"#.utf8], roots: [SyncRoot("User")])
            #expect(try await store.keys("User") == [1, 2])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func emptyPageIsAnAnswer(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        try await store.adapter.sync(pages: [#"[{"id": 1}]"#.utf8, "[]".utf8], roots: [SyncRoot("User")])
        #expect(try await store.keys("User") == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func pageThatIsOneObjectDeletesNothing(kind: StoreKind) async throws {
        let pages = [#"[{"id": "1"}, {"id": "2"}]"#, #"{"id": "4", "text": "new"}"#]
        let store = try await Self.store(kind)
        try await store.adapter.sync(pages: pages.map(\.utf8), roots: [SyncRoot("Account")])
        #expect(try await store.keys("Account") == ["1", "2", "3", "4"])
    }
}
