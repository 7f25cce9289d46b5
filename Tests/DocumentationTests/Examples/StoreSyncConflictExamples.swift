import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import Testing

/// The examples of `StoreSync` in which a person resolves conflicts of an app's own type.
struct StoreSyncConflictExamples {
    struct ToDo: Codable, Equatable, Identifiable {
        static let fields: [MergeField<ToDo>] = [MergeField("title", \.title), MergeField("priority", \.priority)]

        let id: Int
        var title: String
        var priority = 0
    }

    /// Two devices and the store of their service, which all have to-dos.
    private struct World {
        let phone: InMemoryAdapter
        let laptop: InMemoryAdapter
        let service: SyncService
        let todos: PersistentCollection<ToDo, Int>
        let others: PersistentCollection<ToDo, Int>

        init(_ schema: Schema) async throws {
            (phone, laptop) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
            let server = InMemoryAdapter(schema: schema)
            service = SyncService(server, account: "ada")
            todos = try await phone.collection(of: ToDo.self, entity: "ToDo")
            others = try await laptop.collection(of: ToDo.self, entity: "ToDo")
            _ = try await server.collection(of: ToDo.self, entity: "ToDo")
        }

        /// Synchronizes the laptop, and then the phone, which has the conflicts.
        func sync() async throws {
            for device in [laptop, phone] { try await device.synchronize(with: service) }
        }

        /// Checks what both devices have after another cycle.
        func expect(_ titles: [String], _ priorities: [Int]) async throws {
            for device in [phone, laptop] { try await device.synchronize(with: service) }
            for collection in [todos, others] {
                let stored = try await collection.elements().sorted { $0.id < $1.id }
                #expect(stored.map(\.title) == titles && stored.map(\.priority) == priorities)
            }
            #expect(try await phone.syncState.isSettled)
        }
    }

    private static func schema() throws -> Schema {
        try Schema {
            Entity("ToDo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("priority", .integer)
            }
        }
    }

    // The person of these examples prefers the local title and the remote priority, and keeps all to-dos.

    private func isLocal(_ field: String, _ todo: Conflict<ToDo>) async -> Bool { field == "title" }

    private func isKept(_ todo: Conflict<ToDo>) async -> Bool { true }

    func choice(of fields: [String], in todo: Conflict<ToDo>) async -> Resolution<ToDo> {
        guard var merged = todo.local, let remote = todo.remote else {
            // One side has deleted the to-do. The other side has changed it, or other records need it.
            if await isKept(todo) { return todo.local == nil ? .remote : .local }
            return .delete
        }
        for field in fields {
            if await isLocal(field, todo) { continue }
            switch field {
            case "title": merged.title = remote.title
            case "priority": merged.priority = remote.priority
            default: break  // The type does not read the attribute, whose local value is kept.
            }
        }
        return .merged(merged)
    }

    @Test func aConflictForAPerson() async throws {
        let world = try await World(Self.schema())
        let (phone, todos) = (world.phone, world.todos)
        try await todos.upsert(contentsOf: [ToDo(id: 1, title: "Dig"), ToDo(id: 2, title: "Sow")])
        for _ in 0..<2 { try await world.sync() }
        try await todos.edit(1) { ($0.title, $0.priority) = ("Dig deep", 1) }
        try await todos.remove(2)
        try await world.others.edit(1) { ($0.title, $0.priority) = ("Dig wide", 2) }
        try await world.others.edit(2) { $0.title = "Sow early" }
        try await world.sync()

        var undoList: [ResolvedConflict] = []
        for conflict in try await phone.openConflicts {
            guard let todo = try conflict.elements(of: todos) else { continue }  // It is a record of another entity.
            let resolved = try await todos.resolve(conflict, with: await choice(of: conflict.fields, in: todo))
            undoList.append(resolved)
        }
        #expect(undoList.count == 2)
        try await world.expect(["Dig deep", "Sow early"], [2, 0])
    }

    @Test func aConflictOfAnElementThatIsStoredAsJSON() async throws {
        let world = try await World(Schema([]))
        try await world.todos.insert(ToDo(id: 1, title: "Dig"))
        for _ in 0..<2 { try await world.sync() }
        try await world.todos.edit(1) { $0.title = "Dig deep" }
        try await world.others.edit(1) { ($0.title, $0.priority) = ("Dig wide", 2) }
        try await world.sync()

        let conflict = try #require(try await world.phone.openConflicts.first)
        let todos = world.todos
        let todo = try #require(try conflict.elements(of: todos))
        let chosen = await choice(of: todo.clashingFields(of: ToDo.fields), in: todo)
        let policy = ConflictPolicy<ToDo>.mergingFields(ToDo.fields, otherwise: ConflictPolicy { _ in chosen })
        try await todos.resolve(conflict, with: try policy.resolve(todo))
        try await world.expect(["Dig deep"], [2])
    }

    @Test func commentsOfConflicts() async throws {
        let world = try await World(Self.schema())
        let (store, todos) = (world.phone, world.todos)
        try await todos.insert(ToDo(id: 1, title: "Dig"))
        for _ in 0..<2 { try await world.sync() }
        try await todos.edit(1) { $0.title = "Dig deep" }
        try await world.others.edit(1) { $0.title = "Dig wide" }
        try await world.sync()

        var shown: [String] = []
        func show(_ todo: Conflict<ToDo>, _ fields: [String]) { shown += fields }
        for conflict in try await store.openConflicts {
            if let todo = try conflict.elements(of: todos) { show(todo, conflict.fields) }
        }
        #expect(shown == ["title"])

        let conflict = try #require(try await store.openConflicts.first)
        if let todo = try conflict.elements(of: todos), var merged = todo.local, let remote = todo.remote {
            merged.title += ", \(remote.title)"
            try await todos.resolve(conflict, with: .merged(merged))
        }
        try await world.expect(["Dig deep, Dig wide"], [0])
    }
}
