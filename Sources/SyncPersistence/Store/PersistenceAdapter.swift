/// A store of records: where they are kept is the adapter's business, what they mean is the same in each.
///
/// ```swift
/// let store = InMemoryAdapter(schema: schema)
/// var changes = ChangeSet()
/// changes.put(Record(schema["Note"]!, ["id": 1, "text": "milk"]))
/// let commit = try await store.commit(changes)
/// commit.inserted   // [Note 1]
/// ```
///
/// Whoever writes another adapter makes a ``RecordStorage``, and two functions that run a body on it: in one
/// transaction that sees one state of the store, or in one that changes it as a whole or not at all. The suite
/// `checkPersistenceAdapter` of `DifferentialSyncTesting` tells whether it keeps the contract.
public protocol PersistenceAdapter: Sendable {
    /// The schema of the store.
    var schema: Schema { get }

    /// Reads from one state of the store; no writer is seen half done, and none waits.
    ///
    /// - Parameter body: What to read. The transaction ends with it, and is of no use afterwards.
    /// - Throws: What the body throws; ``PersistenceError`` if the store cannot be read; `CancellationError`.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result

    /// Changes the store by one transaction, after those that asked earlier.
    ///
    /// If the body throws, nothing has changed. Else all that it has applied is stored together, and published to
    /// ``commits()``.
    ///
    /// - Parameter body: What to read and to apply.
    /// - Returns: What has really changed, and what the body has answered.
    /// - Throws: What the body throws; ``PersistenceError`` for changes that the schema does not allow, and if the store
    ///   cannot be written; `CancellationError`.
    @discardableResult
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (commit: Commit, result: Result)

    /// The commits of this adapter from now on, in their order.
    ///
    /// Each observer gets every one of them, however slow it is, and keeps no writer waiting. A gap in the sequence
    /// numbers is what another process has committed to the same file. The stream ends when the store is closed; one of
    /// a closed store ends at once.
    func commits() -> AsyncStream<Commit>

    /// Adds entities to the schema, and room for them to the store. Those that are there already, as they are given,
    /// stay as they are.
    ///
    /// - Throws: ``SchemaError`` if the schema would not be sound; ``PersistenceError`` if an entity of that name is
    ///   there with another definition, or if the store cannot be written.
    func add(_ entities: [Entity]) async throws

    /// Closes the store once the calls made before are done.
    ///
    /// Later calls throw a ``PersistenceError`` with the code ``PersistenceError/Code/closed``, and all streams of
    /// ``commits()`` end. Closing a closed store changes nothing.
    func close() async
}

extension PersistenceAdapter {
    /// Commits changes as a whole, or not at all.
    ///
    /// - Returns: What has really changed.
    /// - Throws: As ``write(_:)``.
    @discardableResult
    public func commit(_ changes: ChangeSet) async throws -> Commit {
        try await write { try $0.apply(changes) }.commit
    }
}
