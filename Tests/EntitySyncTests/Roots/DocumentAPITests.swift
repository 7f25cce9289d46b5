import EntitySync
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// Payloads in the shape of a JSON:API: articles with authors, comments and tags.
struct DocumentAPITests {
    private static func schema() throws -> Schema {
        try Schema {
            Entity("Article") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("publishedAt", .date)
                Attribute("city", .string, remoteKey: "place.city")
                Relationship("author", to: "Person", inverse: "articles", remoteKey: "writer")
                Relationship("comments", toMany: "Comment", inverse: "article", deleteRule: .cascade)
                Relationship("tags", toMany: "Label", isOrdered: true)
            }
            Entity("Person") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("firstName", .string)
                Relationship("articles", toMany: "Article", inverse: "author")
                Relationship("manager", to: "Person", inverse: "reports")
                Relationship("reports", toMany: "Person", inverse: "manager")
            }
            Entity("Comment") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("body", .string)
                Relationship("article", to: "Article", inverse: "comments")
                Relationship("author", to: "Person")
            }
            Entity("Label", userInfo: ["sync.discriminatorValue": "tags"]) {
                Attribute("slug", .string, isPrimaryKey: true)
            }
        }
    }

    private static let options = {
        var options = SyncOptions()
        options.format = .jsonAPI
        return options
    }()

    private func document(_ data: String, included: [String] = [], links: String = "{}") -> String {
        """
        {"jsonapi": {"version": "1.1"}, "links": \(links), "meta": {"count": 2}, "data": \(data),
         "included": [\(included.joined(separator: ","))]}
        """
    }

    private func article(_ id: Int, _ relationships: String = "", title: String = "Title") -> String {
        """
        {"type": "articles", "id": "\(id)", "links": {"self": "/articles/\(id)"}, "relationships": {\(relationships)},
         "attributes": {"title": "\(title)", "published-at": "2020-01-02T03:04:05Z", "place": {"city": "Rome"}}}
        """
    }

    private func person(_ id: String, _ name: String, manager: String = "null") -> String {
        """
        {"type": "people", "id": "\(id)", "attributes": {"first_name": "\(name)"},
         "relationships": {"manager": {"data": \(manager)}, "articles": {"links": {"related": "/x"}}}}
        """
    }

    private func comment(_ id: Int, by author: String) -> String {
        """
        {"type": "comments", "id": "\(id)", "attributes": {"body": "comment \(id)"},
         "relationships": {"author": {"data": {"type": "people", "id": "\(author)"}}}}
        """
    }

    private func sync(_ pages: [String], _ store: SyncStore, operations: SyncOperations = .all) async throws
        -> SyncResult
    {
        let roots = [SyncRoot("Article", operations: operations)]
        let result = try await store.adapter.sync(pages: pages.map(\.utf8), roots: roots, options: Self.options)
        let again = try await store.adapter.sync(pages: pages.map(\.utf8), roots: roots, options: Self.options)
        #expect(again.isUnchanged, "\(again.changes)")
        return result
    }

    /// A store with two articles.
    private func store(_ kind: StoreKind = .inMemory) async throws -> SyncStore {
        let store = try await SyncStore(kind, Self.schema())
        let full = """
            "writer": {"data": {"type": "people", "id": "a"}}, "comments": {"data": [{"type": "comments", "id": "5"},
             {"type": "comments", "id": "6"}]}, "tags": {"data": [{"type": "tags", "id": "y"}, {"type": "tags", "id": "x"}]}
            """
        let labels = [#"{"type": "tags", "id": "x"}"#, #"{"type": "tags", "id": "y"}"#]
        let json = document(
            "[\(article(1, full)), \(article(2))]",
            included: [
                person("a", "Ada", manager: #"{"type": "people", "id": "b"}"#), comment(5, by: "a"),
                comment(6, by: "b"),
                person("b", "Bob"),
            ] + labels)
        let result = try await sync([json], store)
        #expect(result.reports.isEmpty, "\(result.reports)")
        #expect(result.unknownKeys.isEmpty)
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func resourcesBecomeRecords(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        #expect(try await store.keys("Article") == [1, 2])
        #expect(try await store.value("Article", 1, "city") == "Rome")
        #expect(try await store.value("Article", 1, "publishedAt") != .null)
        #expect(try await store.value("Article", 1, "author") == "a")
        #expect(try await store.members("Article", 1, "comments") == [5, 6])
        #expect(try await store.related("Article", 1, "tags") == ["y", "x"])
        #expect(try await store.value("Person", "a", "manager") == "b")
        #expect(try await store.value("Comment", 6, "author") == "b")
        #expect(try await store.value("Person", "b", "firstName") == "Bob")
    }

    @Test(arguments: StoreKind.allCases)
    func editsAndDeletionsAtTheServerArrive(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        let changed = """
            "writer": {"data": null}, "comments": {"data": [{"type": "comments", "id": "6"}]}, "tags": {"data": []}
            """
        let result = try await sync([document("[\(article(1, changed, title: "New"))]")], store)
        #expect(try await store.keys("Article") == [1])
        #expect(try await store.value("Article", 1, "title") == "New")
        #expect(try await store.value("Article", 1, "author") == .null)
        #expect(try await store.members("Article", 1, "comments") == [6])
        #expect(try await store.related("Article", 1, "tags") == [])
        // What is not named any more is separated; only what belonged to the article that is gone goes with it.
        #expect(try await store.keys("Comment") == [5, 6])
        #expect(try await store.keys("Person") == ["a", "b"])
        #expect(result["Article"].deleted == [RecordID("Article", 2)])
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipsWithoutDataAreKept(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        let silent = #""writer": {"links": {"self": "/x"}}, "comments": {"meta": {"count": 9}}"#
        _ = try await sync([document("[\(article(1, silent)), \(article(2))]")], store)
        #expect(try await store.value("Article", 1, "author") == "a")
        #expect(try await store.members("Article", 1, "comments") == [5, 6])
        #expect(try await store.related("Article", 1, "tags") == ["y", "x"])
        let first =
            #""comments": {"data": [{"type": "comments", "id": "6"}], "links": {"next": "/articles/1/comments?2"}}"#
        _ = try await sync([document("[\(article(1, first)), \(article(2))]")], store)
        #expect(try await store.members("Article", 1, "comments") == [5, 6])
    }

    @Test(arguments: StoreKind.allCases)
    func pagesAreOneList(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        let writer = #""writer": {"data": {"type": "people", "id": "c"}}"#
        let pages = [
            document(
                "[\(article(1, writer))]", included: [person("c", "Cleo")], links: #"{"next": "/articles?page=2"}"#),
            document("[\(article(3, writer))]", included: [person("c", "Cleo")], links: #"{"next": null}"#),
        ]
        _ = try await sync([pages[0]], store)
        #expect(try await store.keys("Article") == [1, 2])
        let result = try await sync(pages, store)
        #expect(result.reports.isEmpty, "\(result.reports)")
        #expect(try await store.keys("Article") == [1, 3])
        #expect(try await store.value("Article", 3, "author") == "c")
    }

    @Test(arguments: StoreKind.allCases)
    func oneResourceAndNullDeleteNothing(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        _ = try await sync([document(article(2, title: "Two"))], store)
        _ = try await sync([document("null")], store)
        #expect(try await store.keys("Article") == [1, 2])
        #expect(try await store.value("Article", 2, "title") == "Two")
        _ = try await sync([document("[]")], store)
        #expect(try await store.keys("Article") == [])
    }

    @Test func allFormsOfPayloadsAndSingleListsAreRead() async throws {
        let json = document("[\(article(7))]")
        for form in PayloadForm.allCases {
            let store = try await store()
            try await form.sync(json, store, [SyncRoot("Article")], options: Self.options)
            #expect(try await store.keys("Article") == [7])
        }
        let store = try await store()
        try await store.sync(json, into: "Article", filter: Field("id") >= 2, options: Self.options)
        #expect(try await store.keys("Article") == [1, 7])
        try await store.adapter.sync(Value(json: json), into: "Article", options: Self.options)
        #expect(try await store.keys("Article") == [7])
        let roots = [SyncRoot("Article"), .deletions(of: "Article", at: "meta.deleted")]
        let told = #"{"data": null, "meta": {"deleted": ["7", 9]}}"#
        try await store.adapter.sync(told, roots: roots, options: Self.options)
        #expect(try await store.keys("Article") == [])
    }

    @Test(
        arguments: [
            "null", "5", "[]", "{}", #"{"errors": [{"status": "500"}]}"#, #"{"data": 5}"#, #"{"data": "x"}"#,
            #"{"data": true, "included": []}"#, #"{"meta": {}}"#,
        ])
    func payloadThatIsNoDocumentChangesNothing(_ json: String) async throws {
        let store = try await store()
        let error = await #expect(throws: SyncError.self) {
            try await store.sync(json, into: "Article", options: Self.options)
        }
        #expect(error?.code == .noObjects)
        #expect(try await store.keys("Article") == [1, 2])
    }

    @Test(
        arguments: [
            (#"[5]"#, "data[0]"), (#"[null]"#, "data[0]"), (#"[{"id": "1"}]"#, "data[0].type"),
            (#"[{"type": "unknowns", "id": "1"}]"#, "data[0].type"), (#"[{"type": 5, "id": "1"}]"#, "data[0].type"),
            (#"[{"type": "articles"}]"#, "data[0]"), (#"[{"type": "articles", "id": {}}]"#, "data[0].id"),
            (#"[{"type": "articles", "id": "x"}]"#, "data[0].id"), (#"{"type": "articles", "id": null}"#, "data"),
        ])
    func unusableResourcesAreReportedAndDeleteNothing(_ data: String, _ path: String) async throws {
        let store = try await store()
        do {
            let result = try await store.sync(document(data), into: "Article", options: Self.options)
            #expect(result.reports.map(\.path) == [path])
        } catch let error as SyncError {
            #expect(error.code == .noObjects)
        }
        #expect(try await store.keys("Article") == [1, 2])
    }

    @Test(
        arguments: [
            (#""writer": 5"#, "relationships.writer"), (#""writer": {"data": 5}"#, "relationships.writer.data"),
            (#""writer": {"data": []}"#, "relationships.writer.data"),
            (#""writer": {"data": {"type": "comments", "id": "5"}}"#, "relationships.writer.data.type"),
            (#""writer": {"data": {"type": "people"}}"#, "relationships.writer.data.id"),
            (#""writer": {"data": {"type": "people", "id": []}}"#, "relationships.writer.data.id"),
            (#""comments": {"data": null}"#, "relationships.comments.data"),
            (#""comments": {"data": {"type": "comments", "id": "5"}}"#, "relationships.comments.data"),
            (#""comments": {"data": [5]}"#, "relationships.comments.data[0]"),
            (#""comments": {"data": [{"type": "what", "id": "5"}]}"#, "relationships.comments.data[0].type"),
            (#""comments": {"data": [{}]}"#, "relationships.comments.data[0].type"),
        ])
    func unusableRelationshipsAreReportedAndKept(_ relationship: String, _ path: String) async throws {
        let store = try await store()
        let json = document("[\(article(1, relationship)), \(article(2))]")
        let result = try await store.sync(json, into: "Article", options: Self.options)
        #expect(result.reports.map(\.path) == ["data[0].\(path)"])
        #expect(try await store.value("Article", 1, "author") == "a")
        #expect(try await store.members("Article", 1, "comments") == [5, 6])
    }

    @Test(arguments: StoreKind.allCases)
    func localEditsAreKept(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        try await store.update("Article", 2, ["title": "mine"], origin: .local)
        try await store.update("Person", "a", ["firstName": "mine"], origin: .local)
        let json = document("[\(article(1))]", included: [person("a", "Theirs")])
        let result = try await store.sync(json, into: "Article", options: Self.options)
        #expect(Set(result.clashes.map(\.id)) == [RecordID("Article", 2), RecordID("Person", "a")])
        #expect(try await store.value("Article", 2, "title") == "mine")
        #expect(try await store.value("Person", "a", "firstName") == "mine")
    }

    @Test func typesChooseEntitiesThatInheritOthers() async throws {
        let schema = try Schema {
            Entity("Medium", isAbstract: true, userInfo: ["sync.discriminator": "type"]) {
                Attribute("id", .integer, isPrimaryKey: true)
            }
            Entity("Movie", parent: "Medium") { Attribute("length", .integer) }
            Entity("Series", parent: "Medium", userInfo: ["sync.discriminatorValue": "tv-shows"]) {
                Attribute("seasons", .integer)
            }
        }
        let store = try await SyncStore(.inMemory, schema)
        let json = """
            {"data": [{"type": "movies", "id": "1", "attributes": {"length": 90}},
             {"type": "tv-shows", "id": "2", "attributes": {"seasons": 3}}]}
            """
        let result = try await store.sync(json, into: "Medium", options: Self.options)
        #expect(result.reports.isEmpty, "\(result.reports)")
        #expect(try await store.value("Movie", 1, "length") == 90)
        #expect(try await store.value("Series", 2, "seasons") == 3)
        try await store.sync(#"{"data": [{"type": "movies", "id": "1"}]}"#, into: "Medium", options: Self.options)
        #expect(try await store.keys("Medium") == [1])
    }

    @Test func documentWithErrorsChangesNothing() async throws {
        let store = InMemoryAdapter(schema: try Self.schema())
        try await store.sync(document("[\(article(1))]"), into: "Article", options: Self.options)
        for errors in [#"[{"status": "500"}]"#, #"{"status": "500"}"#, #""out of memory""#] {
            let error = await #expect(throws: SyncError.self) {
                try await store.sync(#"{"data": [], "errors": \#(errors)}"#, into: "Article", options: Self.options)
            }
            #expect(error?.code == .noObjects)
            #expect(error?.message.contains("found an object with 'errors'") == true)
        }
        #expect(try await store.fetch("Article", 1) != nil)
        for errors in ["[]", "null"] {
            let json = #"{"data": [\#(article(2))], "errors": \#(errors)}"#
            #expect(try await store.sync(json, into: "Article", options: Self.options)["Article"].inserted.count <= 1)
        }
        #expect(try await store.fetch("Article", 1) == nil)
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            "5", #"{"type": "unknown", "id": "2"}"#, #"{"attributes": {"title": "no key"}}"#,
            #"{"type": "articles", "id": "x"}"#,
        ])
    func resourceThatMayBeAnyKeepsTheOthers(kind: StoreKind, resource: String) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let comments = #""comments": {"data": [{"type": "comments", "id": "5"}, {"type": "comments", "id": "6"}]}"#
        let included = [#"{"type": "comments", "id": "5"}"#, #"{"type": "comments", "id": "6"}"#]
        try await store.sync(
            document("[\(article(1, comments)), \(article(2))]", included: included), into: "Article",
            options: Self.options)
        let result = try await store.sync(
            document("[\(article(1)), \(resource)]"), into: "Article", options: Self.options)
        #expect(result.reportCount == 1 && result.isUnchanged)
        #expect(result.incompleteLists == ["Article"])
        let pages = [document("[\(article(1))]"), document("[\(resource)]")]
        try await store.adapter.sync(
            pages: pages.map(\.utf8), roots: [SyncRoot("Article")], options: Self.options)
        #expect(try await store.keys("Article") == [1, 2])
        let fewer = #""comments": {"data": [{"type": "comments", "id": "5"}, \#(resource)]}"#
        try await store.sync(document("[\(article(1, fewer))]"), into: "Article", options: Self.options)
        #expect(try await store.members("Article", 1, "comments") == [5, 6])
        try await store.sync(document("[\(article(1)), null]"), into: "Article", options: Self.options)
        #expect(try await store.keys("Article") == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func repeatedDocumentWithAnUnreadableResourceIsUnchanged(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        // Enough resources that the payload is remembered.
        let articles = (1...40).map { article($0) }
        let others = articles.dropLast()
        try await store.sync(document("[\(articles.joined(separator: ","))]"), into: "Article", options: Self.options)
        let unreadable = #"{"type": "unknown", "id": "40"}"#
        let json = document("[\(others.joined(separator: ",")), \(unreadable)]")
        for _ in 0..<2 {
            let result = try await store.sync(json, into: "Article", options: Self.options)
            #expect(result.isUnchanged, "\(result.changes)")
            #expect(result["Article"].unchangedCount == 39)
            #expect(result.reports.map(\.path) == ["data[39].type"])
            #expect(result.incompleteLists == ["Article"])
            #expect(try await store.keys("Article").count == 40)
        }
        let result = try await store.sync(
            document("[\(others.joined(separator: ","))]"), into: "Article", options: Self.options)
        #expect(result.reports.isEmpty, "\(result.reports)")
        #expect(result["Article"].deleted == [RecordID("Article", 40)])
        #expect(try await store.keys("Article").count == 39)
    }

    @Test(arguments: StoreKind.allCases)
    func includedResourceWithoutAnIdentityIsReportedAlone(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("Article") { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Stamp") { Attribute("text", .string) }
        }
        let store = try await SyncStore(kind, schema)
        let stamp = #"{"type": "stamps", "id": "1", "attributes": {"text": "x"}}"#
        for json in [
            document(#"[{"type": "articles", "id": "1"}]"#, included: [stamp]),
            document(#"[{"type": "articles", "id": "1"}, \#(stamp)]"#),
        ] {
            let result = try await store.sync(json, into: "Article", options: Self.options)
            #expect(result.reports.map(\.kind) == [.wrongEntity])
            #expect(try await store.keys("Article") == [1])
            #expect(try await store.keys("Stamp") == [])
        }
    }
}
