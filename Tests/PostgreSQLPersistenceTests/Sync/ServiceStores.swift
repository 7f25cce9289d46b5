import PostgreSQLPersistence
import PostgreSQLTestSupport
import SyncPersistence
import Testing

/// The stores of services, for the suites of `StoreSyncTests` to which this folder has links.
enum ServiceStores {
    /// The seeds of random tests.
    static let seeds: Range<UInt64> = 0..<4

    /// Returns an empty store.
    static func make(_ schema: Schema) -> any PersistenceAdapter { LateStore(schema) }
}

extension Trait where Self == ConditionTrait {
    /// Skips the suites if the server is not installed.
    static var needsServiceStore: Self { .needsPostgreSQL }
}

/// A store in PostgreSQL that is created at its first use.
private struct LateStore: PersistenceAdapter {
    let schema: Schema
    private let opening: Task<PostgreSQLAdapter, any Error>

    /// The connections of all stores.
    private static let pool = Result { try PostgreSQLPool(TestCluster.shared.connection) }

    init(_ schema: Schema) {
        self.schema = schema
        opening = Task {
            try await PostgreSQLAdapter.open(
                on: Self.pool.get(), namespace: "service \(TestCluster.shared.nextNumber())", schema: schema)
        }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await opening.value.read(body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        try await opening.value.write(body)
    }

    func commits() -> AsyncStream<Commit> {
        let (commits, continuation) = AsyncStream.makeStream(of: Commit.self)
        let task = Task {
            for await commit in try await opening.value.commits() { continuation.yield(commit) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return commits
    }

    func add(_ entities: [Entity]) async throws { try await opening.value.add(entities) }

    func close() async { await (try? opening.value)?.close() }
}
