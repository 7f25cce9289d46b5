package import SyncPersistence

/// A store whose content is a value: in memory, where each transaction runs at once, or in a file that it is read from.
///
/// A simulation puts the content of a state in, lets a device or a service work on it, and takes it out.
///
/// A failure is put in with the content. It occurs at the next commit that changes something, and is over then.
package struct SimulatedStore: PersistenceAdapter {
    /// The content and the failure, which transactions change.
    private let state: Locked<State>
    /// Wraps the storage of a write transaction, so that a test can plant a bug.
    private let wrap: @Sendable (any RecordStorage) -> any RecordStorage
    private let feed = CommitFeed()

    /// What a simulation puts in and takes out.
    struct State: Sendable {
        /// The content; that of the file after each transaction if there is one.
        var content: InMemoryContent

        /// The open store in a file; nil for a store in memory.
        var file: (any PersistenceAdapter)?

        /// The failure of the next commit that changes something.
        var failure: StoreFailure?

        /// The commits so far.
        var commits: [Commit] = []
    }

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - content: The content of the store, which is in memory.
    ///   - wrap: Returns the storage of a transaction that writes, which forwards to the given one.
    package init(
        _ content: InMemoryContent,
        through wrap: @escaping @Sendable (any RecordStorage) -> any RecordStorage = { $0 }
    ) {
        state = Locked(State(content: content))
        self.wrap = wrap
    }

    /// Puts a content in, with the file that has it and the failure of the next commit.
    func set(_ content: InMemoryContent, _ file: (any PersistenceAdapter)?, _ failure: StoreFailure?) {
        state.exchange(with: State(content: content, file: file, failure: failure))
    }

    /// The content, the failure and the commits so far.
    var current: State { state.current }

    /// The schema of the content that was put in.
    package var schema: Schema { state.current.content.schema }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        let current = state.current
        if let file = current.file { return try await file.read(body) }
        return try current.content.read(body)
    }

    @discardableResult
    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        let outcome =
            if let file = state.current.file {
                try await write(to: file, body)
            } else {
                try state.withLock { state in
                    try state.content.write(
                        failing: &state.failure, adding: &state.commits, through: wrap, body)
                }
            }
        feed.publish(outcome.commit)
        return outcome
    }

    /// Changes the file, reads its content, and fails at the commit if that was put in.
    private func write<Result: Sendable>(
        to file: any PersistenceAdapter, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        let outcome = try await file.write { [wrap, state] transaction in
            let written = try WriteTransaction.run(on: wrap(transaction.storage), body)
            if !written.commit.isEmpty, state.current.failure == .beforeCommit {
                state.withLock { $0.failure = nil }
                throw SimulatedFailure(failure: .beforeCommit(1))
            }
            return written
        }.result
        let content = try await InMemoryContent(of: file)
        let failure = state.withLock { state in
            state.content = content
            defer { if !outcome.commit.isEmpty { state.failure = nil } }
            state.commits.append(outcome.commit)
            return outcome.commit.isEmpty ? nil : state.failure
        }
        if failure != nil { throw SimulatedFailure(failure: .afterCommit(1)) }
        return outcome
    }

    package func commits() -> AsyncStream<Commit> { feed.commits() }

    package func add(_ entities: [Entity]) async throws {
        if let file = state.current.file {
            try await file.add(entities)
            let content = try await InMemoryContent(of: file)
            state.withLock { $0.content = content }
        } else {
            try state.withLock { try $0.content.add(entities) }
        }
    }

    package func close() async { feed.finish() }
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
    /// Adds the commit to a list, also if the caller receives an error after it.
    ///
    /// - Throws: ``SimulatedFailure``; and what the body throws.
    fileprivate mutating func write<Result>(
        failing failure: inout StoreFailure?, adding commits: inout [Commit],
        through wrap: (any RecordStorage) -> any RecordStorage,
        _ body: (WriteTransaction) throws -> Result
    ) throws -> WriteResult<Result> {
        var changed = self
        let outcome = try changed.write(through: wrap, body)
        guard let place = failure, !outcome.commit.isEmpty else {
            self = changed
            commits.append(outcome.commit)
            return outcome
        }
        failure = nil
        switch place {
        case .beforeCommit: throw SimulatedFailure(failure: .beforeCommit(1))
        case .afterCommit:
            self = changed
            commits.append(outcome.commit)
            throw SimulatedFailure(failure: .afterCommit(1))
        }
    }
}
