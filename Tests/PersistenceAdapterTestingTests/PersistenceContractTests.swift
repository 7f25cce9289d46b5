import PersistenceAdapterTesting
import SyncPersistence
import Testing

struct PersistenceContractTests {
    @Test func storeInMemory() async {
        let report = await PersistenceContract.report { InMemoryAdapter(schema: $0) }
        #expect(report.isPassed, "\(report)")
    }
}
