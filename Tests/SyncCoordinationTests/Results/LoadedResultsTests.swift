import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

/// Observed values whose query changes while they are shown.
@MainActor @Suite(.timeLimit(.minutes(5)))
struct LoadedResultsTests {
    private static let open = Query("Todo", where: Field("isDone") == false, sort: [Query.SortKey("id")])
    private static let invalid = Query("Todo", where: Field("titel") == "tea")

    /// Makes a store of three tasks, the second of which is done.
    private func store(_ kind: StoreKind) async throws -> any PersistenceAdapter {
        let store = try await kind.store()
        try await store.put(
            "Todo", ["id": 1, "title": "milk"], ["id": 2, "title": "eggs", "isDone": true], ["id": 3, "title": "tea"])
        return store
    }

    /// Returns a store, all of its tasks as results, and the task that observes them.
    private func observed(
        _ kind: StoreKind
    ) async throws -> (any PersistenceAdapter, QueryResults<Record>, Task<Void, Never>) {
        let store = try await store(kind)
        let todos = QueryResults(store.results(Query("Todo")))
        let observing = Task { await todos.observe() }
        await until { todos.isLoaded }
        return (store, todos, observing)
    }

    @Test(arguments: StoreKind.allCases)
    func loadedQueryReplacesTheElementsAndIsFollowed(kind: StoreKind) async throws {
        let store = try await store(kind)
        let todos = QueryResults(store.results(Query("Todo"), as: Todo.self))
        let observing = Task { await todos.observe() }
        await until { todos.isLoaded }
        todos.load(store.results(Self.open, as: Todo.self))
        #expect(todos.isLoaded && todos.elements.count == 3)
        await until { todos.elements.count == 2 }
        #expect(todos.changes?.changes == [.delete(Todo(id: 2, title: "eggs", isDone: true))])
        // This commit concerns the former query alone.
        try await store.put("Todo", ["id": 4, "title": "oats", "isDone": true])
        try await store.put("Todo", ["id": 5, "title": "rice"])
        await until { todos.elements.count == 3 }
        #expect(todos.elements.map(\.id) == [1, 3, 5])
        #expect(todos.changes?.changes == [.add(Todo(id: 5, title: "rice"))])
        await store.close()
        await observing.value
        #expect(todos.error == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func growingLimitAndAnotherOrderChangeOnlyWhatDiffers(kind: StoreKind) async throws {
        let store = try await store(kind)
        func titles(_ limit: Int, isDescending: Bool = false) -> StoreObservation<QuerySnapshot<Record>> {
            store.results(Query("Todo", sort: [Query.SortKey("title", isDescending: isDescending)], limit: limit))
        }
        let todos = QueryResults(titles(1))
        let observing = Task { await todos.observe() }
        await until { todos.isLoaded }
        #expect(todos.elements.map(\.key) == [2])
        todos.load(titles(2))
        await until { todos.elements.count == 2 }
        #expect(todos.elements.map(\.key) == [2, 1])
        #expect(todos.changes?.add.map(\.key) == [1])
        #expect(todos.changes?.changes.count == 1)
        todos.load(titles(2, isDescending: true))
        await until { todos.elements.first?.key == 3 }
        #expect(todos.elements.map(\.key) == [3, 1])
        #expect(todos.changes?.add.map(\.key) == [3])
        #expect(todos.changes?.delete.map(\.key) == [2])
        observing.cancel()
        await observing.value
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func elementsStayUntilThoseOfTheLastQueryAreRead(kind: StoreKind, isRead: Bool) async throws {
        let base = try await store(kind)
        let begun = AsyncStream<Void>.makeStream()
        let never = AsyncStream<Void>.makeStream()
        // The second query waits just before or just after its reading, until it is abandoned.
        let pass: @Sendable () async throws -> Void = {}
        let wait: @Sendable () async throws -> Void = {
            begun.continuation.finish()
            for await _ in never.stream {}
        }
        let slow = HookedAdapter.interrupted(base, by: isRead ? [pass, pass, pass, wait] : [pass, pass, wait])
        let todos = QueryResults(slow.results(Query("Todo")))
        let observing = Task { await todos.observe() }
        await until { todos.isLoaded }
        todos.load(slow.results(Query("Todo", where: Field("id") == 2)))
        for await _ in begun.stream {}
        #expect(todos.elements.count == 3)
        todos.load(slow.results(Self.open))
        #expect(todos.elements.count == 3)
        await until { todos.elements.count < 3 }
        #expect(todos.elements.map(\.key) == [1, 3])
        // The elements of the second query were never shown.
        #expect(todos.changes?.delete.map(\.key) == [2])
        #expect(todos.changes?.add.isEmpty == true)
        never.continuation.finish()
        observing.cancel()
        await observing.value
        #expect(todos.error == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func lastOfTwoQueriesInARowIsShown(kind: StoreKind) async throws {
        let (store, todos, observing) = try await observed(kind)
        todos.load(store.results(Query("Todo", where: Field("id") == 2)))
        todos.load(store.results(Self.open))
        await until { todos.elements.count < 3 }
        #expect(todos.elements.map(\.key) == [1, 3])
        #expect(todos.changes?.delete.map(\.key) == [2])
        observing.cancel()
        await observing.value
    }

    @Test(arguments: StoreKind.allCases)
    func invalidQueryKeepsTheElementsUntilAnotherOneIsLoaded(kind: StoreKind) async throws {
        let (store, todos, observing) = try await observed(kind)
        todos.load(store.results(Self.invalid))
        await until { todos.error != nil }
        #expect(todos.error is PersistenceError)
        #expect(todos.elements.map(\.key) == [1, 2, 3])
        todos.load(store.results(Self.open))
        #expect(todos.error == nil)
        await until { todos.elements.count == 2 }
        #expect(todos.changes?.delete.map(\.key) == [2])
        try await store.put("Todo", ["id": 4])
        await until { todos.elements.count == 3 }
        #expect(todos.error == nil)
        await store.close()
        await observing.value
    }

    @Test(arguments: StoreKind.allCases)
    func errorOfTheFirstQueryIsKeptUntilAnotherOneIsObserved(kind: StoreKind) async throws {
        let store = try await store(kind)
        let todos = QueryResults(store.results(Self.invalid))
        await todos.observe()
        #expect(todos.error is PersistenceError)
        todos.load(store.results(Self.open))
        #expect(todos.error is PersistenceError && !todos.isLoaded)
        let observing = Task { await todos.observe() }
        await until { todos.isLoaded }
        #expect(todos.error == nil)
        await store.close()
        await observing.value
    }

    @Test(arguments: StoreKind.allCases)
    func observationOfAnInvalidQueryEndsWithItsTask(kind: StoreKind) async throws {
        let (store, todos, observing) = try await observed(kind)
        todos.load(store.results(Self.invalid))
        await until { todos.error != nil }
        observing.cancel()
        await observing.value
        #expect(todos.error != nil)
        #expect(todos.elements.count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func queryThatIsLoadedBeforeTheObservationIsTheFirstOne(kind: StoreKind) async throws {
        let store = try await store(kind)
        let todos = QueryResults(store.results(Self.invalid))
        todos.load(store.results(Self.open))
        #expect(!todos.isLoaded)
        let observing = Task { await todos.observe() }
        await until { todos.isLoaded }
        #expect(todos.changes?.add.map(\.key) == [1, 3])
        await store.close()
        await observing.value
    }

    @Test(arguments: StoreKind.allCases)
    func elementsStayIfAQueryIsLoadedAfterTheStoreWasClosed(kind: StoreKind) async throws {
        let (store, todos, observing) = try await observed(kind)
        await store.close()
        await observing.value
        todos.load(store.results(Self.open))
        await todos.observe()
        #expect(todos.elements.count == 3)
        #expect(todos.error == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func observedValueIsReplacedByAnother(kind: StoreKind) async throws {
        let store = try await store(kind)
        let count = ObservedValue(store.counts(of: Query("Todo")))
        let observing = Task { await count.observe() }
        await until { count.value == 3 }
        count.load(store.counts(of: Self.open))
        #expect(count.value == 3)
        await until { count.value == 2 }
        try await store.put("Todo", ["id": 4])
        await until { count.value == 3 }
        await store.close()
        await observing.value
        #expect(count.error == nil)
    }
}
