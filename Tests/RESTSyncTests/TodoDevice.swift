import DifferentialSyncTesting
import RESTSync
import TestSupport

/// A device with lists of todos, and its mirror of the server.
struct TodoDevice {
    let store: any PersistenceAdapter
    let mirror: any PersistenceAdapter
    let remote: RESTRemote
    private let names: @Sendable () -> String

    /// - Parameters:
    ///   - isOrdered: Whether todos have an order in their list, and tags in their todo.
    ///   - hasColors: Whether tags have colors.
    ///   - note: The name of an attribute of todos that was `note` at first.
    ///   - noteType: The type of that attribute.
    ///   - noteDefault: The default of that attribute.
    ///   - hasPriority: Whether todos have another attribute, which is mandatory.
    static func schema(
        isOrdered: Bool = false, hasColors: Bool = false, note: String = "note", noteType: AttributeType = .string,
        noteDefault: Value = .null, hasPriority: Bool = false
    ) throws -> Schema {
        try Schema([
            Entity("List") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship(
                    "todos", toMany: "Todo", isOrdered: isOrdered, inverse: "list", deleteRule: .cascade)
            },
            Entity("Todo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute(note, noteType, default: noteDefault, renamedFrom: note == "note" ? nil : "note")
                Attribute("version", .integer)
                if hasPriority { Attribute("priority", .integer, isOptional: false) }
                Relationship("list", to: "List", inverse: "todos")
                Relationship("tags", toMany: "Tag", isOrdered: isOrdered, inverse: "todos")
            },
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                if hasColors { Attribute("color", .string) }
                Relationship("todos", toMany: "Todo", inverse: "tags")
            },
        ])
    }

    init(
        _ name: String, at server: FakeServer, _ store: (any PersistenceAdapter)? = nil,
        mirror: (any PersistenceAdapter)? = nil
    ) throws {
        self.store = try store ?? InMemoryAdapter(schema: Self.schema())
        self.mirror = try mirror ?? InMemoryAdapter(schema: Self.schema())
        names = countedNames(name)
        remote = RESTRemote(self.mirror, account: "ada", links: ["Todo.tags"]) {
            try await server.fetch(into: $0)
        } send: { change in
            try server.send(change)
        }
    }

    func edit(_ body: @escaping @Sendable (inout ChangeSet, Schema) throws -> Void) async throws {
        try await store.write { transaction in
            var changes = ChangeSet()
            try body(&changes, transaction.schema)
            try transaction.apply(changes)
        }
    }

    /// Adds a todo with an identifier of the device's own.
    func add(_ id: Int64, _ title: String) async throws {
        try await edit { changes, schema in
            try changes.put(Record("Todo", in: schema, ["id": .integer(id), "title": .string(title)]))
        }
    }

    @discardableResult
    func sync(_ policies: SyncPolicies = SyncPolicies()) async throws -> StoreSync.StoreOutcome {
        try await store.synchronize(with: remote, policies: policies, makeName: names)
    }

    /// The records of an entity, by key.
    func records(_ entity: String) async throws -> [Record] {
        try await store.read { try $0.records(Query(entity, sort: [Query.SortKey("id")])) }
    }

    func titles() async throws -> [Value] { try await records("Todo").map { $0["title"] } }

    func related(_ entity: String, _ key: Value, _ relationship: String) async throws -> [Value] {
        try await store.read { try $0.related(RecordID(entity, key), relationship) }
    }
}
