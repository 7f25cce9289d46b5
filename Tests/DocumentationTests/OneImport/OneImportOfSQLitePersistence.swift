import SQLitePersistence
import Testing

/// The file compiles although it imports nothing else of the package.
struct OneImportOfSQLitePersistence {
    @Test func bringsRecordsValuesAndTheCore() async throws {
        let schema = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        let store = try await SQLiteAdapter.inMemory(schema: schema)
        var changes = ChangeSet(origin: .remote)
        changes.put(Record(schema["Note"]!, ["id": 7]))
        let commit = try await store.commit(changes)
        await store.close()
        let keys: [Value] = commit.inserted.map(\.key)
        let difference: Diff<Value>? = diff(wins: [7], loses: keys)
        #expect(difference == nil)
    }
}
