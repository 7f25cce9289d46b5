import DifferentialSyncTesting
import SQLitePersistence
import Testing

/// The examples of *Files on devices*.
struct FilesOnDevicesExamples {
    @Test func endingInTime() async throws {
        let file = TemporaryFile()
        let server = SimulatedRemoteServer<Note, Int>(primaryKey: \.id)
        let store = try await SQLiteAdapter.open(at: file.path, schema: Schema([]))
        let notes = try await store.collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 7, text: "milk"))
        let sync = Task { try await notes.synchronize(with: server, policy: .newest(by: \.modified)) }
        // when the time is up:
        sync.cancel()
        await store.close()
        _ = await sync.result

        let again = try await SQLiteAdapter.open(at: file.path, schema: Schema([]))
        let kept = try await again.collection(of: Note.self, entity: "Note")
        try await kept.synchronize(with: server, policy: .newest(by: \.modified))
        #expect(await server.remote.elements == [Note(id: 7, text: "milk")])
        await again.close()
    }
}
