import DifferentialSyncTesting
import Foundation
import HTTPSync
import Observation
import SQLitePersistence
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// The examples of *Sync in an app* about the start, searches and the background.
struct SyncInAnAppExamples {
    typealias ToDo = DocCommentExamplesOfObservation.ToDo
    typealias ToDoList = DocCommentExamplesOfObservation.ToDoList

    private static let schema = try! Schema {
        Entity("ToDo") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string, isOptional: false)
            Attribute("due", .integer, isIndexed: true)
            Attribute("isDone", .bool, isOptional: false)
        }
    }

    @MainActor @Observable final class AppModel {
        enum Phase {
            case opening
            case ready(SQLiteAdapter, SyncCoordinator, Background)
            case failed(any Error)
        }

        private(set) var phase = Phase.opening
        private var isInFront = false

        func open(_ schema: Schema, _ url: URL, token: @escaping HTTPRemote.TokenSource) async {
            do {
                let folder = try FileManager.default.url(
                    for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
                let store = try await SQLiteAdapter.open(at: folder.appending(path: "ada.db").path, schema: schema)
                let remote = HTTPRemote(url, token: token)
                let (activity, isActive) = AsyncStream.makeStream(of: Bool.self)
                let coordinator = SyncCoordinator(of: store, with: remote, activity: { activity }, log: { print($0) })
                await coordinator.start()
                phase = .ready(store, coordinator, Background(of: store, coordinator, isActive))
                setInFront(isInFront)
            } catch {
                phase = .failed(error)
            }
        }

        func setInFront(_ isInFront: Bool) {
            self.isInFront = isInFront
            guard case .ready(_, _, let background) = phase else { return }
            if isInFront { background.enterForeground() } else { background.enterBackground() }
        }
    }

    struct Search: Equatable {
        var text = ""
        var sort = "due"
        var limit = 200

        var query: Query {
            let filter = text.isEmpty ? nil : Field("title").contains(text, ignoringCase: true)
            return Query("ToDo", where: filter, sort: [Query.SortKey(sort)], limit: limit)
        }
    }

    struct SearchableList: View {
        @State private var search = Search()
        @State private var todos: QueryResults<ToDo>
        private let store: any PersistenceAdapter

        init(of store: any PersistenceAdapter) {
            self.store = store
            _todos = State(wrappedValue: QueryResults(store.results(Search().query, as: ToDo.self)))
        }

        var body: some View {
            List(todos.elements) { todo in
                Text(todo.title)
                    .onAppear {
                        let isLast = todo == todos.elements.last && todos.elements.count == search.limit
                        if isLast { search.limit += 200 }
                    }
            }
            .searchable(text: $search.text)
            .task(id: search) {
                todos.load(store.results(search.query, as: ToDo.self))
                await todos.observe()
            }
        }
    }

    @Test @MainActor func aSearch() async throws {
        let store = try await SQLiteAdapter.inMemory(schema: Self.schema)
        let todos = try await store.collection(of: ToDo.self, entity: "ToDo")
        try await todos.insert(ToDo(id: 7, title: "Milk", due: nil, isDone: false))
        try await todos.insert(ToDo(id: 8, title: "eggs", due: nil, isDone: false))
        _ = SearchableList(of: store).body
        let shown = QueryResults(store.results(Search().query, as: ToDo.self))
        let observing = Task { await shown.observe() }
        while shown.elements.count < 2 { await Task.yield() }
        shown.load(store.results(Search(text: "mil").query, as: ToDo.self))
        while shown.elements.count > 1 { await Task.yield() }
        #expect(shown.elements.map(\.title) == ["Milk"])
        await store.close()
        await observing.value
    }

    /// The application of UIKit, with the end of its background tasks.
    @MainActor final class UIApplication {
        static let shared = UIApplication()
        private let ends = AsyncStream<Int>.makeStream()

        func beginBackgroundTask(expirationHandler: (@MainActor @Sendable () -> Void)? = nil) -> Int { 7 }

        func endBackgroundTask(_ task: Int) { ends.continuation.yield(task) }

        func nextEnd() async -> Int? {
            var iterator = ends.stream.makeAsyncIterator()
            return await iterator.next()
        }
    }

    /// A task of BackgroundTasks, with its end.
    @MainActor final class BGAppRefreshTask {
        var expirationHandler: (() -> Void)?
        private let ends = AsyncStream<Bool>.makeStream()

        func setTaskCompleted(success: Bool) { ends.continuation.yield(success) }

        func nextEnd() async -> Bool? {
            var iterator = ends.stream.makeAsyncIterator()
            return await iterator.next()
        }
    }

    @MainActor final class Background {
        private let store: SQLiteAdapter
        private let coordinator: SyncCoordinator
        private let isActive: AsyncStream<Bool>.Continuation
        private var isInFront = false
        private var step: Task<Void, Never>?

        init(of store: SQLiteAdapter, _ coordinator: SyncCoordinator, _ isActive: AsyncStream<Bool>.Continuation) {
            (self.store, self.coordinator, self.isActive) = (store, coordinator, isActive)
        }

        func enterBackground() {
            isInFront = false
            isActive.yield(false)
            let task = UIApplication.shared.beginBackgroundTask { self.step?.cancel() }
            begin {
                _ = await self.sync()
                UIApplication.shared.endBackgroundTask(task)
            }
        }

        func refresh(_ task: BGAppRefreshTask) {
            begin { task.setTaskCompleted(success: await self.sync()) }
            task.expirationHandler = { @Sendable [step] in step?.cancel() }
        }

        func enterForeground() {
            isInFront = true
            begin { [store] in try? await store.resume() }
            isActive.yield(true)
        }

        private func sync() async -> Bool {
            try? await store.resume()
            let isDone = await coordinator.syncOnce(within: .seconds(25))
            if !isInFront { await store.suspend() }
            return isDone
        }

        // Each step follows the end of the one before, so that no late suspension follows a resumption.
        private func begin(_ next: @escaping @MainActor () async -> Void) {
            step?.cancel()
            step = Task { [step] in
                await step?.value
                await next()
            }
        }
    }

    struct ToDoApp: App {
        @Environment(\.scenePhase) private var phase
        @State private var model = AppModel()

        var body: some Scene {
            WindowGroup { Root(model: model) }
                .onChange(of: phase, initial: true) { _, phase in
                    if phase == .background { model.setInFront(false) }
                    if phase == .active { model.setInFront(true) }
                }
        }
    }

    struct Root: View {
        let model: AppModel

        var body: some View {
            if case .ready(let store, _, _) = model.phase { ToDoList(of: store) }
            if case .failed(let error) = model.phase { Text(verbatim: "\(error)") }
        }
    }

    @Test(.timeLimit(.minutes(5))) @MainActor func anAppInTheBackground() async throws {
        let store = try await SQLiteAdapter.inMemory(schema: Self.schema)
        let todos = try await store.collection(of: ToDo.self, entity: "ToDo")
        try await todos.insert(ToDo(id: 7, title: "milk", due: nil, isDone: false))
        let server = InMemoryAdapter(schema: Self.schema)
        let (activity, isActive) = AsyncStream<Bool>.makeStream()
        let coordinator = SyncCoordinator(
            of: store, with: SyncService(server, account: "ada", makeName: { "epoch" }), activity: { activity },
            clock: VirtualClock())
        let background = Background(of: store, coordinator, isActive)
        _ = ToDoApp().body
        _ = Root(model: AppModel()).body

        background.enterBackground()
        #expect(await UIApplication.shared.nextEnd() == 7)
        #expect(try await server.read { try $0.count(Query("ToDo")) } == 1)
        var changes = ChangeSet()
        try changes.put(
            Record("ToDo", in: Self.schema, ["id": .integer(9), "title": .string("tea"), "isDone": .bool(false)]))
        try await server.commit(changes)
        let task = BGAppRefreshTask()
        background.refresh(task)
        #expect(await task.nextEnd() == true)
        background.enterForeground()
        #expect(try await todos.count == 2)
        try await todos.insert(ToDo(id: 8, title: "eggs", due: nil, isDone: false))
        #expect(try await todos.count == 3)
        await store.close()
    }
}
