import DifferentialSync
import SyncPersistence

/// A store with short functions for the operations of the checks.
///
/// ```
/// try await store.put("User", ["id": 7, "name": "Ada"], origin: .agreed)
/// try await store.update("User", 7, ["name": "Ada L."])
/// trial.expect("the name", try await store.value("User", 7, "name"), is: "Ada L.")
/// ```
///
/// Each function is one transaction of its own.
struct TestStore: Sendable {
    /// The adapter under test.
    let adapter: any PersistenceAdapter

    /// The schema that was passed to the adapter.
    ///
    /// Entities that were added later are missing in it.
    ///
    /// The schema of the adapter may have more entities than this one: checks of growth add them.
    let schema: Schema
}

/// An error that a body throws to abort its transaction.
///
/// It is of a type of the checks, so that an error of the adapter in its place is noticed.
struct Stop: Error {}

/// An error for a store that lacks an entity of its schema.
///
/// The check cannot continue.
///
/// It is a violation of the check, as each error is that a check throws.
struct MissingEntity: Error, CustomStringConvertible {
    /// The message, with the name of the entity.
    let description: String
}

extension TestStore {
    /// Throws `MissingEntity` unless the store has all entities of a schema.
    func requireEntities(of schema: Schema) throws {
        let known = adapter.schema
        for shape in schema.shapes where known[shape.name] == nil {
            throw MissingEntity(description: "the schema of the store has no '\(shape.name)'")
        }
    }

    /// Adds entities to the store's schema.
    ///
    /// Throws `MissingEntity` if one is missing afterwards.
    func add(_ entities: Entity...) async throws {
        try await adapter.add(entities)
        let known = adapter.schema
        for entity in entities where known[entity.name] == nil {
            throw MissingEntity(description: "the schema of the store has no '\(entity.name)' after it was added")
        }
    }
}

extension TestStore {
    /// Creates a record of an entity in the store's schema, without storing it.
    ///
    /// Values that are not given have their defaults.
    func make(_ entity: String, _ values: [String: Value]) -> Record {
        guard let shape = adapter.schema[entity] else { preconditionFailure("the check's schema has no '\(entity)'") }
        return Record(shape, values)
    }

    /// Builds a change set and commits it.
    @discardableResult
    func change(origin: ChangeSet.Origin = .local, _ build: (inout ChangeSet) -> Void) async throws -> Commit {
        var changes = ChangeSet(origin: origin)
        build(&changes)
        return try await adapter.commit(changes)
    }

    /// Inserts or replaces records of one entity in one commit.
    ///
    /// The rows are stored in their order, which is the order of insertion that queries without a sort key have.
    @discardableResult
    func put(
        _ entity: String, _ rows: [String: Value]..., origin: ChangeSet.Origin = .local
    ) async throws -> Commit {
        try await put(entity, rows: rows, origin: origin)
    }

    /// Inserts or replaces records of one entity in one commit.
    @discardableResult
    func put(
        _ entity: String, rows: [[String: Value]], origin: ChangeSet.Origin = .local
    ) async throws -> Commit {
        try await change(origin: origin) { for row in rows { $0.put(make(entity, row)) } }
    }

    /// Updates some values of a record.
    @discardableResult
    func update(
        _ entity: String, _ key: Value, _ values: [String: Value], origin: ChangeSet.Origin = .local
    ) async throws -> Commit {
        try await change(origin: origin) { $0.update(RecordID(entity, key), values) }
    }

    /// Deletes records of one entity in one commit.
    @discardableResult
    func delete(_ entity: String, _ keys: Value..., origin: ChangeSet.Origin = .local) async throws -> Commit {
        try await change(origin: origin) { for key in keys { $0.delete(RecordID(entity, key)) } }
    }
}

extension WriteTransaction {
    /// Builds a change set and applies it.
    func change(origin: ChangeSet.Origin = .local, _ build: (inout ChangeSet) throws -> Void) throws {
        var changes = ChangeSet(origin: origin)
        try build(&changes)
        try apply(changes)
    }
}

extension TestStore {
    /// Runs a body in a read transaction.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await adapter.read(body)
    }

    /// Returns the records of a query, in its order.
    func records(_ query: Query) async throws -> [Record] {
        try await read { try $0.records(query) }
    }

    /// Returns the keys of the records of a query, in its order.
    func keys(
        _ entity: String, where filter: Filter? = nil, sort: [Query.SortKey] = [], offset: Int = 0, limit: Int? = nil
    ) async throws -> [Value] {
        try await records(Query(entity, where: filter, sort: sort, offset: offset, limit: limit)).map(\.key)
    }

    /// Returns the record with a key; nil if there is none.
    func record(_ entity: String, _ key: Value) async throws -> Record? {
        try await read { try $0.record(RecordID(entity, key)) }
    }

    /// Returns one value of a record; nil if there is no such record.
    func value(_ entity: String, _ key: Value, _ name: String) async throws -> Value? {
        try await record(entity, key)?[name]
    }

    /// Returns the keys of the records that a relationship leads to, in its order.
    func related(_ entity: String, _ key: Value, _ relationship: String) async throws -> [Value] {
        try await read { try $0.related(RecordID(entity, key), relationship) }
    }

    /// Returns the journal entry of a record; nil if it has no local change.
    func entry(_ entity: String, _ key: Value) async throws -> JournalEntry? {
        try await read { try $0.journalEntry(RecordID(entity, key)) }
    }

    /// Returns the whole contents of the store.
    ///
    /// It includes the rows of the library: journal, links, history and metadata. Two dumps are compared to prove that
    /// a failure has changed nothing.
    ///
    /// - Complexity: O(size of the store)
    func dump() async throws -> StoreDump { try await StoreDump(of: adapter) }
}

extension Trial {
    /// Makes a store of notes with keys from 0, and stars that repeat 0, 1, 2.
    ///
    /// The stars are shared, so that queries have ties.
    ///
    /// - Parameters:
    ///   - count: The number of notes.
    ///   - isIndexed: Whether the attribute `stars` has an index.
    func notes(count: Int = 0, isIndexed: Bool = true) async throws -> TestStore {
        let store = try await store {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Attribute("stars", .integer, isIndexed: isIndexed)
            }
        }
        if count > 0 {
            let rows: [[String: Value]] = (0..<count).map {
                ["id": .integer(Int64($0)), "stars": .integer(Int64($0 % 3))]
            }
            try await store.put("Note", rows: rows)
        }
        return store
    }
}

extension Commit {
    /// The changes as sorted lines, such as `+User 7`, `-Post 1 (consequence)` and `User 7: name`.
    ///
    /// Sorting them makes a check independent of the order in which consequences were found.
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
    /// The entity and the key, such as `User 7`.
    var text: String { "\(entity) \(RecordID.text(key))" }

    /// Returns a key as short text: no quotation marks, and the parts of a composite key in brackets.
    private static func text(_ key: Value) -> String {
        switch key {
        case .integer(let number): "\(number)"
        case .string(let text): text
        case .array(let parts): "[\(parts.map(text).joined(separator: ", "))]"
        default: "\(key)"
        }
    }
}
