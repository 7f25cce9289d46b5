import Foundation
import SQLitePersistence
import TestSupport
import Testing

/// A collection that was stored as JSON, and is stored in the attributes of an entity from then on.
@Suite struct JSONToAttributesTests {
    private struct ToDo: Codable, Identifiable, Equatable, Sendable {
        var id = UUID()
        var title: String
        var isDone = false
        var due: Date?
    }

    private let folder = TemporaryFolder()

    private static func schema() throws -> Schema {
        try Schema {
            Entity("ToDo") {
                Attribute("id", .uuid, isPrimaryKey: true)
                Attribute("title", .string, isOptional: false)
                Attribute("isDone", .bool, isOptional: false)
                Attribute("due", .date)
            }
        }
    }

    /// The steps, each of which decodes the element.
    private static var migration: [MigrationStep] {
        func fill(_ name: String, _ value: @escaping @Sendable (ToDo) -> Value) -> MigrationStep {
            .fill("ToDo", name) { record in
                guard case .string(let json) = record["content"] else { return .null }
                return value(try JSONDecoder().decode(ToDo.self, from: Data(json.utf8)))
            }
        }
        return [
            fill("title") { .string($0.title) }, fill("isDone") { .bool($0.isDone) },
            fill("due") { $0.due.map { .date($0) } ?? .null },
            .drop("ToDo", "content", losingUnsentChanges: true),
        ]
    }

    @Test func elementsAndTheirLocalChangesAreKept() async throws {
        let path = folder.file()
        let todos = [
            ToDo(title: "dig", due: Date(timeIntervalSince1970: 1_800_000_000)), ToDo(title: "sow", isDone: true),
            ToDo(title: "reap"),
        ]
        do {
            let store = try await SQLiteAdapter.open(at: path, schema: Schema([]))
            let collection = try await store.collection(of: ToDo.self, entity: "ToDo")
            try await collection.upsert(contentsOf: Array(todos.prefix(2)))
            let uploads = try await store.read { try $0.records(Query("ToDo")) }
            var pulled = ChangeSet(origin: .agreed)
            for record in uploads { pulled.put(record) }
            try await store.commit(pulled)
            try await store.write { transaction in
                for record in try transaction.records(Query("ToDo")) {
                    try transaction.acknowledge(record.id, base: nil, sent: record)
                }
            }
            try await collection.edit(todos[0].id) { $0.title = "dig deep" }
            try await collection.insert(todos[2])
            await store.close()
        }
        let store = try await SQLiteAdapter.open(at: path, schema: Self.schema(), migration: Self.migration)
        let collection = try await store.collection(of: ToDo.self, entity: "ToDo")
        var expected = todos
        expected[0].title = "dig deep"
        let stored = try await collection.elements()
        #expect(stored.count == 3 && expected.allSatisfy(stored.contains))
        let entries = try await store.read { transaction in
            try todos.map { try transaction.journalEntry(RecordID("ToDo", .uuid($0.id))) }
        }
        #expect(entries[0]?.base?["title"] == "dig")
        #expect(entries[1] == nil)
        #expect(entries[2] != nil && entries[2]?.base == nil)
        await store.close()
        let again = try await SQLiteAdapter.open(at: path, schema: Self.schema(), migration: Self.migration)
        #expect(try await again.collection(of: ToDo.self, entity: "ToDo").elements().count == 3)
        await again.close()
    }
}
