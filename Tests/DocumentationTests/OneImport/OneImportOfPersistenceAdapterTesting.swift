import PersistenceAdapterTesting
import Testing

/// The file compiles although it imports nothing else of the package.
struct OneImportOfPersistenceAdapterTesting {
    @Test func bringsStoresAndStoresThatFail() async throws {
        let schema = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        var changes = ChangeSet()
        changes.put(Record(schema["Note"]!, ["id": 7]))
        let scenario = changes
        let count = try await forEveryFailure(of: { InMemoryAdapter(schema: schema) }) { (store: FailingAdapter) in
            try await store.commit(scenario)
        }
        #expect(count > 1)
    }
}
