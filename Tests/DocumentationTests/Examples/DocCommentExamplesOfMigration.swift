import Foundation
import SQLitePersistence
import Testing

/// The examples in the comments of `Sources/SyncPersistence/Migration`, and of what takes migration steps.
struct DocCommentExamplesOfMigration {
    let file = TemporaryFile()
    var path: String { file.path }

    private static func library(_ attributes: [Attribute], _ relationships: [Relationship] = []) -> Entity {
        Entity(
            "Book", attributes: [Attribute("id", .integer, isPrimaryKey: true)] + attributes,
            relationships: relationships)
    }

    private func fill() async throws {
        let older = try Schema([
            Self.library(
                [Attribute("pages", .string), Attribute("title", .string)], [Relationship("shelf", to: "Shelf")]),
            Entity("Shelf"),
        ])
        let store = try await SQLiteAdapter.open(at: path, schema: older)
        var changes = ChangeSet(origin: .agreed)
        try changes.put(Record("Book", in: older, ["id": 1, "pages": "120"]))
        try await store.commit(changes)
        await store.close()
    }

    @Test func steps() async throws {
        try await fill()
        let newer = try Schema([
            Self.library([Attribute("pages", .integer), Attribute("title", .string, isOptional: false)])
        ])
        let store = try await SQLiteAdapter.open(
            at: path, schema: newer,
            migration: [
                .drop("Book", "shelf"),
                .convert("Book", "pages"),
                .fill("Book", "title", with: "untitled"),
                .dropEntity("Shelf"),
            ])
        let book = try await store.read { try $0.record(RecordID("Book", 1)) }
        #expect(book?["pages"] == 120)
        #expect(book?["title"] == "untitled")
        await store.close()
    }

    @Test func opening() async throws {
        try await fill()
        let newer = try Schema([
            Self.library([Attribute("pages", .integer), Attribute("title", .string)]), Entity("Shelf"),
        ])
        let store = try await SQLiteAdapter.open(
            at: path, schema: newer, migration: [.drop("Book", "shelf"), .convert("Book", "pages")])
        #expect(try await store.read { try $0.record(RecordID("Book", 1)) }?["pages"] == 120)
        let preview = try await InMemoryAdapter.copy(of: store)
        #expect(try await preview.read { try $0.record(RecordID("Book", 1)) }?["pages"] == 120)
        await store.close()
    }

    @Test func aConversion() async throws {
        try await fill()
        let step = MigrationStep.convert("Book", "pages") { value in
            if case .string(let text) = value { return .integer(Int64(text.prefix { $0.isNumber }) ?? 0) }
            return value
        }
        let newer = try Schema([
            Self.library(
                [Attribute("pages", .integer), Attribute("title", .string)], [Relationship("shelf", to: "Shelf")]),
            Entity("Shelf"),
        ])
        let store = try await SQLiteAdapter.open(at: path, schema: newer, migration: [step])
        #expect(try await store.read { try $0.record(RecordID("Book", 1)) }?["pages"] == 120)
        await store.close()
    }

    @Test func whatIsMadeOfARecord() async throws {
        let step = MigrationStep.fill("Author", "initial") { author in
            if case .string(let name) = author["name"] { return .string(String(name.prefix(1))) }
            return "?"
        }
        let name = Attribute("name", .string)
        let store = InMemoryAdapter(schema: try Schema([Entity("Author", attributes: [name])]))
        var changes = ChangeSet(origin: .agreed)
        try changes.put(Record("Author", in: store.schema, ["sync.id": 1, "name": "Ada"]))
        try await store.commit(changes)
        let newer = try Schema([
            Entity("Author", attributes: [name, Attribute("initial", .string, isOptional: false)])
        ])
        let copy = try await InMemoryAdapter.copy(of: store, schema: newer, migration: [step])
        #expect(try await copy.read { try $0.record(RecordID("Author", 1)) }?["initial"] == "A")
    }
}
