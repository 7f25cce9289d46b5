import Foundation
import HTTPSync
import SQLitePersistence
import SyncCoordination
import TestSupport
import Testing

/// README's example of a whole store.
struct RelatedRecordsExamples {
    private let file = TemporaryFile()
    private var path: String { file.path }

    /// A change is stored while no service answers, and the status says that the next attempt waits.
    @Test func planner() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let token = "token"
        let schema = try Schema {
            Entity("Project") {
                Attribute("id", .uuid, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("todos", toMany: "ToDo", inverse: "project", deleteRule: .cascade)
            }
            Entity("ToDo") {
                Attribute("id", .uuid, isPrimaryKey: true)
                Attribute("title", .string)
                Relationship("project", to: "Project", inverse: "todos")
            }
        }
        let store = try await SQLiteAdapter.open(at: path, schema: schema)
        let coordinator = SyncCoordinator(of: store, with: HTTPRemote(url) { _ in token })
        await coordinator.start()
        let id = Value.uuid(UUID())
        var changes = ChangeSet()
        changes.put(try Record("Project", in: schema, ["id": id, "name": "Garden"]))
        try await store.commit(changes)
        await coordinator.syncNow()
        await coordinator.waitUntilIdle()
        await coordinator.stop()
        #expect(try await store.read { try $0.record(RecordID("Project", id)) }?["name"] == "Garden")
        #expect(try await store.syncState.pendingCounts == ["Project": 1])
        await store.close()
    }
}
