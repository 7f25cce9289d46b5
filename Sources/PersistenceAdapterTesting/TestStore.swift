import DifferentialSync
import SyncPersistence

/// A store with short words for what checks do to it.
struct TestStore: Sendable {
    let adapter: any PersistenceAdapter

    /// The schema that the store was made with.
    let schema: Schema
}

/// That a store does not have an entity that it was made with, or that was added: a check cannot go on.
struct MissingEntity: Error, CustomStringConvertible {
    let description: String
}

extension TestStore {
    /// Throws unless the store's schema has all entities of another one.
    func requireEntities(of schema: Schema) throws {
        let known = adapter.schema
        for shape in schema.shapes where known[shape.name] == nil {
            throw MissingEntity(description: "the schema of the store has no '\(shape.name)'")
        }
    }

    /// Adds entities to the store's schema.
    func add(_ entities: Entity...) async throws {
        try await adapter.add(entities)
        let known = adapter.schema
        for entity in entities where known[entity.name] == nil {
            throw MissingEntity(description: "the schema of the store has no '\(entity.name)' after it was added")
        }
    }
}

extension TestStore {
    /// A record of the store's schema.
    func make(_ entity: String, _ values: [String: Value]) -> Record {
        guard let shape = adapter.schema[entity] else { preconditionFailure("the check's schema has no '\(entity)'") }
        return Record(shape, values)
    }

    /// Commits changes.
    @discardableResult
    func change(origin: ChangeSet.Origin = .local, _ build: (inout ChangeSet) -> Void) async throws -> Commit {
        var changes = ChangeSet(origin: origin)
        build(&changes)
        return try await adapter.commit(changes)
    }

    /// Stores records of one entity.
    @discardableResult
    func put(
        _ entity: String, _ rows: [String: Value]..., origin: ChangeSet.Origin = .local
    ) async throws -> Commit {
        try await put(entity, rows: rows, origin: origin)
    }

    /// Stores records of one entity.
    @discardableResult
    func put(
        _ entity: String, rows: [[String: Value]], origin: ChangeSet.Origin = .local
    ) async throws -> Commit {
        try await change(origin: origin) { for row in rows { $0.put(make(entity, row)) } }
    }

    /// Changes values of a record.
    @discardableResult
    func update(
        _ entity: String, _ key: Value, _ values: [String: Value], origin: ChangeSet.Origin = .local
    ) async throws -> Commit {
        try await change(origin: origin) { $0.update(RecordID(entity, key), values) }
    }

    /// Deletes records.
    @discardableResult
    func delete(_ entity: String, _ keys: Value..., origin: ChangeSet.Origin = .local) async throws -> Commit {
        try await change(origin: origin) { for key in keys { $0.delete(RecordID(entity, key)) } }
    }
}

extension TestStore {
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await adapter.read(body)
    }

    func records(_ query: Query) async throws -> [Record] {
        try await read { try $0.records(query) }
    }

    /// The keys of what a query means, in its order.
    func keys(
        _ entity: String, where filter: Filter? = nil, sort: [Query.SortKey] = [], offset: Int = 0, limit: Int? = nil
    ) async throws -> [Value] {
        try await records(Query(entity, where: filter, sort: sort, offset: offset, limit: limit)).map(\.key)
    }

    func record(_ entity: String, _ key: Value) async throws -> Record? {
        try await read { try $0.record(RecordID(entity, key)) }
    }

    /// One value of a record; nil if the record is not there.
    func value(_ entity: String, _ key: Value, _ name: String) async throws -> Value? {
        try await record(entity, key)?[name]
    }

    func related(_ entity: String, _ key: Value, _ relationship: String) async throws -> [Value] {
        try await read { try $0.related(RecordID(entity, key), relationship) }
    }

    func entry(_ entity: String, _ key: Value) async throws -> JournalEntry? {
        try await read { try $0.journalEntry(RecordID(entity, key)) }
    }

    func dump() async throws -> StoreDump { try await StoreDump(of: adapter) }
}

extension Commit {
    /// The changes as text, such as `+User 7`, `-Post 1 (consequence)`, `User 7: name`; sorted.
    var summary: [String] {
        changes.map { change in
            let mark = change.isConsequence ? " (consequence)" : ""
            let id = change.id?.text ?? "nothing"
            if change.old == nil { return "+\(id)\(mark)" }
            if change.new == nil { return "-\(id)\(mark)" }
            return "\(id): \(change.changedNames.joined(separator: ", "))\(mark)"
        }.sorted()
    }
}

extension RecordID {
    /// Such as `User 7`.
    var text: String { "\(entity) \(RecordID.text(key))" }

    private static func text(_ key: Value) -> String {
        switch key {
        case .integer(let number): "\(number)"
        case .string(let text): text
        case .array(let parts): "[\(parts.map(text).joined(separator: ", "))]"
        default: "\(key)"
        }
    }
}
