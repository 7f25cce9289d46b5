import DifferentialSyncTesting
import SQLitePersistence
import SyncPersistence
import TestSupport

/// A task of an app.
struct Todo: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var title: String
    var due = 0
    var isDone = false
    var project: Int?
}

/// A task with its tags, which are stored as links.
struct TaggedTodo: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var tags: [Int]
}

/// A type that is stored as JSON.
struct Memo: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String
}

/// The adapters that each test observes.
enum StoreKind: CaseIterable, Sendable {
    case inMemory
    case sqlite

    static let schema = try! Schema {
        Entity("Todo") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string, isOptional: false, default: "")
            Attribute("due", .integer, isOptional: false, default: 0, isIndexed: true)
            Attribute("isDone", .bool, isOptional: false, default: false)
            Relationship("project", to: "Project", inverse: "todos")
            Relationship("tags", toMany: "Tag")
        }
        Entity("Project") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("name", .string)
            Attribute("color", .string)
            Relationship("todos", toMany: "Todo", inverse: "project")
        }
        Entity("Tag") { Attribute("id", .integer, isPrimaryKey: true) }
    }

    /// Makes an empty store.
    func store(_ schema: Schema = StoreKind.schema) async throws -> any PersistenceAdapter {
        switch self {
        case .inMemory: InMemoryAdapter(schema: schema)
        case .sqlite: try await SQLiteAdapter.inMemory(schema: schema)
        }
    }
}

extension PersistenceAdapter {
    /// Stores a record of an entity.
    func put(_ entity: String, _ values: [String: Value]...) async throws {
        var changes = ChangeSet()
        for values in values { changes.put(try Record(entity, in: schema, values)) }
        try await commit(changes)
    }

    /// Changes values of a record.
    func update(_ entity: String, _ key: Value, _ values: [String: Value]) async throws {
        var changes = ChangeSet()
        changes.update(RecordID(entity, key), values)
        try await commit(changes)
    }

    /// Deletes a record.
    func delete(_ entity: String, _ key: Value) async throws {
        var changes = ChangeSet()
        changes.delete(RecordID(entity, key))
        try await commit(changes)
    }

    /// Changes metadata alone.
    func commitMetadata(_ value: String) async throws {
        var changes = ChangeSet()
        changes.setMetadata("value", value)
        try await commit(changes)
    }
}
