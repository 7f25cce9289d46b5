import PersistenceAdapterTesting
import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import TestSupport
import Testing

@Suite(.needsPostgreSQL) struct FailureTests {
    @Test func failureAroundAnyCommitLeavesTheStateBeforeOrAfterIt() async throws {
        let cluster = try TestCluster.shared
        let pool = try PostgreSQLPool(cluster.connection)
        func open(_ namespace: String) async throws -> PostgreSQLAdapter {
            try await PostgreSQLAdapter.open(on: pool, namespace: namespace, schema: Authorship.schema)
        }
        let count = try await forEveryFailure(
            of: { try await open("failing \(cluster.nextNumber())") },
            scenario: { try await Authorship.commit(to: $0) },
            afterwards: { store, failure in
                // The state before the commit, or the one after it, as was seen when it failed.
                let dump = try await StoreDump(of: store)
                let adapter = try #require(store as? PostgreSQLAdapter)
                await adapter.close()
                let again = try await open(adapter.namespaceName)
                #expect(try await StoreDump(of: again).differences(from: dump) == [], "\(String(describing: failure))")
                #expect(try await Authorship.isWhole(again))
                await again.close()
            })
        #expect(count >= 26)
        await pool.close()
    }
}
