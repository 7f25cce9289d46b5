import PersistenceAdapterTesting
import PostgreSQLPersistence
import PostgreSQLTestSupport
import Testing

@Suite(.needsPostgreSQL) struct ContractTests {
    /// The topics of the contract's checks.
    static let topics = Set(PersistenceContract.checks.map { String($0.prefix { $0 != "." }) }).sorted()

    @Test(arguments: topics)
    func storeFulfilsTheContractAndKeepsRecordsAcrossReopening(topic: String) async throws {
        let cluster = try TestCluster.shared
        let pool = try PostgreSQLPool(cluster.connection)
        try await checkPersistenceAdapter(
            where: { $0.hasPrefix("\(topic).") },
            reopen: { adapter, schema in
                await adapter.close()
                return try await PostgreSQLAdapter.open(on: pool, namespace: adapter.namespaceName, schema: schema)
            },
            { schema in
                try await PostgreSQLAdapter.open(
                    on: pool, namespace: "contract \(cluster.nextNumber())", schema: schema)
            })
        await pool.close()
    }
}
