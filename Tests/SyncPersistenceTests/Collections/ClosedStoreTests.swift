import DifferentialSync
import SyncPersistence
import Testing

@Suite struct ClosedStoreTests {
    private struct Item: Codable, Identifiable, Equatable, Sendable {
        let id: Int
    }

    private let store: InMemoryAdapter

    init() throws { store = InMemoryAdapter(schema: try Schema([])) }

    @Test(.timeLimit(.minutes(1)))
    func updatesEndWhenTheStoreIsClosed() async throws {
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

    @Test func callsAfterTheCloseThrow() async throws {
        let items = try await store.collection(of: Item.self)
        await store.close()
        await store.close()
        let error = await #expect(throws: PersistenceError.self) { try await items.elements() }
        #expect(error?.code == .closed)
        #expect(error?.description == "the store in memory was closed: make another store")
    }
}
