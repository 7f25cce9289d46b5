import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport

/// Runs a test on a store of each kind that is filled with the same changes.
func withStores(
    of schema: Schema, _ fill: (inout ChangeSet) throws -> Void = { _ in },
    _ body: (any PersistenceAdapter) async throws -> Void
) async throws {
    let folder = TemporaryFolder()
    for store in [
        InMemoryAdapter(schema: schema) as any PersistenceAdapter,
        try await SQLiteAdapter.open(at: folder.file(), schema: schema),
    ] {
        var changes = ChangeSet()
        try fill(&changes)
        try await store.commit(changes)
        try await body(store)
        await (store as? SQLiteAdapter)?.close()
    }
}

extension ChangeSet {
    /// Stores a record with the values that are given by name.
    mutating func put(_ entity: String, in schema: Schema, _ values: [String: Value]) {
        put(Record(schema[entity]!, values))
    }
}

extension Value {
    /// The value that JSON text stands for.
    static func of(_ json: String) -> Value { try! Value(json: json) }

    /// The members' names, in their order.
    var names: [String] {
        if case .object(let object) = self { object.members.map(\.name) } else { [] }
    }

    /// The value of a member, or null.
    subscript(name: String) -> Value {
        if case .object(let object) = self { object[name] ?? .null } else { .null }
    }

    /// The elements of an array.
    var elements: [Value] {
        if case .array(let elements) = self { elements } else { [] }
    }
}
