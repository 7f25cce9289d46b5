import DifferentialSync
import SyncPersistence
import Testing

struct ClosedStoreTests {
    private let item: Record
    private let store: InMemoryAdapter

    init() throws {
        let schema = try Schema { Entity("Item") { Attribute("id", .integer, isPrimaryKey: true) } }
        item = Record(try #require(schema["Item"]), ["id": 1])
        store = InMemoryAdapter(schema: schema)
    }

    @Test(.timeLimit(.minutes(5)))
    func updatesEndWhenTheStoreIsClosed() async throws {
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

    @Test func callsAfterTheCloseThrow() async throws {
        await store.close()
        await store.close()
        let error = await #expect(throws: PersistenceError.self) { try await store.read { try $0.keys(of: "Item") } }
        #expect(error?.code == .closed)
        #expect(error?.description == "the store in memory was closed: make another store")
    }
}
