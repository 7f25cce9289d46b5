package import SyncPersistence

/// A store that calls functions around the transactions of another one.
package struct HookedAdapter: PersistenceAdapter {
    /// Runs around a transaction, which it can delay or fail.
    package typealias Hook = @Sendable () async throws -> Void

    private let base: any PersistenceAdapter
    private let closesBase: Bool
    private let willRead: Hook
    private let didRead: Hook
    private let willWrite: Hook

    /// Creates a store on the rows of another one.
    ///
    /// - Parameters:
    ///   - base: The other store.
    ///   - closesBase: Whether `close()` closes the other store; otherwise it does nothing.
    ///   - willRead: Is called before each read.
    ///   - didRead: Is called after each read.
    ///   - willWrite: Is called before each write.
    package init(
        _ base: any PersistenceAdapter, closesBase: Bool = true, willRead: @escaping Hook = {},
        didRead: @escaping Hook = {}, willWrite: @escaping Hook = {}
    ) {
        self.base = base
        self.closesBase = closesBase
        self.willRead = willRead
        self.didRead = didRead
        self.willWrite = willWrite
    }

    package var schema: Schema { base.schema }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await willRead()
        let result = try await base.read(body)
        try await didRead()
        return result
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        try await willWrite()
        return try await base.write(body)
    }

    package func commits() -> AsyncStream<Commit> { base.commits() }
    package func add(_ entities: [Entity]) async throws { try await base.add(entities) }
    package func close() async { if closesBase { await base.close() } }
}
