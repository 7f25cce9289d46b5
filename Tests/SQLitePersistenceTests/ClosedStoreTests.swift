import DifferentialSync
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct ClosedStoreTests {
    @Test(.timeLimit(.minutes(5)), arguments: [true, false])
    func updatesEndWhenTheStoreIsClosed(isInFile: Bool) async throws {
        let folder = TemporaryFolder()
        let schema = try Schema { Entity("Item") { Attribute("id", .integer, isPrimaryKey: true) } }
        let item = Record(try #require(schema["Item"]), ["id": 1])
        let store =
            isInFile
            ? try await SQLiteAdapter.open(at: folder.file("items.sqlite"), schema: schema)
            : try await SQLiteAdapter.inMemory(schema: schema)
        let items = try await store.recordCollection(of: "Item")
        var earlier = items.changes().makeAsyncIterator()
        try await items.insert(item)
        await store.close()
        #expect(await earlier.next()?.diff?.add == [item])
        #expect(await earlier.next() == nil)
        var later = items.changes().makeAsyncIterator()
        #expect(await later.next() == nil)
        var commits = store.commits().makeAsyncIterator()
        #expect(await commits.next() == nil)
    }
}
