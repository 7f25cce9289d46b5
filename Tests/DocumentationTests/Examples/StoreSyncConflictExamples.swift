import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import Testing

/// The examples of `StoreSync` in which a person resolves conflicts of an app's own type.
struct StoreSyncConflictExamples {
    struct Task: Codable, Equatable, Identifiable {
        static let fields: [MergeField<Task>] = [MergeField("title", \.title), MergeField("priority", \.priority)]

        let id: Int
        var title: String
        var priority = 0
    }

    /// Two devices and the store of their service, which all have tasks.
    private struct World {
        let phone: InMemoryAdapter
        let laptop: InMemoryAdapter
        let service: SyncService
        let tasks: PersistentCollection<Task, Int>
        let others: PersistentCollection<Task, Int>

        init(_ schema: Schema) async throws {
            (phone, laptop) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
            let server = InMemoryAdapter(schema: schema)
            service = SyncService(server, account: "ada")
            tasks = try await phone.collection(of: Task.self, entity: "Task")
            others = try await laptop.collection(of: Task.self, entity: "Task")
            _ = try await server.collection(of: Task.self, entity: "Task")
        }

        /// Synchronizes the laptop, and then the phone, which has the conflicts.
        func sync() async throws {
            for device in [laptop, phone] { try await device.synchronize(with: service) }
        }

        /// Checks what both devices have after another cycle.
        func expect(_ titles: [String], _ priorities: [Int]) async throws {
            for device in [phone, laptop] { try await device.synchronize(with: service) }
            for collection in [tasks, others] {
                let stored = try await collection.elements().sorted { $0.id < $1.id }
                #expect(stored.map(\.title) == titles && stored.map(\.priority) == priorities)
            }
            #expect(try await phone.syncState.isSettled)
        }
    }

    private static func schema() throws -> Schema {
        try Schema {
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("priority", .integer)
            }
        }
    }

    // The person of these examples prefers the local title and the remote priority, and keeps all tasks.

    private func isLocal(_ field: String, _ task: Conflict<Task>) async -> Bool { field == "title" }

    private func isKept(_ task: Conflict<Task>) async -> Bool { true }

    func choice(of fields: [String], in task: Conflict<Task>) async -> Resolution<Task> {
        guard var merged = task.local, let remote = task.remote else {
            // One side has deleted the task. The other side has changed it, or other records need it.
            if await isKept(task) { return task.local == nil ? .remote : .local }
            return .delete
        }
        for field in fields {
            if await isLocal(field, task) { continue }
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
        let (phone, tasks) = (world.phone, world.tasks)
        try await tasks.upsert(contentsOf: [Task(id: 1, title: "Dig"), Task(id: 2, title: "Sow")])
        for _ in 0..<2 { try await world.sync() }
        try await tasks.edit(1) { ($0.title, $0.priority) = ("Dig deep", 1) }
        try await tasks.remove(2)
        try await world.others.edit(1) { ($0.title, $0.priority) = ("Dig wide", 2) }
        try await world.others.edit(2) { $0.title = "Sow early" }
        try await world.sync()

        var undoList: [ResolvedConflict] = []
        for conflict in try await phone.openConflicts {
            guard let task = try conflict.elements(of: tasks) else { continue }  // It is a record of another entity.
            let resolved = try await tasks.resolve(conflict, with: await choice(of: conflict.fields, in: task))
            undoList.append(resolved)
        }
        #expect(undoList.count == 2)
        try await world.expect(["Dig deep", "Sow early"], [2, 0])
    }

    @Test func aConflictOfAnElementThatIsStoredAsJSON() async throws {
        let world = try await World(Schema([]))
        try await world.tasks.insert(Task(id: 1, title: "Dig"))
        for _ in 0..<2 { try await world.sync() }
        try await world.tasks.edit(1) { $0.title = "Dig deep" }
        try await world.others.edit(1) { ($0.title, $0.priority) = ("Dig wide", 2) }
        try await world.sync()

        let conflict = try #require(try await world.phone.openConflicts.first)
        let tasks = world.tasks
        let task = try #require(try conflict.elements(of: tasks))
        let chosen = await choice(of: task.clashingFields(of: Task.fields), in: task)
        let policy = ConflictPolicy<Task>.mergingFields(Task.fields, otherwise: ConflictPolicy { _ in chosen })
        try await tasks.resolve(conflict, with: try policy.resolve(task))
        try await world.expect(["Dig deep"], [2])
    }

    @Test func commentsOfConflicts() async throws {
        let world = try await World(Self.schema())
        let (store, tasks) = (world.phone, world.tasks)
        try await tasks.insert(Task(id: 1, title: "Dig"))
        for _ in 0..<2 { try await world.sync() }
        try await tasks.edit(1) { $0.title = "Dig deep" }
        try await world.others.edit(1) { $0.title = "Dig wide" }
        try await world.sync()

        var shown: [String] = []
        func show(_ task: Conflict<Task>, _ fields: [String]) { shown += fields }
        for conflict in try await store.openConflicts {
            if let task = try conflict.elements(of: tasks) { show(task, conflict.fields) }
        }
        #expect(shown == ["title"])

        let conflict = try #require(try await store.openConflicts.first)
        if let task = try conflict.elements(of: tasks), var merged = task.local, let remote = task.remote {
            merged.title += ", \(remote.title)"
            try await tasks.resolve(conflict, with: .merged(merged))
        }
        try await world.expect(["Dig deep, Dig wide"], [0])
    }
}
