import StoreSync
import SyncPersistence
import Testing

/// The stores of services.
///
/// Tests of adapters run the same suites with stores of their own.
enum ServiceStores {
    /// The seeds of random tests.
    static let seeds: Range<UInt64> = 0..<40

    /// Returns an empty store.
    static func make(_ schema: Schema) -> any PersistenceAdapter { InMemoryAdapter(schema: schema) }
}

extension Trait where Self == ConditionTrait {
    /// Stores in memory are always there.
    static var needsServiceStore: Self { .enabled(if: true) }
}
