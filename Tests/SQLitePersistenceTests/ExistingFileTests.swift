import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Files that are opened with the schema that they have.
struct ExistingFileTests {
    private let folder = TemporaryFolder()

    private func openExisting(isReadOnly: Bool) async throws -> SQLiteAdapter {
        var options = SQLiteAdapter.Options()
        options.isReadOnly = isReadOnly
        return try await SQLiteAdapter.open(existing: folder.file(), options: options)
    }

    private func makeFile() async throws {
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: Authorship.schema)
        try await store.commit(Authorship.tag(1))
        await store.close()
    }

    @Test(arguments: [true, false])
    func aFileIsOpenedWithItsOwnSchemaAndNotChanged(isReadOnly: Bool) async throws {
        try await makeFile()
        let bytes = folder.contents()
        let store = try await openExisting(isReadOnly: isReadOnly)
        #expect(store.schema == Authorship.schema)
        #expect(try await store.read { try $0.keys(of: "Tag") } == [1])
        await store.close()
        #expect(folder.contents() == bytes)
    }

    @Test func addedEntitiesBelongToTheSchema() async throws {
        try await makeFile()
        let store = try await openExisting(isReadOnly: false)
        try await store.add([Entity("Place", attributes: [Attribute("id", .integer, isPrimaryKey: true)])])
        try await store.commit(Authorship.tag(2))
        await store.close()
        let other = try await openExisting(isReadOnly: true)
        #expect(other.schema["Place"] != nil)
        #expect(try await other.read { try $0.keys(of: "Tag") } == [1, 2])
        await other.close()
    }

    @Test func aFileOfAnEarlierFormatIsUpgradedUnlessItIsReadOnly() async throws {
        let fixture = "Tests/SQLitePersistenceTests/Fixtures/format-1.sqlite"
        let bytes = try Data(contentsOf: SharedFiles.packageFolder.appendingPathComponent(fixture))
        folder.write(bytes)
        let error = await #expect(throws: PersistenceError.self) { _ = try await openExisting(isReadOnly: true) }
        #expect(error?.code == .readOnly)
        #expect(folder.contents() == bytes)
        let store = try await openExisting(isReadOnly: false)
        let schema = store.schema
        await store.close()
        let reader = try await openExisting(isReadOnly: true)
        #expect(reader.schema == schema)
        await reader.close()
    }

    @Test(arguments: [true, false])
    func aMissingFileIsAnErrorAndNotCreated(isReadOnly: Bool) async throws {
        let error = await #expect(throws: PersistenceError.self) { _ = try await openExisting(isReadOnly: isReadOnly) }
        #expect(error?.code == .cannotOpen)
        #expect(try folder.names == [])
    }

    @Test(arguments: [true, false])
    func aFileWithoutAStoreIsRefusedUntouched(isReadOnly: Bool) async throws {
        for contents in ["", "no database of anyone, only a text that is long enough for a header"] {
            folder.write(Data(contents.utf8))
            await #expect(throws: PersistenceError.self) { _ = try await openExisting(isReadOnly: isReadOnly) }
            #expect(folder.contents() == Data(contents.utf8))
        }
    }

    @Test func collectionOfLinksOpensInAStoreForReading() async throws {
        let folder = TemporaryFolder()
        let path = folder.file("planner.db")
        let store = try await SQLiteAdapter.open(at: path, schema: .planner())
        await store.close()
        var options = SQLiteAdapter.Options()
        options.isReadOnly = true
        let reader = try await SQLiteAdapter.open(at: path, schema: .planner(), options: options)
        let links = try await reader.linkCollection(of: "Task", relationship: "tags")
        #expect(try await links.count == 0)
        await reader.close()
    }
}
