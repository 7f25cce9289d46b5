import DifferentialSyncTesting
import SQLitePersistence
import Testing

/// The examples of *Files on devices*.
struct FilesOnDevicesExamples {
    @Test func suspendingInTime() async throws {
        let file = TemporaryFile()
        let server = SimulatedRemoteServer<Note, Int>(primaryKey: \.id)
        let store = try await SQLiteAdapter.open(at: file.path, schema: Schema([]))
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 7, text: "milk"))
        let sync = Task {
            _ = try? await notes.synchronize(with: server, policy: .newest(by: \.modified))
            await store.suspend()
        }
        // when the time is up:
        sync.cancel()
        // when the app is active again:
        await sync.value
        try await store.resume()

        try await notes.synchronize(with: server, policy: .newest(by: \.modified))
        #expect(await server.remote.elements == [Note(id: 7, text: "milk")])
        await store.close()
    }

    @Test func suspension() async throws {
        let file = TemporaryFile()
        let store = try await SQLiteAdapter.open(at: file.path, schema: Schema.ofNotes())
        await store.suspend()
        // when the app is active again:
        try await store.resume()
        #expect(try await store.read { try $0.count(Query("Note")) } == 0)
        await store.close()
    }
}
