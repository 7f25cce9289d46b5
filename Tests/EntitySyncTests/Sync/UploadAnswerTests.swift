import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// The forms of answers to an upload, and forms that are no answer.
struct UploadAnswerTests {
    private static func schema() throws -> Schema {
        try Schema {
            Entity("Article") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("views", .integer)
                Relationship("author", to: "Person", inverse: "articles")
            }
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("articles", toMany: "Article", inverse: "author")
            }
        }
    }

    private static let documents = {
        var options = SyncOptions()
        options.format = .jsonAPI
        return options
    }()

    private static let resource = """
        {"type": "articles", "id": "7", "attributes": {"title": "mine", "views": 3},
         "relationships": {"author": {"data": {"type": "people", "id": "4"}}}}
        """

    /// Returns a store with the article -1, which was inserted locally, and the person 5.
    private func store(_ kind: StoreKind = .inMemory) async throws -> (store: SyncStore, upload: Upload) {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": 5, "name": "Eve"}]"#, into: "Person")
        try await store.put("Article", [["id": -1, "title": "mine"]])
        return (store, try #require(try await store.adapter.uploads(of: "Article").first))
    }

    @Test(arguments: StoreKind.allCases)
    func anAnswerMayBeADocumentWithItsIncludedResources(kind: StoreKind) async throws {
        let (store, upload) = try await store(kind)
        let person = #"{"type": "people", "id": "4", "attributes": {"name": "Ada"}}"#
        let answer = try Value(json: #"{"data": \#(Self.resource), "included": [\#(person)], "meta": {}}"#)
        for isFirst in [true, false] {
            let synced = try await store.adapter.accept(upload, answer: answer, options: Self.documents)
            let (article, result) = (synced.record, synced.result)
            #expect(article?.key == 7 && article?["views"] == 3 && article?["author"] == 4)
            #expect(result.reports.isEmpty && result.isUnchanged != isFirst)
        }
        #expect(try await store.keys("Article") == [7])
        #expect(try await store.value("Person", 4, "name") == "Ada")
        #expect(try await store.keys("Person") == [4, 5])
        #expect(try await store.adapter.uploads(of: "Article").isEmpty)
        #expect(try await store.adapter.uploads(of: "Person").isEmpty)
    }

    @Test(
        arguments: [
            (#"{"data": null}"#, "expected a resource in 'data', found null"),
            (#"{"data": []}"#, "expected a resource in 'data', found an array"),
            (#"{"data": 5}"#, "expected a resource in 'data', found the number 5"),
            (#"{"errors": [{"title": "no"}]}"#, "expected 'data', found 'errors'"),
            (#"{"id": 7, "title": "x"}"#, "expected 'data', found 'id', 'title'"),
            (
                #"{"data": {"type": "people", "id": "4"}}"#,
                "expected a resource of 'Article' in 'data', found one of 'Person'"
            ),
            (#"{"data": {"type": "ghosts", "id": "4"}}"#, "expected a resource of 'Article' in 'data', found another"),
        ])
    func aDocumentWithoutTheResourceIsAnError(_ json: String, _ message: String) async throws {
        let (store, upload) = try await store()
        let before = try await store.contents()
        let error = await #expect(throws: SyncError.self) {
            try await store.adapter.accept(upload, answer: Value(json: json), options: Self.documents)
        }
        #expect(error?.code == .noObjects)
        #expect(error?.message.contains(message) ?? false, "\(error?.message ?? "")")
        #expect(try await store.contents() == before)
        #expect(try await store.adapter.uploads(of: "Article") == [upload])
    }

    @Test(arguments: ["null", "{}", #"{"meta": {"revision": 5}}"#, #"{"jsonapi": {}, "links": {}, "meta": {}}"#])
    func aDocumentWithoutDataMayAccept(_ json: String) async throws {
        let (store, upload) = try await store()
        let synced = try await store.adapter.accept(
            upload, answer: Value(json: json), options: Self.documents)
        let (article, result) = (synced.record, synced.result)
        #expect(article == upload.record && result.isUnchanged)
        #expect(try await store.adapter.uploads(of: "Article").isEmpty)
    }

    @Test(
        arguments: [
            (#"{"data": {"id": 7}}"#, "'data'"), (#"{"error": "no"}"#, "'error'"), (#"{"ok": true}"#, "'ok'"),
            (#"{"a": 1, "b": 2, "c": 3, "d": 4}"#, "'a', 'b', 'c' and 1 more"),
        ])
    func aWrapperIsNoAnswer(_ json: String, _ names: String) async throws {
        for kind in StoreKind.allCases {
            let (store, upload) = try await store(kind)
            let error = await #expect(throws: SyncError.self) {
                try await store.adapter.accept(upload, answer: Value(json: json))
            }
            #expect(error?.code == .noObjects)
            #expect(
                error?.message
                    == "the answer has no property of 'Article': expected an object of it, {} or null, found \(names). "
                    + "Pass the object within it, or null if the server says nothing of the record. Nothing has changed"
            )
            #expect(try await store.adapter.uploads(of: "Article") == [upload])
            #expect(try await store.keys("Article") == [-1])
        }
    }

    @Test(
        arguments: [
            ("null", -1), ("{}", -1), (#"{"id": 7}"#, 7), (#"{"views": 1}"#, -1), (#"{"ok": true, "id": "7"}"#, 7),
            (#"{"id": 7, "title": "mine", "views": 1, "author": null}"#, 7), (#"{"author_id": 5}"#, -1),
        ] as [(String, Value)])
    func anAnswerNeedSayNothingOrAnyPropertyOfTheRecord(_ json: String, _ key: Value) async throws {
        let (store, upload) = try await store()
        let article = try await store.adapter.accept(upload, answer: Value(json: json)).record
        #expect(article?.key == key && article?["title"] == "mine")
        #expect(try await store.adapter.uploads(of: "Article").isEmpty)
    }

    @Test func singleObjectsMayBeDocuments() async throws {
        let (store, _) = try await store()
        let answer = try Value(json: #"{"data": \#(Self.resource), "included": []}"#)
        var article = try await store.adapter.insertOrUpdate(answer, into: "Article", options: Self.documents).record
        #expect(article?.key == 7 && article?["views"] == 3)
        article = try await store.adapter.update(
            "Article", 7, with: ["data": ["type": "articles", "attributes": ["views": 4]]], options: Self.documents
        ).record
        #expect(article?["views"] == 4)
    }
}
