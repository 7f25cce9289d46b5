import DifferentialSync
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

@Suite struct ClosedStoreTests {
    private struct Item: Codable, Identifiable, Equatable, Sendable {
        let id: Int
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func updatesEndWhenTheStoreIsClosed(isInFile: Bool) async throws {
        let folder = TemporaryFolder()
        let schema = try Schema([])
        let store =
            isInFile
            ? try await SQLiteAdapter.open(at: folder.file("items.sqlite"), schema: schema)
            : try await SQLiteAdapter.inMemory(schema: schema)
        let items = try await store.collection(of: Item.self)
        var earlier = items.changes().makeAsyncIterator()
        try await items.insert(Item(id: 1))
        await store.close()
        #expect(try await earlier.next()?.diff.add == [Item(id: 1)])
        #expect(try await earlier.next() == nil)
        var later = items.changes().makeAsyncIterator()
        #expect(try await later.next() == nil)
        var commits = store.commits().makeAsyncIterator()
        #expect(await commits.next() == nil)
    }
}
