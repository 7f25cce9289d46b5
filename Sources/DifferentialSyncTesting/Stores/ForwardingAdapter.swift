public import SyncPersistence

/// A store that keeps its rows in another store, and replaces some operations of its storage.
///
/// Its transactions run within those of the other store, which commits or rolls back.
///
/// This store publishes the commits.
public struct ForwardingAdapter: PersistenceAdapter {
    /// The other store.
    private let base: any PersistenceAdapter

    private let wrap: @Sendable (any RecordStorage) -> any RecordStorage
    private let feed = OrderedFeed()

    /// Creates a store on the rows of another one, as the function replaces them.
    public init(
        _ base: any PersistenceAdapter, through wrap: @escaping @Sendable (any RecordStorage) -> any RecordStorage
    ) {
        self.base = base
        self.wrap = wrap
    }

    /// The schema of the other store.
    public var schema: Schema { base.schema }

    /// Reads from one state of the other store.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read { try ReadTransaction.run(on: wrap($0.storage), body) }
    }

    /// Changes the other store by one transaction.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        try await feed.publishing { take in
            try await base.write { transaction in
                let written = try WriteTransaction.run(on: wrap(transaction.storage), body)
                take(written.commit)
                return written
            }.result
        }
    }

    /// The commits from now on, in their order.
    public func commits() -> AsyncStream<Commit> { feed.commits() }

    /// Adds entities to the schema.
    public func add(_ entities: [Entity]) async throws { try await base.add(entities) }

    /// Closes both stores.
    public func close() async {
        await base.close()
        feed.finish()
    }
}
