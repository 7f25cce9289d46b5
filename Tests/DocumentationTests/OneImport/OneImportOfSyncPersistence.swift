import SyncPersistence
import Testing

/// The file compiles although it imports nothing else of the package.
struct OneImportOfSyncPersistence {
    @Test func bringsValuesAndTheCore() async throws {
        let schema = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        let store = InMemoryAdapter(schema: schema)
        let value: Value = ["id": 7]
        var notes = try JournaledCollection([value], primaryKey: { $0 })
        notes.remove(value)
        #expect(value.taggedJSON == #"{"object":["id",7]}"#)
        #expect(notes.isEmpty)
        #expect(store.schema["Note"]?.slots.map(\.name) == ["id"])
    }
}
