import SyncPersistence

/// A store that is full when a test wants.
struct FullStore: PersistenceAdapter {
    let base: any PersistenceAdapter
    let isFull = Locked(false)

    init(_ base: any PersistenceAdapter) { self.base = base }

    var schema: Schema { base.schema }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { try await base.read(body) }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        if isFull.current { throw PersistenceError(.full, "the disk is full") }
        return try await base.write(body)
    }

    func commits() -> AsyncStream<Commit> { base.commits() }
    func add(_ entities: [Entity]) async throws { try await base.add(entities) }
    func close() async { await base.close() }
}
