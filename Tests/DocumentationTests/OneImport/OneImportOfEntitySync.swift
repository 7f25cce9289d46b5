import EntitySync
import Testing

/// The file compiles although it imports nothing else of the package.
struct OneImportOfEntitySync {
    @Test func bringsAStoreAndValues() async throws {
        let schema = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        let store = InMemoryAdapter(schema: schema)
        let payload: Value = [["id": 7]]
        let result: SyncResult = try await store.sync(payload, into: "Note")
        #expect(result.changes["Note"]?.inserted == [RecordID("Note", 7)])
    }
}
