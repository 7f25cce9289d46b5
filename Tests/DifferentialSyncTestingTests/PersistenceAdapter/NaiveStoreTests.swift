import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// What transactions do with random changes is what a plain model of them does.
@Suite struct NaiveStoreTests {
    @Test func randomSchemas() async throws {
        for seed in seeds {
            let schema = try RandomSchema(seed: seed).schema
            let difference = try await firstDifference(
                between: InMemoryAdapter(schema: schema), and: NaiveStore(schema: schema), seed: seed, rounds: 60)
            if let difference {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    private var seeds: Range<UInt64> {
        #if DEBUG
            let count: UInt64 = 150
        #else
            let count: UInt64 = 400
        #endif
        return environmentSeed.map { $0..<($0 + 1) } ?? 0..<count
    }
}
