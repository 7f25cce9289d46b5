import Foundation
import SQLitePersistence
import TestSupport
import Testing

/// Files of stores that an app deletes.
@Suite struct DeletedFileTests {
    private let folder = TemporaryFolder()

    private func open(_ path: String) async throws -> SQLiteAdapter {
        try await SQLiteAdapter.open(
            at: path, schema: Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } })
    }

    private func addNote(to store: SQLiteAdapter) async throws {
        var changes = ChangeSet()
        changes.put(try Record("Note", in: store.schema, ["id": 1]))
        try await store.commit(changes)
    }

    private func files(_ path: String) -> [String] {
        ["", "-wal", "-shm"].filter { FileManager.default.fileExists(atPath: path + $0) }
    }

    @Test func aClosedStoreIsDeletedWithItsLog() async throws {
        let path = folder.file()
        let store = try await open(path)
        try await addNote(to: store)
        await store.close()
        try await SQLiteAdapter.delete(at: path)
        #expect(files(path) == [])
        try await SQLiteAdapter.delete(at: path)
        let next = try await open(path)
        #expect(try await next.read { try $0.count(Query("Note")) } == 0)
        await next.close()
    }

    @Test func theTargetOfASymbolicLinkIsDeletedWithTheLink() async throws {
        let (target, link) = (folder.file("target.db"), folder.file("link.db"))
        let store = try await open(target)
        try await addNote(to: store)
        await store.close()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        try await SQLiteAdapter.delete(at: link)
        #expect(try folder.names == [])
    }

    @Test func anOpenStoreStays() async throws {
        let path = folder.file()
        let store = try await open(path)
        try await addNote(to: store)
        let error = await #expect(throws: PersistenceError.self) { try await SQLiteAdapter.delete(at: path) }
        #expect(error?.code == .locked)
        #expect(try await store.read { try $0.count(Query("Note")) } == 1)
        await store.close()
    }

    @Test func aFileOfAnotherProgramStays() async throws {
        let path = folder.file()
        try Data("some text".utf8).write(to: URL(fileURLWithPath: path))
        await #expect(throws: PersistenceError.self) { try await SQLiteAdapter.delete(at: path) }
        #expect(files(path) == [""])
    }

    @Test func aLogThatIsLeftBehindIsDeleted() async throws {
        let path = folder.file()
        let store = try await open(path)
        try await addNote(to: store)
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        await store.close()
        try FileManager.default.removeItem(atPath: path)
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        try await SQLiteAdapter.delete(at: path)
        #expect(files(path) == [])
    }
}
