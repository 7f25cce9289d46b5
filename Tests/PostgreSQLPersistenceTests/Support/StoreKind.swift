import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import Testing

/// The kind of store for the suites of `SQLitePersistenceTests` and `EntitySyncTests` to which this target has links.
enum StoreKind: CaseIterable {
    case postgreSQL

    /// How many random runs a test makes.
    var runCount: Int { 1 }

    /// The connections of all stores.
    private static let pool = Result { try PostgreSQLPool(TestCluster.shared.connection) }

    /// Returns an empty store.
    func store(_ schema: Schema) async throws -> any PersistenceAdapter {
        try await PostgreSQLAdapter.open(
            on: Self.pool.get(), namespace: "device \(TestCluster.shared.nextNumber())", schema: schema)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the suites if the server is not installed.
    static var needsStores: Self { .needsPostgreSQL }
}
