import SQLitePersistence
import SyncPersistence
import Testing

/// The kind of store that a test runs on.
///
/// Tests of other adapters run the same suites with kinds of their own.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case inMemory = "in memory"
    case sqlite = "SQLite"

    var testDescription: String { rawValue }

    /// Returns an empty store.
    func store(_ schema: Schema) async throws -> any PersistenceAdapter {
        switch self {
        case .inMemory: InMemoryAdapter(schema: schema)
        case .sqlite: try await SQLiteAdapter.inMemory(schema: schema)
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Stores of all kinds are always there.
    static var needsStores: Self { .enabled(if: true) }
}
