import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// A store with a schema of the tests' own.
final class SyncStore: Sendable {
    let adapter: any PersistenceAdapter

    init(_ kind: StoreKind = .allCases[0], _ schema: Schema) async throws {
        adapter = try await kind.store(schema)
    }

    /// Syncs JSON text.
    @discardableResult
    func sync(
        _ json: String, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await adapter.sync(
            json, into: entity, filter: filter, parent: parent, operations: operations, options: options)
    }

    /// The record with a key; nil if there is none.
    func record(_ entity: String, _ key: Value) async throws -> Record? {
        try await adapter.read { try $0.record(RecordID(entity, key)) }
    }

    /// A value of a record, null if there is none.
    func value(_ entity: String, _ key: Value, _ name: String) async throws -> Value {
        try await record(entity, key)?[name] ?? .null
    }

    /// The keys of an entity's records in order.
    func keys(_ entity: String) async throws -> [Value] {
        try await adapter.read { try $0.keys(of: entity) }.sorted(by: Value.areInIncreasingOrder)
    }

    /// The keys that a relationship leads to, in its order.
    func related(_ entity: String, _ key: Value, _ relationship: String) async throws -> [Value] {
        try await adapter.read { try $0.related(RecordID(entity, key), relationship) }
    }

    /// The keys that a relationship without an order leads to, sorted.
    func members(_ entity: String, _ key: Value, _ relationship: String) async throws -> [Value] {
        try await related(entity, key, relationship).sorted(by: Value.areInIncreasingOrder)
    }

    /// All records and links.
    func contents() async throws -> Set<[String]> {
        try await adapter.read { transaction in
            var contents: Set<[String]> = []
            for shape in transaction.schema.shapes
            where !shape.isAbstract && (shape.role == nil || shape.role == .links) {
                for record in try transaction.records(Query(shape.name)) where record.shape == shape {
                    contents.insert([shape.name] + record.values.map(\.description))
                }
            }
            return contents
        }
    }

    /// Gives a record other values.
    func update(_ entity: String, _ key: Value, _ values: [String: Value], origin: ChangeSet.Origin) async throws {
        var changes = ChangeSet(origin: origin)
        changes.update(RecordID(entity, key), values)
        try await adapter.commit(changes)
    }

    /// Stores records as local insertions.
    func put(_ entity: String, _ records: [[String: Value]], origin: ChangeSet.Origin = .local) async throws {
        let shape = try #require(adapter.schema[entity])
        var changes = ChangeSet(origin: origin)
        for values in records { changes.put(Record(shape, values)) }
        try await adapter.commit(changes)
    }
}

extension StoreKind {
    /// The kinds of stores for the rows of a long table: in a debug build, memory alone.
    ///
    /// ``SyncOddPayloadTests`` proves that stores end alike.
    static let ofTables: [StoreKind] = isFullScale ? allCases : [allCases[0]]
}

extension SyncOperations {
    /// All but the deletion of what a payload does not have.
    static let page = SyncOperations.all.subtracting(.delete)
}

extension Schema {
    /// Users with what belongs to them, what they share and what they name, each without and with a remote key.
    static func office() throws -> Schema { try madeOffice.get() }

    private static let madeOffice = Result {
        func entity(_ name: String, _ relationships: [Relationship]) -> Entity {
            Entity(
                name, attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("text", .string)],
                relationships: relationships)
        }
        return try Schema([
            entity(
                "User",
                [
                    Relationship("notes", toMany: "Note", inverse: "author"),
                    Relationship("letters", toMany: "Letter", inverse: "author", remoteKey: "post"),
                    Relationship("tags", toMany: "Tag", inverse: "users"),
                    Relationship("groups", toMany: "Group", inverse: "users", remoteKey: "team.groups"),
                    Relationship("badges", toMany: "Badge"),
                    Relationship("company", to: "Company", inverse: "users"),
                    Relationship("boss", to: "Boss", inverse: "users", remoteKey: "manager"),
                    Relationship("desk", to: "Desk", inverse: "user"),
                ]),
            entity(
                "Note",
                [
                    Relationship("author", to: "User", inverse: "notes"),
                    Relationship("comments", toMany: "Comment", inverse: "note"),
                ]),
            entity("Comment", [Relationship("note", to: "Note", inverse: "comments")]),
            entity("Letter", [Relationship("author", to: "User", inverse: "letters")]),
            entity("Tag", [Relationship("users", toMany: "User", inverse: "tags")]),
            entity("Group", [Relationship("users", toMany: "User", inverse: "groups")]),
            entity("Badge", []),
            entity("Company", [Relationship("users", toMany: "User", inverse: "company")]),
            entity("Boss", [Relationship("users", toMany: "User", inverse: "boss")]),
            entity("Desk", [Relationship("user", to: "User", inverse: "desk")]),
        ])
    }
}

extension SyncStore {
    /// Returns the office with two users.
    ///
    /// The first has 1 and 2 of each thing, the second 4, and 3 has no owner.
    static func office(_ kind: StoreKind = .allCases[0]) async throws -> SyncStore {
        let store = try await SyncStore(kind, .office())
        var changes = ChangeSet(origin: .remote)
        for entity in ["Note", "Letter", "Tag", "Group", "Badge", "Company", "Boss", "Desk"] {
            let shape = try #require(store.adapter.schema[entity])
            for key in 1...4 as ClosedRange<Int64> {
                changes.put(Record(shape, ["id": .integer(key), "text": .string("\(entity) \(key)")]))
            }
        }
        try await store.adapter.commit(changes)
        let objects = { (ids: [Int]) in "[" + ids.map { "{\"id\": \($0)}" }.joined(separator: ",") + "]" }
        let user = { (id: Int, ids: [Int]) in
            """
            {"id": \(id), "text": "User \(id)", "notes": \(objects(ids)), "post": \(objects(ids)),
             "tags": \(objects(ids)), "team": {"groups": \(objects(ids))}, "badges": \(objects(ids)),
             "company_id": \(ids[0]), "manager": \(ids[0]), "desk_id": \(ids[0])}
            """
        }
        let result = try await store.sync("[\(user(1, [1, 2])), \(user(2, [4]))]", into: "User")
        #expect(result.reports.isEmpty)
        return store
    }
}
