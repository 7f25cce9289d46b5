import PersistenceAdapterTesting
import PostgreSQLPersistence
import Testing

@Suite(.needsPostgreSQL) struct ContractTests {
    @Test func storeFulfilsTheContractAndKeepsRecordsAcrossReopening() async throws {
        let cluster = try TestCluster.shared
        // Of the stores that a check makes, few are used at a time.
        let pool = try PostgreSQLPool(cluster.connection)
        try await checkPersistenceAdapter(
            reopen: { adapter, schema in
                await adapter.close()
                return try await PostgreSQLAdapter.open(on: pool, namespace: adapter.namespaceName, schema: schema)
            },
            { schema in
                try await PostgreSQLAdapter.open(on: pool, namespace: "contract \(cluster.nextNumber())", schema: schema)
            })
        await pool.close()
    }
}
