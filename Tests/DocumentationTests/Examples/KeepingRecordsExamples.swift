import Foundation
import SQLitePersistence
import Testing

struct KeepingRecordsExamples {
    let file = TemporaryFile()
    var path: String { file.path }

    private func open() async throws -> (schema: Schema, store: SQLiteAdapter) {
        let schema = try Schema {
            Entity("Author") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string, isOptional: false)
                Relationship("books", toMany: "Book", inverse: "author", deleteRule: .cascade)
            }
            Entity("Book") {
                Attribute("code", .string, isPrimaryKey: true)
                Attribute("title", .string, isOptional: false, default: "untitled")
                Attribute("year", .integer, isIndexed: true)
                Relationship("author", to: "Author", inverse: "books")
            }
        }
        let store = try await SQLiteAdapter.open(at: path, schema: schema)
        return (schema, store)
    }

    /// A store with an author and two books.
    private func fill() async throws -> (schema: Schema, store: SQLiteAdapter) {
        let (schema, store) = try await open()
        let values = try await awaitedResults {
            var changes = ChangeSet()
            try changes.put(Record("Book", in: schema, ["code": "a", "title": "Notes", "year": 1843, "author": 1]))
            try changes.put(Record("Book", in: schema, ["code": "b", "year": 1850, "author": 1]))
            try changes.put(Record("Author", in: schema, ["id": 1, "name": "Ada"]))
            let commit = try await store.commit(changes)
            commit.inserted  // both books and the author
        }
        #expect(values.last as? [RecordID] == [RecordID("Book", "a"), RecordID("Book", "b"), RecordID("Author", 1)])
        return (schema, store)
    }

    @Test func changingAndAsking() async throws {
        let (_, store) = try await fill()
        try await store.write { transaction in
            var changes = ChangeSet()
            for book in try transaction.records(Query("Book", where: Field("year") < 1845)) {
                changes.update(book.id, ["title": "An early book"])
            }
            try transaction.apply(changes)
        }
        let books = try await store.read { transaction in
            try transaction.records(
                Query("Book", where: Field("author.name") == "Ada", sort: [Query.SortKey("year", isDescending: true)]))
        }
        #expect(books.map { $0["title"] } == ["untitled", "An early book"])
        await store.close()
    }

    @Test func relationships() async throws {
        let (schema, store) = try await fill()
        let moved = try await awaitedResults {
            var changes = ChangeSet()
            try changes.put(Record("Author", in: schema, ["id": 2, "name": "Mary"]))
            changes.link(RecordID("Author", 2), "books", to: "b")
            try await store.commit(changes)
            let keys = try await store.read { try $0.related(RecordID("Author", 2), "books") }
            keys  // "b", which is not among the books of author 1 any more
        }
        #expect(moved.last as? [Value] == ["b"])
        let deleted = try await awaitedResults {
            var deletion = ChangeSet()
            deletion.delete(RecordID("Author", 1))
            let commit = try await store.commit(deletion)
            commit.cascaded  // book "a"
        }
        #expect(deleted.last as? [RecordID] == [RecordID("Book", "a")])
        await store.close()
    }

    @Test(.timeLimit(.minutes(5))) func observing() async throws {
        let (_, store) = try await fill()
        let (seen, continuation) = AsyncStream<Diff<Record>>.makeStream()
        @Sendable func print(_ diff: Diff<Record>) { continuation.yield(diff) }
        let observer = Task {
            for await commit in store.commits() {
                if let changes = commit.diff(of: "Book") { print(changes) }
            }
        }
        let writer = Task {
            for title in 0... {
                var changes = ChangeSet()
                changes.update(RecordID("Book", "a"), ["title": .string("\(title)")])
                try await store.commit(changes)
            }
        }
        var first: Diff<Record>?
        for await diff in seen {
            first = diff
            break
        }
        writer.cancel()
        observer.cancel()
        #expect(first?.changes.first?.new?.key == "a")
        await store.close()
    }

    @Test func anotherSchema() async throws {
        let (schema, store) = try await fill()
        await store.close()
        let newer = try Schema {
            Entity("Author") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("fullName", .string, isOptional: false, renamedFrom: "name")
                Attribute("born", .integer)
                Relationship("books", toMany: "Book", inverse: "author", deleteRule: .cascade)
            }
            schema.entities.filter { $0.name == "Book" }
        }
        let reopened = try await SQLiteAdapter.open(at: path, schema: newer)
        #expect(try await reopened.read { try $0.record(RecordID("Author", 1)) }?["fullName"] == "Ada")
        await reopened.close()
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await SQLiteAdapter.open(at: path, schema: schema)
        }
        #expect(error?.code == .schemaChange)
    }
    @Test func aMigration() async throws {
        let (schema, store) = try await fill()
        await store.close()
        let newer = try Schema {
            Entity("Author") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("fullName", .string, isOptional: false, renamedFrom: "name")
                Attribute("born", .integer)
                Relationship("books", toMany: "Book", inverse: "author", deleteRule: .cascade)
            }
            schema.entities.filter { $0.name == "Book" }
        }
        await (try SQLiteAdapter.open(at: path, schema: newer)).close()
        let newest = try Schema {
            Entity("Author") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("fullName", .string, isOptional: false, default: "unknown")
                Attribute("initial", .string, isOptional: false)
            }
            Entity("Book") {
                Attribute("code", .string, isPrimaryKey: true)
                Attribute("title", .string, isOptional: false)
                Attribute("year", .string)
            }
        }
        let migrated = try await SQLiteAdapter.open(
            at: path, schema: newest,
            migration: [
                .drop("Author", "books", losingUnsentChanges: true),
                .drop("Book", "author", losingUnsentChanges: true),
                .drop("Author", "born"),
                .convert("Book", "year"),
                .fill("Book", "title", with: "untitled"),
                .fill("Author", "initial") { author in
                    if case .string(let name) = author["fullName"] { return .string(String(name.prefix(1))) }
                    return "?"
                },
            ])
        let book = try await migrated.read { try $0.record(RecordID("Book", "a")) }
        #expect(book?["year"] == "1843")
        #expect(try await migrated.read { try $0.record(RecordID("Author", 1)) }?["initial"] == "A")
        await migrated.close()
    }
}
