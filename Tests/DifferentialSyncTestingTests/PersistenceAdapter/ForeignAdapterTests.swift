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
// because: the lock is held wherever the variables are used.
private final class ArrayAdapter: PersistenceAdapter, @unchecked Sendable {
    private let lock = NSLock()
    private let feed = CommitFeed()
    private var current: Schema
    private var rows: [String: [Record]] = [:]

    init(schema: Schema) { current = schema }

    var schema: Schema { lock.withLock { current } }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try lock.withLock { try ReadTransaction.run(on: ArrayStorage(current, rows), body) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (commit: Commit, result: Result) {
        try Task.checkCancellation()
        return try lock.withLock {
            let storage = ArrayStorage(current, rows)
            let outcome = try WriteTransaction.run(on: storage, body)
            rows = storage.rows
            feed.publish(outcome.commit)
            return outcome
        }
    }

    func commits() -> AsyncStream<Commit> { feed.commits() }

    func add(_ entities: [Entity]) async throws {
        try lock.withLock {
            let known = Dictionary(uniqueKeysWithValues: current.entities.map { ($0.name, $0) })
            for entity in entities where known[entity.name] != nil && known[entity.name] != entity {
                throw PersistenceError(.schemaChange, "'\(entity.name)' is there, and is another")
            }
            current = try Schema(current.entities + entities.filter { known[$0.name] == nil })
        }
    }
}

private final class ArrayStorage: RecordStorage {
    let schema: Schema
    var rows: [String: [Record]]

    init(_ schema: Schema, _ rows: [String: [Record]]) {
        self.schema = schema
        self.rows = rows
    }

    func record(_ key: Value, in hierarchy: Shape) -> Record? {
        rows[hierarchy.root]?.first { $0.key == key }
    }

    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        try select(query, from: schema[query.entity].flatMap { rows[$0.root] } ?? [], body)
    }

    func put(_ record: Record) -> Record? {
        guard let place = rows[record.shape.root]?.firstIndex(where: { $0.key == record.key }) else {
            rows[record.shape.root, default: []].append(record)
            return nil
        }
        let old = rows[record.shape.root]?[place]
        rows[record.shape.root]?[place] = record
        return old
    }

    func remove(_ key: Value, in hierarchy: Shape) -> Record? {
        guard let place = rows[hierarchy.root]?.firstIndex(where: { $0.key == key }) else { return nil }
        return rows[hierarchy.root]?.remove(at: place)
    }
}
