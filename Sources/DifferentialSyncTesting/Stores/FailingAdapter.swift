public import SyncPersistence

/// A store that fails once, at a given place, and works before and afterwards.
///
/// ```swift
/// let store = FailingAdapter(InMemoryAdapter(schema: schema), at: .beforeCommit(2))
/// try await store.commit(first)
/// try await store.commit(second)   // throws SimulatedFailure, and nothing of it is stored
/// try await store.commit(second)
/// ```
///
/// `forEveryFailure` of `PersistenceAdapterTesting` tries one place after the other.
public struct FailingAdapter: PersistenceAdapter {
    /// The store that holds the records, and does not fail.
    public let base: any PersistenceAdapter

    /// Where it fails, or nil for nowhere.
    public let failure: Failure?

    /// Where a store fails.
    ///
    /// Places are counted from 1.
    public enum Failure: Hashable, Sendable {
        /// At the end of a transaction that has changed something: nothing of it is stored.
        case beforeCommit(Int)
        /// Just after the end of a transaction that has changed something.
        ///
        /// All of it is stored, and the caller cannot know.
        case afterCommit(Int)
        /// While a row is written, the library's own among them: nothing of its transaction is stored.
        case row(Int)
    }

    /// The numbers of commits and rows, by which the place is found.
    private let progress = Locked(Progress())
    /// Publishes the commits that are stored, among them one that fails for its caller.
    private let feed = OrderedFeed()
    private let watch: (@Sendable (_ hasFailed: Bool) async throws -> Void)?

    /// Creates a store that fails once.
    ///
    /// - Parameters:
    ///   - base: The store that holds the records.
    ///   - failure: The place of the failure; nil for a store that never fails, but counts its commits.
    public init(_ base: any PersistenceAdapter, at failure: Failure?) {
        self.init(base, at: failure, watch: nil)
    }

    /// Creates a store that fails once, and calls `watch` after each commit and after the failure.
    package init(
        _ base: any PersistenceAdapter, at failure: Failure?,
        watch: (@Sendable (_ hasFailed: Bool) async throws -> Void)?
    ) {
        self.base = base
        self.failure = failure
        self.watch = watch
    }
}

/// An error that a ``FailingAdapter`` throws at its place of failure.
public struct SimulatedFailure: Error, Hashable, Sendable {
    /// The place of the failure.
    public let failure: FailingAdapter.Failure

    /// Creates an error for a place of failure.
    public init(failure: FailingAdapter.Failure) { self.failure = failure }
}

extension FailingAdapter {
    /// The counts so far, and whether the store has failed.
    struct Progress {
        /// The transactions so far that changed something.
        var commits = 0
        /// The rows so far, also of transactions that were rolled back.
        var rows = 0
        /// Whether the place was reached, so that nothing fails any more.
        var hasFailed = false
    }

    /// The number of stored transactions that changed something.
    public var commitCount: Int { progress.current.commits }

    /// Whether the store has failed already.
    public var hasFailed: Bool { progress.current.hasFailed }
}

extension FailingAdapter {
    /// The schema of the store.
    public var schema: Schema { base.schema }

    /// Reads from one state of the store.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(body)
    }

    /// Changes the store by one transaction, or fails.
    ///
    /// - Throws: ``SimulatedFailure``; and what the store throws.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        let outcome: Outcome<Result>
        do {
            outcome = try await feed.publishing { take in
                try await base.write { transaction in
                    let outcome = try run(body, in: transaction)
                    take(outcome.written.commit)
                    return outcome
                }.result
            }
        } catch let error as SimulatedFailure {
            try await watch?(true)
            throw error
        }
        if failure == .afterCommit(outcome.number) {
            progress.withLock { $0.hasFailed = true }
            try await watch?(true)
            throw SimulatedFailure(failure: .afterCommit(outcome.number))
        }
        if outcome.number > 0 { try await watch?(false) }
        return outcome.written
    }

    /// Runs a body within a transaction of the store, or fails.
    ///
    /// The body runs in a transaction of its own over the same rows, so that its commit is known before the base
    /// store's.
    private func run<Result>(
        _ body: (WriteTransaction) throws -> Result, in transaction: WriteTransaction
    ) throws -> Outcome<Result> {
        let before = try transaction.sequence
        let storage = FailingStorage(transaction.storage, progress, failure)
        let written = try WriteTransaction.run(on: storage, body)
        if written.commit.sequence == before { return Outcome(written: written, number: 0) }
        let number = try progress.withLock { progress in
            let number = progress.commits + 1
            if failure == .beforeCommit(number), !progress.hasFailed {
                progress.hasFailed = true
                throw SimulatedFailure(failure: .beforeCommit(number))
            }
            progress.commits = number
            return number
        }
        return Outcome(written: written, number: number)
    }

    /// A write that has succeeded in the base store, and may fail for its caller.
    private struct Outcome<Result: Sendable>: Sendable {
        let written: WriteResult<Result>
        /// The number of the commit; 0 for one that has changed nothing.
        let number: Int
    }

    /// The commits from now on, in their order.
    public func commits() -> AsyncStream<Commit> { feed.commits() }

    /// Adds entities to the schema, which does not fail.
    public func add(_ entities: [Entity]) async throws { try await base.add(entities) }

    /// Closes the store, which does not fail.
    public func close() async {
        await base.close()
        feed.finish()
    }
}

/// Rows that fail when one of them is written.
private final class FailingStorage: ForwardingStorage {
    private let progress: Locked<FailingAdapter.Progress>
    private let failure: FailingAdapter.Failure?

    init(_ base: any RecordStorage, _ progress: Locked<FailingAdapter.Progress>, _ failure: FailingAdapter.Failure?) {
        self.progress = progress
        self.failure = failure
        super.init(base)
    }

    /// Counts a row, and throws if it is the place of failure.
    private func count() throws {
        try progress.withLock { progress in
            progress.rows += 1
            guard failure == .row(progress.rows), !progress.hasFailed else { return }
            progress.hasFailed = true
            throw SimulatedFailure(failure: .row(progress.rows))
        }
    }

    override func put(_ record: Record) throws -> Record? {
        try count()
        return try super.put(record)
    }

    override func insert(_ record: Record) throws {
        try count()
        try super.insert(record)
    }

    override func remove(_ key: Value, in hierarchy: Shape) throws -> Record? {
        try count()
        return try super.remove(key, in: hierarchy)
    }
}
