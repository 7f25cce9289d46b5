import DifferentialSyncTesting
import SyncPersistence
import Testing

struct DatabaseAdapter: PersistenceAdapter {
    let database: Database
    let feed = CommitFeed()

    var schema: Schema { database.schema }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await database.read { rows in try ReadTransaction.run(on: rows, body) }
    }

    @discardableResult
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (commit: Commit, result: Result) {
        try await database.write { rows in
            try WriteTransaction.run(on: rows, body)
        } committed: { outcome in
            feed.publish(outcome.commit)
        }
    }

    func commits() -> AsyncStream<Commit> { feed.commits() }

    func add(_ entities: [Entity]) async throws { try await database.add(entities) }
}

struct WritingAnAdapterExamples {
    @Test func contract() async throws {
        try await checkPersistenceAdapter { schema in
            DatabaseAdapter(database: Database(schema: schema))
        }
    }
}
