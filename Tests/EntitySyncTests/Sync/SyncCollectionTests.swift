import EntitySync
import SyncPersistence
import Testing

@Suite("Syncing into the entity of a collection")
struct SyncCollectionTests {
    private struct Note: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
    }

    @Test func itIsRefusedAndNothingChanges() async throws {
        let store = InMemoryAdapter(schema: try Schema([]))
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 1, text: "milk"))
        for sync in [
            { _ = try await store.sync(#"[{"id": 2, "text": "bread"}]"#, into: "Note") },
            { _ = try await store.sync("[]", into: "Note") },
            { _ = try await store.insertOrUpdate(["id": 1, "content": "{}"], into: "Note") },
            { _ = try await store.update("Note", 1, with: ["content": "{}"]) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: SyncError.self) { try await sync() }
            #expect(error?.code == .collection)
            #expect(
                error?.description
                    == "'Note' keeps the elements of a collection, whose JSON only their type knows: sync into an entity "
                    + "of the schema")
        }
        #expect(try await notes.elements() == [Note(id: 1, text: "milk")])
    }
}
