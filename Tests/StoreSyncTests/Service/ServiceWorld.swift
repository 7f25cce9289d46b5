import StoreSync
import SyncPersistence
import Testing

/// A service over a store in memory, and devices that are driven by hand.
struct ServiceWorld: Sendable {
    static let schema = try! Schema {
        Entity("Project") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("name", .string, isOptional: false, default: "")
            Relationship("tasks", toMany: "Task", isOrdered: true, inverse: "project", deleteRule: .cascade)
            Relationship("bills", toMany: "Bill", inverse: "project", deleteRule: .deny)
        }
        Entity("Task") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string)
            Attribute("isDone", .bool, isOptional: false, default: false)
            Attribute("extra", .json)
            Relationship("project", to: "Project", inverse: "tasks")
            Relationship("tags", toMany: "Tag", inverse: "tasks")
            Relationship("parent", to: "Task", inverse: "children")
            Relationship("children", toMany: "Task", inverse: "parent")
        }
        Entity("Tag") {
            Attribute("name", .string, isPrimaryKey: true)
            Attribute("color", .string)
            Relationship("tasks", toMany: "Task", inverse: "tags")
        }
        Entity("Bill") {
            Attribute("year", .integer, isPrimaryKey: true)
            Attribute("number", .integer, isPrimaryKey: true)
            Relationship("project", to: "Project", inverse: "bills")
        }
        Entity("Person") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("name", .string)
            Relationship("desk", to: "Desk", inverse: "person", isOptional: false)
            Relationship("partner", to: "Person", inverse: "partner")
        }
        Entity("Desk") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("person", to: "Person", inverse: "desk")
        }
        Entity("Animal", isAbstract: true) { Attribute("id", .integer, isPrimaryKey: true) }
        Entity("Cat", parent: "Animal") { Attribute("lives", .integer) }
        Entity("Dog", parent: "Animal") { Attribute("name", .string) }
    }

    /// The entity of the links of tags, whose keys are tag and task.
    static let links = schema["Task"]!.relationship(named: "tags")!.linkShape

    let store: any PersistenceAdapter
    let service: SyncService

    init(
        _ store: any PersistenceAdapter = ServiceStores.make(schema), limits: SyncLimits = SyncLimits(),
        scopes: [SyncScope] = [], review: Review = .acceptAll
    ) {
        self.store = store
        service = SyncService(
            store, account: "ada", limits: limits, scopes: scopes, review: review, makeName: { "epoch" })
    }

    static var allEntities: [String: [String]] {
        Dictionary(uniqueKeysWithValues: (schema.shapes.map(\.name) + [links]).map { ($0, []) })
    }

    /// Changes the store as an app does.
    func edit(_ body: (inout ChangeSet) throws -> Void) async throws {
        var changes = ChangeSet()
        try body(&changes)
        try await store.commit(changes)
    }

    func records(_ entity: String) async throws -> [Record] { try await store.read { try $0.records(Query(entity)) } }

    func record(_ entity: String, _ key: Value) async throws -> Record? {
        try await store.read { try $0.record(RecordID(entity, key)) }
    }

    var content: [RecordID: Record] {
        get async throws {
            try await store.read { transaction in
                var content: [RecordID: Record] = [:]
                for entity in transaction.schema.shapes.filter(\.isRoot).map(\.name) + [Self.links] {
                    for record in try transaction.records(Query(entity)) {
                        content[RecordID(entity, record.key)] = record
                    }
                }
                return content
            }
        }
    }
}

extension ShapeRelationship {
    fileprivate var linkShape: String { if case .links(let name, _) = storage { name } else { "" } }
}

/// A device that sends messages, and applies nothing.
struct HandDevice {
    let service: SyncService
    let id: String
    var number: Int64 = 0
    var cursor: SyncCursor

    /// Introduces a device, whose position is the end of the history.
    init(_ id: String, to service: SyncService, scope: String? = nil) async throws {
        (self.service, self.id) = (service, id)
        let response = try await service.handshake(Self.request(id, scope: scope))
        cursor = SyncCursor(epoch: response.epoch, sequence: response.sequence)
    }

    static func request(_ id: String, _ cursor: SyncCursor? = nil, scope: String? = nil) -> HandshakeRequest {
        HandshakeRequest(
            device: id, cursor: cursor, lastPush: nil, entities: ServiceWorld.allEntities, scope: scope)
    }

    /// Sends the next push.
    mutating func push(_ mutations: Mutation...) async throws -> [PushResponse.Outcome] { try await push(mutations) }

    mutating func push(_ mutations: [Mutation]) async throws -> [PushResponse.Outcome] {
        number += 1
        let response = try await service.push(request(mutations))
        #expect(response.name.number == number)
        #expect(response.outcomes.count == mutations.count)
        return response.outcomes
    }

    func request(_ mutations: [Mutation], name: String? = nil) -> PushRequest {
        PushRequest(
            device: id, name: PushName(number: number, name: name ?? "push \(number)"), base: cursor,
            mutations: mutations)
    }

    /// Pulls one page from a position.
    func page(after sequence: Int64, limit: Int? = nil, comparison: Int64? = nil) async throws -> PullResponse {
        try await service.pull(
            PullRequest(
                device: id, cursor: SyncCursor(epoch: cursor.epoch, sequence: sequence), limit: limit,
                comparison: comparison))
    }

    /// Pulls all pages after the device's position.
    mutating func pull(limit: Int? = nil) async throws -> [PullResponse.Entry] {
        var entries: [PullResponse.Entry] = []
        var hasMore = true
        while hasMore {
            let page = try await page(after: cursor.sequence, limit: limit)
            #expect(page.cursor.sequence > cursor.sequence || !page.hasMore)
            entries += page.entries
            (cursor, hasMore) = (page.cursor, page.hasMore)
        }
        return entries
    }
}

extension Mutation {
    static func insert(_ entity: String, _ key: Value, _ values: [String: Value] = [:]) -> Mutation {
        Mutation(RecordID(entity, key), .insert(ValueObject(values)))
    }

    static func update(_ entity: String, _ key: Value, _ values: [String: Value]) -> Mutation {
        Mutation(RecordID(entity, key), .update(ValueObject(values)))
    }

    static func delete(_ entity: String, _ key: Value) -> Mutation { Mutation(RecordID(entity, key), .delete) }

    static func link(_ task: Value, _ tag: Value) -> Mutation { insert(ServiceWorld.links, [tag, task]) }
}

extension ValueObject {
    init(_ values: [String: Value]) {
        self.init(values.sorted { $0.key < $1.key }.map { ValueObject.Member(name: $0.key, value: $0.value) })
    }
}

extension PushResponse.Outcome {
    static let ok = PushResponse.Outcome.accepted()

    /// The code of a refusal.
    var code: String? { if case .refused(let code, _) = self { code } else { nil } }
}

extension PullResponse.Entry {
    /// The value of an attribute; nil for a record that is not there.
    subscript(name: String) -> Value? {
        if case .present(let values) = state { values[name] } else { nil }
    }
}
