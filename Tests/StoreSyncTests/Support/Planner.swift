import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import TestSupport

/// A planner of two devices and a service: a tree of areas, projects with ordered tasks, and tags.
enum Planner {
    static func schema() throws -> Schema {
        try Schema([
            Entity("Area") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("parent", to: "Area", inverse: "children")
                Relationship("children", toMany: "Area", inverse: "parent", deleteRule: .cascade)
                Relationship("projects", toMany: "Project", inverse: "area")
            },
            Entity("Project") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Attribute("budget", .integer)
                Relationship("area", to: "Area", inverse: "projects")
                Relationship("tasks", toMany: "Task", isOrdered: true, inverse: "project", deleteRule: .cascade)
            },
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("isDone", .bool)
                Relationship("project", to: "Project", inverse: "tasks", isOptional: false)
                Relationship("tags", toMany: "Tag", inverse: "tasks")
            },
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("tasks", toMany: "Task", inverse: "tags")
            },
        ])
    }

    /// Returns a service over an empty store.
    static func service(
        limits: SyncLimits = SyncLimits(), scopes: [SyncScope] = [], review: Review = .acceptAll
    ) throws -> (store: any PersistenceAdapter, service: SyncService) {
        let store = ServiceStores.make(try schema())
        let service = SyncService(
            store, account: "ada", limits: limits, scopes: scopes, review: review, makeName: names("epoch"))
        return (store, service)
    }

    /// Returns a function that counts up names.
    static func names(_ prefix: String) -> @Sendable () -> String { countedNames(prefix) }
}

extension Schema {
    /// Returns a schema of notes, with or without a color.
    static func notes(withColor hasColor: Bool) throws -> Schema {
        try Schema([
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                if hasColor { Attribute("color", .string) }
            }
        ])
    }
}

/// A device with a planner.
struct Device {
    let name: String
    let store: any PersistenceAdapter
    private let names: @Sendable () -> String

    init(_ name: String, _ store: (any PersistenceAdapter)? = nil) throws {
        self.name = name
        self.store = try store ?? InMemoryAdapter(schema: Planner.schema())
        names = Planner.names(name)
    }

    /// Changes the planner locally.
    func edit(_ body: @escaping @Sendable (inout ChangeSet, Schema) throws -> Void) async throws {
        try await store.write { transaction in
            var changes = ChangeSet()
            try body(&changes, transaction.schema)
            try transaction.apply(changes)
        }
    }

    @discardableResult
    func sync(
        with remote: some Remote, _ policies: SyncPolicies = SyncPolicies(), scope: String? = nil
    ) async throws -> StoreSync.StoreOutcome {
        try await store.synchronize(with: remote, policies: policies, scope: scope, makeName: names)
    }

    func record(_ entity: String, _ key: Value) async throws -> Record? {
        try await store.read { try $0.record(RecordID(entity, key)) }
    }

    func value(_ entity: String, _ key: Value, _ name: String) async throws -> Value? {
        try await record(entity, key)?[name]
    }

    func related(_ entity: String, _ key: Value, _ relationship: String) async throws -> [Value] {
        try await store.read { try $0.related(RecordID(entity, key), relationship) }
    }
}
