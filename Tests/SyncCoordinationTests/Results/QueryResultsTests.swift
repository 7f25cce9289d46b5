import SyncCoordination
import SyncPersistence
import Testing

@MainActor @Suite
struct QueryResultsTests {
    @Test(arguments: StoreKind.allCases)
    func viewsAreUpdatedAfterEachCommitThatChangesTheResults(kind: StoreKind) async throws {
        let store = try await kind.store()
        try await store.put("Todo", ["id": 1, "title": "milk"])
        let todos = QueryResults(store.results(Query("Todo"), as: Todo.self))
        #expect(!todos.isLoaded && todos.elements.isEmpty)
        let observing = Task { await todos.observe() }
        await until { todos.isLoaded }
        #expect(todos.elements == [Todo(id: 1, title: "milk")])
        try await store.put("Todo", ["id": 2, "title": "eggs"])
        await until { todos.elements.count == 2 }
        #expect(todos.changes?.changes == [.add(Todo(id: 2, title: "eggs"))])
        observing.cancel()
        await observing.value
        #expect(todos.error == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func laterObservationResumesWithTheChangesSinceTheLastElements(kind: StoreKind) async throws {
        let store = try await kind.store()
        try await store.put("Todo", ["id": 1])
        let todos = QueryResults(store.results(Query("Todo")))
        let first = Task { await todos.observe() }
        await until { todos.isLoaded }
        first.cancel()
        await first.value
        try await store.put("Todo", ["id": 2])
        let second = Task { await todos.observe() }
        await until { todos.elements.count == 2 }
        #expect(todos.changes?.add.map(\.key) == [2])
        await store.close()
        await second.value
        #expect(todos.elements.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func errorIsKeptUntilTheNextObservation(kind: StoreKind) async throws {
        let store = try await kind.store()
        let memos = QueryResults(store.results(Query("Later")))
        await memos.observe()
        #expect((memos.error as? PersistenceError)?.code == .unknownName)
        try await store.add([Entity("Later", attributes: [Attribute("id", .integer, isPrimaryKey: true)])])
        let observing = Task { await memos.observe() }
        await until { memos.isLoaded }
        #expect(memos.error == nil)
        await store.close()
        await observing.value
    }

    @Test(arguments: StoreKind.allCases)
    func countIsAnObservedValue(kind: StoreKind) async throws {
        let store = try await kind.store()
        let count = ObservedValue(store.counts(of: Query("Todo")))
        let observing = Task { await count.observe() }
        await until { count.value == 0 }
        try await store.put("Todo", ["id": 1], ["id": 2])
        await until { count.value == 2 }
        await store.close()
        await observing.value
    }
}
