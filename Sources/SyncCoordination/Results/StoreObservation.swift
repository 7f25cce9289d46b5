import SyncPersistence

/// A value of a store: the present one, and then each later one.
///
/// ```swift
/// for try await todos in store.results(Query("ToDo", sort: [Query.SortKey("due")]), as: ToDo.self) {
///     show(todos.elements)
/// }
/// ```
///
/// The first value is that of the store when iteration begins. A later one follows a commit that changes it. No commit
/// is lost in between. Other commits produce no value.
///
/// A value is always that of the latest state. If several commits happen before the observer requests the next value, it
/// receives one value for all of them. Until then, the commits wait in memory.
///
/// A store publishes its own commits. It publishes a commit of another process to the
/// same file after `refresh()`, which a ``SyncCoordinator`` calls after each wake-up, or with its own next commit.
///
/// The sequence ends when the store is closed or the task is cancelled. If the value cannot be read, the sequence throws
/// and ends; the error is a `PersistenceError` unless the adapter documents others. A new iteration observes again.
/// Several iterations are independent of each other.
public struct StoreObservation<Value: Sendable>: AsyncSequence, Sendable {
    /// The type of the values.
    public typealias Element = Value

    private let store: any PersistenceAdapter
    /// Returns the state before the first reading.
    private let start: @Sendable () async throws -> any ObservedState<Value>

    /// Creates an observation.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - start: Returns the state before the first reading.
    init(of store: any PersistenceAdapter, from start: @escaping @Sendable () async throws -> any ObservedState<Value>)
    {
        self.store = store
        self.start = start
    }

    /// Returns an iterator of the values.
    public func makeAsyncIterator() -> AsyncIterator { makeAsyncIterator(after: nil, replacing: nil) }

    /// Returns an iterator of the values that follow a state.
    ///
    /// - Parameters:
    ///   - state: The state of this observation after which the iteration begins; nil for the present value first.
    ///   - former: The last state of another observation, which the present value replaces; nil if there is none.
    func makeAsyncIterator(
        after state: (any ObservedState<Value>)?, replacing former: (any ObservedState<Value>)?
    ) -> AsyncIterator {
        AsyncIterator(store: store, start: start, state: state, former: former)
    }

    /// The iterator of the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let store: any PersistenceAdapter
        /// Returns the state before the first reading.
        let start: @Sendable () async throws -> any ObservedState<Value>

        /// The state of the value that was returned last.
        private(set) var state: (any ObservedState<Value>)?

        /// The last state of the observation that this one replaces; nil after the first reading, or if there is none.
        private var former: (any ObservedState<Value>)?

        /// The commits since the first reading; nil before it.
        private var commits: AsyncStream<Commit>.AsyncIterator?

        /// The number of the last commit that the state includes.
        private var sequence: Int64?

        /// Whether the sequence has ended.
        private var isFinished = false

        init(
            store: any PersistenceAdapter, start: @escaping @Sendable () async throws -> any ObservedState<Value>,
            state: (any ObservedState<Value>)?, former: (any ObservedState<Value>)?
        ) {
            self.store = store
            self.start = start
            self.state = state
            self.former = former
        }

        /// Returns the next value; nil when the store is closed or the task is cancelled.
        ///
        /// - Throws: `PersistenceError` if the value cannot be read.
        public mutating func next() async throws -> Value? {
            if isFinished { return nil }
            do {
                if let value = try await nextValue() { return value }
            } catch let error where (error as? PersistenceError)?.code == .closed || error is CancellationError {
                // The end of the sequence.
            } catch {
                isFinished = true
                throw error
            }
            isFinished = true
            return nil
        }

        /// Waits for a commit that changes the value, and returns the new one; nil at the end.
        private mutating func nextValue() async throws -> Value? {
            // Before the first reading, so that no commit is lost in between.
            if commits == nil { commits = store.commits().makeAsyncIterator() }
            if sequence == nil, let value = try await update(after: nil) { return value }
            while let commit = await commits?.next() {
                guard let sequence, commit.sequence > sequence else { continue }
                let isDirect = commit.sequence == sequence + 1 && !commit.isOfOthers
                if isDirect, state?.receive(commit) == false {
                    self.sequence = commit.sequence
                } else if let value = try await update(after: isDirect ? commit.sequence : nil) {
                    return value
                }
            }
            return nil
        }

        /// Brings the state up to date, and returns the value if it has changed.
        ///
        /// - Parameter received: The number of the commit that the state has received; nil if commits are missing.
        private mutating func update(after received: Int64?) async throws -> Value? {
            var state: any ObservedState<Value>
            if let known = self.state {
                state = known
            } else {
                state = try await start()
                if let former { state.begin(after: former) }
            }
            let update = try await store.read { [state] transaction in
                var state = state
                let sequence = try transaction.sequence
                let value = try state.update(in: transaction, isPrepared: sequence == received)
                return Update(state: state, sequence: sequence, value: value)
            }
            state = update.state
            self.state = state
            former = nil
            sequence = update.sequence
            return update.value
        }

        private struct Update: Sendable {
            let state: any ObservedState<Value>
            let sequence: Int64
            let value: Value?
        }
    }
}
