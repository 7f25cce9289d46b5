import StoreSync

/// Two devices and a service, whose tasks are elements of an app's own types.
struct TypedPlanner {
    /// A type with all that a task has, and keys that its record does not store.
    struct Task: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var title: String
        var priority: Int
        var tags: [String] = []
    }

    /// A type that reads a part of a task.
    struct Title: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var title: String
    }

    let phone: Device
    let laptop: Device
    let service: SyncService

    init() throws {
        func store() throws -> InMemoryAdapter {
            InMemoryAdapter(
                schema: try Schema([
                    Entity("Task") {
                        Attribute("id", .integer, isPrimaryKey: true)
                        Attribute("title", .string)
                        Attribute("priority", .integer)
                        Relationship("tags", toMany: "Tag", inverse: "tasks")
                    },
                    Entity("Tag") {
                        Attribute("id", .string, isPrimaryKey: true)
                        Attribute("color", .string)
                        Relationship("tasks", toMany: "Task", inverse: "tags")
                    },
                    Entity("Note") {
                        Attribute("id", .integer, isPrimaryKey: true)
                        Attribute("title", .string)
                    },
                    Entity("Memo", parent: "Note") { Attribute("room", .string) },
                ]))
        }
        (phone, laptop) = (try Device("phone", store()), try Device("laptop", store()))
        service = SyncService(try store(), account: "ada", makeName: Planner.names("epoch"))
    }

    func tasks(_ device: Device) async throws -> PersistentCollection<Task, Int> {
        try await device.store.collection(of: Task.self, entity: "Task")
    }

    /// The titles of the phone's tasks.
    func titles() async throws -> PersistentCollection<Title, Int> {
        try await phone.store.collection(of: Title.self, entity: "Task")
    }

    /// Synchronizes the laptop, then the phone.
    func syncBoth() async throws {
        for device in [laptop, phone] { try await device.sync(with: service) }
    }

    /// Gives both devices the tags `home` and `spring`, and a task.
    func share(tags: [String] = ["spring"]) async throws {
        try await laptop.edit { changes, schema in
            for name in ["home", "spring"] { try changes.put(Record("Tag", in: schema, ["id": .string(name)])) }
        }
        try await tasks(laptop).insert(Task(id: 1, title: "dig", priority: 1, tags: tags))
        try await syncBoth()
    }
}
