import EntitySync
import SyncPersistence
import Testing

struct SyncCollectionTests {
    private struct Note: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
    }

    @Test func syncIntoTheEntityOfACollectionIsRefusedAndChangesNothing() async throws {
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

    /// A schema with an entity that looks like that of a collection, and one that refers to it.
    private func schema() throws -> Schema {
        try Schema([
            Entity(
                "Note",
                attributes: [
                    Attribute("id", .integer, isPrimaryKey: true), Attribute("content", .string, isOptional: false),
                ]),
            Entity(
                "Post", attributes: [Attribute("id", .integer, isPrimaryKey: true)],
                relationships: [Relationship("note", to: "Note")]),
        ])
    }

    @Test func aCollectionInAnEntityThatKeepsJSONIsRefused() async throws {
        for sync in [
            { _ = try await $0.sync(#"[{"id": 2, "content": "{}"}]"#, into: "Note") },
            { _ = try await $0.sync("[]", into: "Note") },
            { _ = try await $0.insertOrUpdate(["id": 2, "content": "bread"], into: "Note") },
            { _ = try await $0.sync(#"[{"id": 1, "note": {"id": 2, "content": "bread"}}]"#, into: "Post") },
        ] as [@Sendable (InMemoryAdapter) async throws -> Void] {
            let store = InMemoryAdapter(schema: try schema())
            try await sync(store)
            let count = try await store.read { try $0.count(Query("Note")) }
            let error = await #expect(throws: PersistenceError.self) {
                try await store.collection(of: Note.self, entity: "Note")
            }
            #expect(error?.code == .schemaChange)
            #expect(
                error?.description
                    == "'Note' keeps records that JSON was synced into, whose content is not that of "
                    + "'SyncCollectionTests.Note': give the type an entity of its own")
            try await sync(store)
            #expect(try await store.read { try $0.count(Query("Note")) } == count)
            _ = try await store.collection(of: Note.self, entity: "OtherNote")
        }
    }

    @Test func aNestedObjectDoesNotReachACollectionEither() async throws {
        let store = InMemoryAdapter(schema: try schema())
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 1, text: "milk"))
        let error = await #expect(throws: SyncError.self) {
            try await store.sync(#"[{"id": 1, "note": {"id": 1, "content": "bread"}}]"#, into: "Post")
        }
        #expect(error?.code == .collection)
        #expect(try await store.read { try $0.count(Query("Post")) } == 0)
        #expect(try await notes.elements() == [Note(id: 1, text: "milk")])
        // Posts without an object in that place are none of the collection's business.
        try await store.sync(#"[{"id": 1}, {"id": 2, "note": null}]"#, into: "Post")
        #expect(try await store.read { try $0.count(Query("Post")) } == 2)
    }
}
