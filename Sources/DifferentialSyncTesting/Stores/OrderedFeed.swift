import SyncPersistence

/// Publishes the commits of transactions that another store runs: in the order of the transactions, each once it is
/// stored.
///
/// A store that wraps another one learns of a commit when the other one's write returns. Two writes may return in
/// another order than that of their transactions, so commits wait here for the earlier ones.
struct OrderedFeed: Sendable {
    private let feed = CommitFeed()
    private let state = Locked(State())

    private struct State: Sendable {
        /// How many commits were taken so far.
        var count = 0
        /// The number of the next commit to be published.
        var next = 0
        /// What became of later ones; nil for a commit that was not stored.
        var settled: [Int: Commit?] = [:]
        /// Whether the streams end after the commits that were taken.
        var isFinishing = false
    }

    /// Runs a write, and publishes what it has committed if it does not throw.
    ///
    /// - Parameter write: The write; it passes its commit to `take` at the end of the transaction, where writers take
    ///   turns.
    func publishing<Result>(
        _ write: (_ take: @escaping @Sendable (Commit) -> Void) async throws -> Result
    ) async throws -> Result {
        let taken = Locked<(number: Int, commit: Commit)?>(nil)
        do {
            let result = try await write { commit in
                let number = state.withLock { state in
                    defer { state.count += 1 }
                    return state.count
                }
                // A transaction that is run again stores what the last run has committed.
                if let (last, _) = taken.exchange(with: (number, commit)) { settle(last, nil) }
            }
            if let (number, commit) = taken.current { settle(number, commit) }
            return result
        } catch {
            if let (number, _) = taken.current { settle(number, nil) }
            throw error
        }
    }

    /// Publishes the commit, once those before it are, and those that have waited for it.
    private func settle(_ number: Int, _ commit: Commit?) {
        state.withLock { state in
            state.settled.updateValue(commit, forKey: number)
            while let next = state.settled.removeValue(forKey: state.next) {
                if let next { feed.publish(next) }
                state.next += 1
            }
            if state.isFinishing, state.next == state.count { feed.finish() }
        }
    }

    func commits() -> AsyncStream<Commit> { feed.commits() }

    /// Ends the streams, after the commits that were taken.
    ///
    /// A writer publishes its commit once the other store's write returns, which may be later than the end of that
    /// store's `close()`.
    func finish() {
        state.withLock { state in
            state.isFinishing = true
            if state.next == state.count { feed.finish() }
        }
    }
}
