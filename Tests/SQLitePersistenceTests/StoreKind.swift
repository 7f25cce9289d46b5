import SQLitePersistence
import SyncPersistence
import Testing

/// Where a device keeps its records.
///
/// Tests of other adapters run the same suites with kinds of their own.
enum StoreKind: CaseIterable {
    case inMemory, sqlite

    /// How many random runs a test makes in a store of the kind.
    var runCount: Int {
        switch self {
        case .inMemory: 6
        case .sqlite: 2
        }
    }

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
