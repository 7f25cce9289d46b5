import Dispatch

/// A store in memory, for tests, previews and data that need not outlive the process.
///
/// ```swift
/// let store = InMemoryAdapter(schema: schema)
/// try await store.write { transaction in
///     var changes = ChangeSet()
///     try changes.put(Record("Note", in: transaction.schema, ["id": 1, "text": "milk"]))
///     try transaction.apply(changes)
/// }
/// let notes = try await store.read { try $0.records(Query("Note")) }
/// ```
///
/// Transactions that write run one after the other, in the order of the calls. A transaction that reads includes the
/// commits of all earlier calls. It runs on a snapshot, concurrently with other transactions, and no writer waits for
/// it.
///
/// A snapshot costs nothing. While one is in use, the first change to a hierarchy of entities copies the table of that
/// hierarchy. Without readers, a transaction costs as much as its changes, and so does its rollback.
public final class InMemoryAdapter: PersistenceAdapter {
    /// The state of the store; nil while a transaction is changing it.
    let state: Locked<InMemoryState?>

    /// The schema, which grows when entities are added.
    private let currentSchema: Locked<Schema>
    /// Whether the store was closed.
    private let isClosed = Locked(false)
    /// Publishes commits to observers.
    private let feed = CommitFeed()
    /// The queue of write transactions, which run one after the other.
    private let turns = DispatchQueue(label: "DifferentialSync.InMemoryAdapter.turns")
    /// The queue of read transactions, which run at the same time.
    private let readers = DispatchQueue(label: "DifferentialSync.InMemoryAdapter.readers", attributes: .concurrent)

    /// Creates a store without records.
    public convenience init(schema: Schema) { self.init(state: InMemoryState(schema: schema)) }

    /// Creates a store with a state.
    init(state: InMemoryState) {
        self.state = Locked(state)
        currentSchema = Locked(state.schema)
    }

    deinit { feed.finish() }

    /// The schema of the store, which grows by ``add(_:)``.
    public var schema: Schema { currentSchema.current }
}

extension InMemoryAdapter {
    /// Reads from a snapshot, which includes the commits of all earlier calls.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await inTurn { [readers] resume in
            let snapshot = Locked<InMemoryState?>(self.committed)
            readers.async {
                // The snapshot is released before the caller resumes, so that the next writer need not copy it.
                resume(
                    Swift.Result {
                        try ReadTransaction.run(on: InMemoryStorage(InMemoryAdapter.taken(from: snapshot)), body)
                    })
            }
        }
    }

    /// Changes the store in one transaction, after those of earlier calls.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        try await inTurn { resume in resume(Swift.Result { try self.change(body) }) }
    }

    /// Returns the commits from now on, in their order.
    public func commits() -> AsyncStream<Commit> { feed.commits() }

    /// Runs a body on the state, and publishes its commit.
    ///
    /// If the body throws, its changes are undone. The state is taken out of the lock meanwhile, so that changed tables
    /// are not copied.
    private func change<Result>(
        _ body: (WriteTransaction) throws -> Result
    ) throws -> WriteResult<Result> {
        let storage = InMemoryStorage(InMemoryAdapter.taken(from: state))
        do {
            let outcome = try WriteTransaction.run(on: storage, body)
            storage.commit()
            state.exchange(with: storage.state)
            feed.publish(outcome.commit)
            return outcome
        } catch {
            storage.rollBack()
            state.exchange(with: storage.state)
            throw error
        }
    }

    /// The state of the store while no transaction is changing it.
    private var committed: InMemoryState {
        guard let state = state.current else { preconditionFailure("the store is being changed") }
        return state
    }

    /// Moves a state out of its place, so that it can be changed without a copy.
    private static func taken(from place: Locked<InMemoryState?>) -> InMemoryState {
        guard let state = place.exchange(with: nil) else { preconditionFailure("the store is being changed") }
        return state
    }
}

extension InMemoryAdapter {
    /// Adds entities to the schema.
    ///
    /// Existing entities with the same definition are not changed.
    ///
    /// - Throws: ``SchemaError`` if the new schema would be invalid; ``PersistenceError`` if an entity with the same
    ///   name has another definition.
    /// - Complexity: O(*n*) for *n* records
    public func add(_ entities: [Entity]) async throws {
        try await inTurn { resume in
            resume(
                Swift.Result {
                    let schema = try self.schema.adding(entities)
                    self.state.exchange(with: self.committed.adapted(to: schema))
                    self.currentSchema.exchange(with: schema)
                })
        }
    }
}

extension InMemoryAdapter {
    /// Closes the store after all earlier calls have finished; later calls throw.
    public func close() async {
        await withCheckedContinuation { continuation in
            turns.async {
                self.isClosed.exchange(with: true)
                // After the last read.
                self.readers.async(flags: .barrier) {
                    self.feed.finish()
                    continuation.resume()
                }
            }
        }
    }

    /// Runs work after that of all earlier calls.
    ///
    /// - Parameter work: The work. It calls its argument with the result, then or later.
    /// - Throws: The error of the work; `CancellationError` if the task is cancelled before the work;
    ///   ``PersistenceError`` if the store is closed before the work.
    private func inTurn<Result: Sendable>(
        _ work: @escaping @Sendable (_ resume: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void) -> Void
    ) async throws -> Result {
        let isCancelled = Locked(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                turns.async {
                    if isCancelled.current {
                        continuation.resume(throwing: CancellationError())
                    } else if self.isClosed.current {
                        continuation.resume(
                            throwing: PersistenceError(.closed, "the store in memory was closed: make another store"))
                    } else {
                        work { continuation.resume(with: $0) }
                    }
                }
            }
        } onCancel: {
            isCancelled.exchange(with: true)
        }
    }
}
