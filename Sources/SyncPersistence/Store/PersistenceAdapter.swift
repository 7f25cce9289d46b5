/// A store of records.
///
/// Where records are stored depends on the adapter. Their meaning is the same in every adapter.
///
/// ```swift
/// let store = InMemoryAdapter(schema: schema)
/// var changes = ChangeSet()
/// try changes.put(Record("Note", in: schema, ["id": 1, "text": "milk"]))
/// let commit = try await store.commit(changes)
/// commit.inserted   // [Note 1]
/// ```
///
/// To write another adapter, implement ``RecordStorage`` and two functions that run a body on it. One runs in a
/// transaction that reads one state of the store, the other in a transaction that changes it as a whole or not at all.
/// `checkPersistenceAdapter` of `PersistenceAdapterTesting` checks the contract.
public protocol PersistenceAdapter: Sendable {
    /// The schema of the store.
    var schema: Schema { get }

    /// Reads one state of the store.
    ///
    /// No partial write is visible, and no writer waits.
    ///
    /// - Parameter body: Reads from the transaction, which is invalid afterwards.
    /// - Throws: The errors of the body; ``PersistenceError`` if the store cannot be read; `CancellationError`.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result

    /// Changes the store in one transaction, after earlier ones.
    ///
    /// If the body throws, nothing has changed. Otherwise all applied changes are stored together, and published to
    /// ``commits()``.
    ///
    /// - Parameter body: Reads from the transaction and applies changes to it.
    /// - Returns: The effective changes, and the result of the body.
    /// - Throws: The errors of the body; ``PersistenceError`` for changes that the schema does not allow, and if the
    ///   store cannot be written; `CancellationError`.
    @discardableResult
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result>

    /// Returns the commits of this adapter from now on, in their order.
    ///
    /// Each observer receives all of them, and a slow one does not block writers. A gap in the sequence numbers is a
    /// commit of another process to the same file; see ``refresh()``. The stream ends when the store is closed.
    func commits() -> AsyncStream<Commit>

    /// Returns an element after commits that change the store from now on.
    ///
    /// A slow observer receives one element for several commits. An adapter whose server announces commits includes those
    /// of other processes. The default implementation includes those of ``commits()``. The stream ends when the store is
    /// closed.
    func changes() -> AsyncStream<Void>

    /// Finds out whether other processes have made commits, and publishes a commit of others to ``commits()`` if so.
    ///
    /// Call it when another process may have written, such as after a notification of that process. The default
    /// implementation is for stores that only one adapter can write: it does nothing.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read; `CancellationError`.
    /// - Complexity: O(1)
    func refresh() async throws

    /// Adds entities to the schema and the store.
    ///
    /// Existing entities with the same definition do not change.
    ///
    /// - Throws: ``SchemaError`` if the schema would be inconsistent; ``PersistenceError`` if an entity exists with
    ///   another definition, or if the store cannot be written.
    func add(_ entities: [Entity]) async throws

    /// Closes the store after earlier calls have ended.
    ///
    /// Later calls throw a ``PersistenceError`` with the code ``PersistenceError/Code/closed``, and all streams of
    /// ``commits()`` end. Closing a closed store has no effect.
    func close() async
}

extension PersistenceAdapter {
    /// Does nothing.
    public func refresh() async throws {}

    /// Commits changes as a whole, or not at all.
    ///
    /// - Returns: The effective changes.
    /// - Throws: As ``write(_:)``.
    @discardableResult
    public func commit(_ changes: ChangeSet) async throws -> Commit {
        try await write { try $0.apply(changes) }.commit
    }

    /// Returns an element after commits of this adapter that change records.
    public func changes() -> AsyncStream<Void> {
        let commits = commits()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                for await commit in commits where commit.isOfOthers || !commit.changes.isEmpty { continuation.yield() }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
