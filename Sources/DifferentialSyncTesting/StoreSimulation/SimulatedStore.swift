import SyncPersistence

/// A store in memory that runs each transaction at once, and whose content is a value.
///
/// A simulation puts the content of a state in, lets the service work on it, and takes it out.
struct SimulatedStore: PersistenceAdapter {
    private let state: Locked<State>
    private let feed = CommitFeed()

    private struct State: Sendable {
        var content: InMemoryContent
        var failure: StoreFailure?
        var commits: [Commit] = []
    }

    init(_ content: InMemoryContent) { state = Locked(State(content: content)) }

    var schema: Schema { state.current.content.schema }

    /// The content.
    var content: InMemoryContent {
        get { state.current.content }
        nonmutating set { state.withLock { $0.content = newValue } }
    }

    /// The failure of the next commit.
    var failure: StoreFailure? {
        get { state.current.failure }
        nonmutating set { state.withLock { $0.failure = newValue } }
    }

    /// Returns the commits since the last call.
    func takeCommits() -> [Commit] {
        state.withLock { state in
            defer { state.commits = [] }
            return state.commits
        }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try content.read(body)
    }

    @discardableResult
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        let outcome = try state.withLock { state in
            let outcome = try state.content.write(failing: &state.failure, body)
            state.commits.append(outcome.commit)
            return outcome
        }
        feed.publish(outcome.commit)
        return outcome
    }

    func commits() -> AsyncStream<Commit> { feed.commits() }

    func add(_ entities: [Entity]) async throws { try state.withLock { try $0.content.add(entities) } }

    func close() async { feed.finish() }
}

/// A failure of a store at its next commit that changes something.
public enum StoreFailure: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nothing of the transaction is stored.
    case beforeCommit
    /// All of the transaction is stored, and the caller receives an error.
    case afterCommit
}

extension InMemoryContent {
    /// Runs a body that changes the content, and fails at the commit if there is a failure, which is then over.
    ///
    /// - Throws: ``SimulatedFailure``; and what the body throws.
    mutating func write<Result>(
        failing failure: inout StoreFailure?, through wrap: (any RecordStorage) -> any RecordStorage = { $0 },
        _ body: (WriteTransaction) throws -> Result
    ) throws -> WriteResult<Result> {
        var changed = self
        let outcome = try changed.write(through: wrap, body)
        guard let place = failure, !outcome.commit.isEmpty else {
            self = changed
            return outcome
        }
        failure = nil
        switch place {
        case .beforeCommit: throw SimulatedFailure(failure: .beforeCommit(1))
        case .afterCommit:
            self = changed
            throw SimulatedFailure(failure: .afterCommit(1))
        }
    }
}
