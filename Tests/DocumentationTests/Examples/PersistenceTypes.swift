import DifferentialSyncTesting
import Foundation
import SyncPersistence

// What the examples of stores are about.

extension Schema {
    static func ofNotes() throws -> Schema {
        try Schema {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string, isOptional: false, default: "")
            }
        }
    }

    static func ofToDos() throws -> Schema {
        try Schema {
            Entity("ToDo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("isDone", .bool, isOptional: false, default: false)
                Attribute("due", .date)
            }
        }
    }
}

extension Note {
    init(_ record: Record) throws {
        guard case .integer(let id) = record["id"], case .string(let text) = record["text"] else {
            throw PersistenceError(.unreadable, "it is no note", id: record.id)
        }
        self.init(id: Int(id), text: text)
    }
}

/// A file that is gone with what has made it.
final class TemporaryFile {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite").path
    }

    deinit {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}

/// A database, as authors of adapters have one: it runs something in a transaction of its own.
struct Database {
    private let base: InMemoryAdapter

    init(schema: Schema) { base = InMemoryAdapter(schema: schema) }

    var schema: Schema { base.schema }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordStorage) throws -> Result
    ) async throws -> Result {
        try await base.read { try body($0.storage) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordStorage) throws -> Result,
        committed: @escaping @Sendable (Result) -> Void
    ) async throws -> Result {
        try await base.write { transaction in
            let result = try body(transaction.storage)
            // Here, because writers take turns here.
            committed(result)
            return result
        }.result
    }

    func add(_ entities: [Entity]) async throws { try await base.add(entities) }

    func close() async { await base.close() }
}
