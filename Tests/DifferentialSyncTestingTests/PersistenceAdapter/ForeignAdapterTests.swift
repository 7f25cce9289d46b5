import DifferentialSyncTesting
import Foundation
import SyncPersistence
import Testing

/// An adapter that somebody else writes, by what is public alone, and with no more than it has to provide.
@Suite struct ForeignAdapterTests {
    @Test func contract() async throws {
        let report = try await checkPersistenceAdapter { ArrayAdapter(schema: $0) }
        #expect(report.isPassed, "\(report)")
    }
}

/// Keeps records in arrays.
// because: the lock is held wherever the variables are used; another one lets writers in one after the other.
private final class ArrayAdapter: PersistenceAdapter, @unchecked Sendable {
    private let lock = NSLock()
    private let turn = NSLock()
    private let feed = CommitFeed()
    private var current: Schema
    private var tables: [String: ArrayTable] = [:]

    init(schema: Schema) { current = schema }

    var schema: Schema { lock.withLock { current } }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try ReadTransaction.run(on: storage, body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (commit: Commit, result: Result) {
        try Task.checkCancellation()
        return try turn.withLock {
            let storage = storage
            let outcome = try WriteTransaction.run(on: storage, body)
            lock.withLock { tables = storage.tables }
            feed.publish(outcome.commit)
            return outcome
        }
    }

    private var storage: ArrayStorage { lock.withLock { ArrayStorage(current, tables) } }

    func commits() -> AsyncStream<Commit> { feed.commits() }

    func add(_ entities: [Entity]) async throws {
        try lock.withLock {
            let known = Dictionary(uniqueKeysWithValues: current.entities.map { ($0.name, $0) })
            for entity in entities where known[entity.name] != nil && known[entity.name] != entity {
                throw PersistenceError(.schemaChange, "'\(entity.name)' is there, and is another")
            }
            current = try Schema(current.entities + entities.filter { known[$0.name] == nil })
            // What is there has the shapes of the new schema from now on.
            for name in tables.keys {
                for (place, record) in (tables[name]?.rows ?? []).enumerated() {
                    guard let record, let shape = current[record.entity] else { continue }
                    tables[name]?.rows[place] = Record(shape, slots: record.values)
                }
            }
        }
    }
}

private final class ArrayStorage: RecordStorage {
    let schema: Schema
    var tables: [String: ArrayTable]

    init(_ schema: Schema, _ tables: [String: ArrayTable]) {
        self.schema = schema
        self.tables = tables
    }

    func record(_ key: Value, in hierarchy: Shape) -> Record? { tables[hierarchy.root]?[key] }

    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        let rows = schema[query.entity].flatMap { tables[$0.root]?.rows } ?? []
        try select(query, from: rows.lazy.compactMap { $0 }, body)
    }

    func put(_ record: Record) -> Record? { tables[record.shape.root, default: ArrayTable()].put(record) }

    func remove(_ key: Value, in hierarchy: Shape) -> Record? { tables[hierarchy.root]?.remove(key) }
}

/// The records of a hierarchy in the order of storing, with gaps for what was taken away.
private struct ArrayTable {
    var rows: [Record?] = []
    private var places: [Value: Int] = [:]

    subscript(key: Value) -> Record? { places[key].flatMap { rows[$0] } }

    mutating func put(_ record: Record) -> Record? {
        guard let place = places[record.key] else {
            places[record.key] = rows.count
            rows.append(record)
            return nil
        }
        defer { rows[place] = record }
        return rows[place]
    }

    mutating func remove(_ key: Value) -> Record? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        defer { rows[place] = nil }
        return rows[place]
    }
}
