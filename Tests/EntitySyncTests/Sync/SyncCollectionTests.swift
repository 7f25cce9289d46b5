import DifferentialSync
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

    private struct Line: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var content: String
    }

    @Test func anEntityThatKeepsSyncedJSONIsReadByColumn() async throws {
        for sync in [
            { _ = try await $0.sync(#"[{"id": 2, "content": "bread"}]"#, into: "Note") },
            { _ = try await $0.insertOrUpdate(["id": 2, "content": "bread"], into: "Note") },
            { _ = try await $0.sync(#"[{"id": 1, "note": {"id": 2, "content": "bread"}}]"#, into: "Post") },
        ] as [@Sendable (InMemoryAdapter) async throws -> Void] {
            let store = InMemoryAdapter(schema: try schema())
            try await sync(store)
            let lines = try await store.collection(of: Line.self, entity: "Note")
            #expect(try await lines.elements() == [Line(id: 2, content: "bread")])
            let notes = try await store.collection(of: Note.self, entity: "Note")
            let error = await #expect(throws: PersistenceError.self) { try await notes.elements() }
            #expect(error?.code == .unknownName)
            #expect(error?.property == "text")
            try await sync(store)
            #expect(try await lines.count == 1)
        }
    }

    private struct Task: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var title: String
        var isDone: Bool
        var tags: Set<Int> = []
    }

    private func tasks(_ kind: StoreKind) async throws -> SyncStore {
        try await SyncStore(
            kind,
            try Schema {
                Entity("Task") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("title", .string, isOptional: false, default: "")
                    Attribute("isDone", .bool, isOptional: false, default: false)
                    Attribute("remark", .string)
                    Relationship("tags", toMany: "Tag", inverse: "tasks")
                }
                Entity("Tag") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("tasks", toMany: "Task", inverse: "tags")
                }
            })
    }

    @Test(arguments: StoreKind.allCases)
    func jsonIsSyncedIntoElementsByColumnAndEditsAreKept(kind: StoreKind) async throws {
        let store = try await tasks(kind)
        let tasks = try await store.adapter.collection(of: Task.self, entity: "Task")
        try await store.sync(
            #"[{"id": 1, "title": "Paint", "is_done": false, "remark": "red", "tags": [{"id": 5}, {"id": 6}]}]"#,
            into: "Task")
        #expect(try await tasks.elements() == [Task(id: 1, title: "Paint", isDone: false, tags: [5, 6])])
        #expect(try await tasks.localDiff == nil)
        try await tasks.edit(1) { task in
            task.isDone = true
            task.tags.remove(6)
        }
        try await store.sync(
            #"[{"id": 1, "title": "Paint the door", "is_done": false, "remark": "blue", "tags": [{"id": 5}, {"id": 6}]}]"#,
            into: "Task")
        #expect(try await tasks.elements() == [Task(id: 1, title: "Paint the door", isDone: true, tags: [5])])
        #expect(try await store.value("Task", 1, "remark") == "blue")
        #expect(try await tasks.localDiff?.replacements.count == 1)
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
        // Posts without a nested object do not concern the collection.
        try await store.sync(#"[{"id": 1}, {"id": 2, "note": null}]"#, into: "Post")
        #expect(try await store.read { try $0.count(Query("Post")) } == 2)
    }
}
