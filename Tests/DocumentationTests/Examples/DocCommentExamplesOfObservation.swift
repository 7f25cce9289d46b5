import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// The examples in the comments of `Sources/SyncCoordination/Results`.
///
/// Those that observe would not end, so they are compiled alone.
struct DocCommentExamplesOfObservation {
    struct ToDo: Codable, Identifiable, Equatable {
        var id: Int
        var title: String
        var due: Int?
        var isDone: Bool
    }

    private static let schema = try! Schema {
        Entity("ToDo") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string, isOptional: false)
            Attribute("due", .integer, isIndexed: true)
            Attribute("isDone", .bool, isOptional: false)
        }
    }

    /// A store with an open to-do.
    private func store() async throws -> SQLiteAdapter {
        let store = try await SQLiteAdapter.inMemory(schema: Self.schema)
        let todos = try await store.collection(of: ToDo.self, entity: "ToDo")
        try await todos.insert(ToDo(id: 7, title: "milk", due: nil, isDone: false))
        return store
    }

    func elementsOfATypeInOrder() async throws {
        let store = try await store()
        func show(_ todos: StoredElements<ToDo>) { print(todos.map(\.title)) }
        for try await todos in store.results(Query("ToDo", sort: [Query.SortKey("due")]), as: ToDo.self) {
            show(todos.elements)
        }
    }

    func records() async throws {
        let store = try await store()
        for try await todos in store.results(Query("ToDo", sort: [Query.SortKey("due")], limit: 50)) {
            print(todos.elements.count, todos.changes as Any)
        }
    }

    func openElements() async throws {
        let store = try await store()
        func show(_ todos: StoredElements<ToDo>) { print(todos.map(\.title)) }
        let open = Query("ToDo", where: Field("isDone") == false, sort: [Query.SortKey("due")], limit: 50)
        for try await todos in store.results(open, as: ToDo.self) {
            show(todos.elements)
        }
    }

    func oneRecord() async throws {
        let store = try await store()
        for try await todo in store.versions(of: RecordID("ToDo", 7)) {
            print(todo.map { "\($0)" } ?? "deleted")
        }
    }

    func marks(_ todos: [ToDo]) async throws {
        let store = try await store()
        func show(_ states: [RecordID: RecordSyncState]) { print(states.count) }
        for try await states in store.syncStates(of: todos.map { RecordID("ToDo", .integer(Int64($0.id))) }) {
            show(states)
        }
    }

    func badgeOfAnApp() async throws {
        let store = try await store()
        var badge = 0
        for try await inbox in store.inbox() {
            badge = inbox.conflicts.count + inbox.refused.count
        }
        print(badge)
    }

    /// A background task of the system.
    struct BackgroundTask { func setTaskCompleted(success: Bool) { #expect(success) } }

    @Test func aBackgroundTask() async throws {
        let store = try await store()
        let server = InMemoryAdapter(schema: Self.schema)
        let coordinator = SyncCoordinator(
            of: store, with: SyncService(server, account: "ada", makeName: { "epoch" }), clock: VirtualClock())
        let task = BackgroundTask()
        let isDone = await coordinator.syncOnce(within: .seconds(25))
        task.setTaskCompleted(success: isDone)
        #expect(try await server.read { try $0.count(Query("ToDo")) } == 1)
    }

    @Test func signingOut() async throws {
        func confirmLoss(_ state: StoreSyncState) async -> Bool { !state.pendingCounts.isEmpty }
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).db").path
        let store = try await SQLiteAdapter.open(at: path, schema: Self.schema)
        let remote = SyncService(InMemoryAdapter(schema: Self.schema), account: "ada", makeName: { "epoch" })
        let coordinator = SyncCoordinator(of: store, with: remote, clock: VirtualClock())
        func signOut() async throws {
            _ = await coordinator.syncOnce(within: .seconds(10))
            let state = try await store.syncState
            if !state.isSettled, await !confirmLoss(state) { return }
            await coordinator.stop()
            await store.close()
            try await SQLiteAdapter.delete(at: path)
        }
        try await signOut()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func conflictsOfAStore() async throws {
        let store = try await store()
        func ask(_ conflict: StoreConflict) async -> Resolution<Record> { .local }
        var undoList: [ResolvedConflict] = []
        for conflict in try await store.openConflicts {
            let resolved = try await store.resolve(conflict, with: await ask(conflict))
            undoList.append(resolved)
        }
        #expect(undoList.isEmpty)
    }

    @Test @MainActor func otherQueries() async throws {
        let store = try await store()
        let done = Query("ToDo", where: Field("isDone") == true)
        let count = ObservedValue(store.counts(of: done))
        let todos = QueryResults(store.results(done, as: ToDo.self))
        count.load(store.counts(of: Query("ToDo")))
        let all = Query("ToDo", sort: [Query.SortKey("title")])
        todos.load(store.results(all, as: ToDo.self))
        let observing = [Task { await count.observe() }, Task { await todos.observe() }]
        while count.value == nil || !todos.isLoaded { await Task.yield() }
        await store.close()
        for task in observing { await task.value }
        #expect(count.value == 1)
        #expect(todos.elements.map(\.title) == ["milk"])
    }

    @Test @MainActor func views() async throws {
        let store = try await store()
        let list = ToDoList(of: store)
        _ = list.body
        _ = OpenCount(of: store).body
    }

    struct ToDoList: View {
        @State private var todos: QueryResults<ToDo>

        init(of store: any PersistenceAdapter) {
            let open = Query("ToDo", where: Field("isDone") == false, sort: [Query.SortKey("due")])
            _todos = State(wrappedValue: QueryResults(store.results(open, as: ToDo.self)))
        }

        var body: some View {
            List(todos.elements) { Text($0.title) }
                .overlay { if let error = todos.error { Text(verbatim: "\(error)") } }
                .task { await todos.observe() }
        }
    }

    struct OpenCount: View {
        @State private var count: ObservedValue<Int>

        init(of store: any PersistenceAdapter) {
            let open = Query("ToDo", where: Field("isDone") == false)
            _count = State(wrappedValue: ObservedValue(store.counts(of: open)))
        }

        var body: some View {
            Text("\(count.value ?? 0) open")
                .task { await count.observe() }
        }
    }
}
