import DifferentialSync
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Where a store is kept whose schema changes.
enum Medium: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case file, memory

    var testDescription: String { rawValue }
}

/// A store with an older schema, which is opened with a newer one.
struct MigratedStore {
    let store: any PersistenceAdapter
    private let folder = TemporaryFolder()
    private let medium: Medium

    init(_ medium: Medium, _ schema: Schema) async throws {
        self.medium = medium
        store =
            switch medium {
            case .file: try await SQLiteAdapter.open(at: folder.file(), schema: schema)
            case .memory: InMemoryAdapter(schema: schema)
            }
    }

    /// The store under another schema.
    func reopened(_ schema: Schema, _ migration: MigrationStep...) async throws -> any PersistenceAdapter {
        switch medium {
        case .file:
            await store.close()
            return try await SQLiteAdapter.open(at: folder.file(), schema: schema, migration: migration)
        case .memory:
            return try await InMemoryAdapter.copy(of: store, schema: schema, migration: migration)
        }
    }

    /// The store, which has been opened under one schema since, under another one.
    func reopened(
        from store: any PersistenceAdapter, _ schema: Schema, _ migration: MigrationStep...
    ) async throws -> any PersistenceAdapter {
        switch medium {
        case .file:
            await store.close()
            return try await SQLiteAdapter.open(at: folder.file(), schema: schema, migration: migration)
        case .memory:
            return try await InMemoryAdapter.copy(of: store, schema: schema, migration: migration)
        }
    }

    /// The tables that the references of a table's columns lead to; nil for a store in memory.
    func targets(of table: String) throws -> [String]? {
        if medium == .memory { return nil }
        return try OtherProgram(folder.file()).texts("SELECT \"table\" FROM pragma_foreign_key_list('\(table)')")
    }

    /// The error of a change of the schema, which leaves the file as it is.
    func refusal(_ schema: Schema, _ migration: MigrationStep...) async throws -> PersistenceError? {
        switch medium {
        case .file:
            await store.close()
            let before = folder.contents()
            let error = await #expect(throws: PersistenceError.self) {
                _ = try await SQLiteAdapter.open(at: folder.file(), schema: schema, migration: migration)
            }
            #expect(folder.contents() == before)
            return error
        case .memory:
            return await #expect(throws: PersistenceError.self) {
                _ = try await InMemoryAdapter.copy(of: store, schema: schema, migration: migration)
            }
        }
    }
}

extension PersistenceAdapter {
    /// Commits records as the remote has them, or as they were changed here.
    func put(_ entity: String, _ rows: [String: Value]..., origin: ChangeSet.Origin = .agreed) async throws {
        var changes = ChangeSet(origin: origin)
        for row in rows { changes.put(Record(try #require(schema[entity]), row)) }
        try await commit(changes)
    }

    func edit(_ entity: String, _ key: Value, _ values: [String: Value]) async throws {
        var changes = ChangeSet()
        changes.update(RecordID(entity, key), values)
        try await commit(changes)
    }

    func commitChanges(_ build: (inout ChangeSet) -> Void) async throws {
        var changes = ChangeSet()
        build(&changes)
        try await commit(changes)
    }

    func keys(_ entity: String) async throws -> [Value] { try await read { try $0.keys(of: entity) } }

    func value(_ entity: String, _ key: Value, _ name: String) async throws -> Value? {
        try await read { try $0.record(RecordID(entity, key)) }?[name]
    }

    func shadow(_ entity: String, _ key: Value, _ name: String) async throws -> Value? {
        try await read { try $0.shadow(RecordID(entity, key)) }?[name]
    }

    func localDiff(_ entity: String) async throws -> Diff<Record>? { try await read { try $0.localDiff(of: entity) } }
}

/// An entity whose key is an integer.
func entity(
    _ name: String, parent: String? = nil, _ attributes: [Attribute] = [], _ relationships: [Relationship] = [],
    renamedFrom: String? = nil
) -> Entity {
    let key = parent == nil ? [Attribute("id", .integer, isPrimaryKey: true)] : []
    return Entity(
        name, parent: parent, attributes: key + attributes, relationships: relationships, renamedFrom: renamedFrom)
}

/// A remote that answers everything but a push.
struct Deaf: RemoteCollection {
    var account: String { "account" }
    func status(of pushID: String) -> PushStatus<Record> { .notApplied }
    func pull(since version: RemoteVersion?) -> Pull<Record, Value> {
        .everything([], RemoteVersion(epoch: "1", commit: "0"))
    }
    func push(_ push: Push<Record>) throws -> PushAnswer<Record> { throw Unreachable() }
}

struct Unreachable: Error {}
