import Dispatch

/// A store in memory: for tests, previews, and what need not outlive the process.
///
/// ```swift
/// let store = InMemoryAdapter(schema: schema)
/// try await store.write { transaction in
///     var changes = ChangeSet()
///     changes.put(Record(transaction.schema["Note"]!, ["id": 1, "text": "milk"]))
///     try transaction.apply(changes)
/// }
/// let notes = try await store.read { try $0.records(Query("Note")) }
/// ```
///
/// Transactions that write run one after the other, in the order in which they were asked for. One that reads sees what
/// those have committed that were asked for earlier; it runs on a snapshot, at the same time as others, and no writer
/// waits for it.
///
/// A snapshot costs nothing; but while one is in use, the first change to a hierarchy of entities copies that hierarchy's
/// table. Without readers, a transaction costs what it changes, and so does rolling it back.
public final class InMemoryAdapter: PersistenceAdapter {
    /// What is stored; nil while a transaction is changing it.
    let state: Locked<InMemoryState?>

    private let currentSchema: Locked<Schema>
    private let isClosed = Locked(false)
    private let feed = CommitFeed()
    private let turns = DispatchQueue(label: "DifferentialSync.InMemoryAdapter.turns")
    private let readers = DispatchQueue(label: "DifferentialSync.InMemoryAdapter.readers", attributes: .concurrent)

    /// A store without records.
    public convenience init(schema: Schema) { self.init(state: InMemoryState(schema: schema)) }

    /// A store that holds a state.
    init(state: InMemoryState) {
        self.state = Locked(state)
        currentSchema = Locked(state.schema)
    }

    deinit { feed.finish() }

    /// The schema of the store, which grows by ``add(_:)``.
    public var schema: Schema { currentSchema.current }
}

extension InMemoryAdapter {
    /// Reads from a snapshot, which holds what has been committed by all that was asked for earlier.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await inTurn { [readers] resume in
            let snapshot = Locked<InMemoryState?>(self.committed)
            readers.async {
                // The snapshot is given up before the caller goes on, so that the next writer need not copy it.
                resume(
                    Swift.Result {
                        try ReadTransaction.run(on: InMemoryStorage(InMemoryAdapter.taken(from: snapshot)), body)
                    })
            }
        }
    }

    /// Changes the store by one transaction, after those that asked earlier.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (commit: Commit, result: Result) {
        try await inTurn { resume in resume(Swift.Result { try self.change(body) }) }
    }

    /// The commits from now on, in their order.
    public func commits() -> AsyncStream<Commit> { feed.commits() }

    private func change<Result>(
        _ body: (WriteTransaction) throws -> Result
    ) throws -> (commit: Commit, result: Result) {
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

    /// What is stored, while no transaction is changing it.
    private var committed: InMemoryState {
        guard let state = state.current else { preconditionFailure("the store is being changed") }
        return state
    }

    /// Takes a state out of its place, so that it can be changed without being copied.
    private static func taken(from place: Locked<InMemoryState?>) -> InMemoryState {
        guard let state = place.exchange(with: nil) else { preconditionFailure("the store is being changed") }
        return state
    }
}

extension InMemoryAdapter {
    /// Adds entities to the schema; those that are there already, as they are given, stay as they are.
    ///
    /// - Throws: ``SchemaError`` if the schema would not be sound; ``PersistenceError`` if an entity of that name is there
    ///   with another definition.
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
    /// Closes the store once the calls made before are done; later calls throw.
    public func close() async {
        await withCheckedContinuation { continuation in
            turns.async {
                self.isClosed.exchange(with: true)
                // After the last of the reads.
                self.readers.async(flags: .barrier) {
                    self.feed.finish()
                    continuation.resume()
                }
            }
        }
    }

    /// Runs work after all that was asked for earlier.
    ///
    /// - Parameter work: What to do; it calls back with its result, then or later.
    /// - Throws: What the work does; `CancellationError` if the task is cancelled before; ``PersistenceError`` if the
    ///   store is closed before.
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
