import SyncPersistence

/// Checks that a closed store has finished all earlier calls, refuses later ones, and ends the streams of its
/// observers.
///
/// Closing ends the use of a store in a defined order. First, the store finishes the calls that were made before. Then
/// observers receive their last commit. Last, the connections are closed.
///
/// If a check of this topic does not end, the adapter waits for a transaction that it no longer runs, or keeps a stream
/// of commits open.
enum ClosingChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("closing.laterCalls", closesStores: true, laterCalls),
        ContractCheck("closing.twice", closesStores: true, twice),
        ContractCheck("closing.observers", closesStores: true, observers),
        ContractCheck("closing.laterObservers", closesStores: true, laterObservers),
        ContractCheck("closing.earlierCalls", closesStores: true, earlierCalls),
    ]

    /// Checks that calls after `close()` throw `.closed`, and that their bodies do not run.
    ///
    /// A body that runs after the closing would read freed memory, or a file that another process has replaced.
    ///
    /// Look at calls that are queued while the store closes: they must be refused, not run on a closed connection.
    static func laterCalls(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        await store.adapter.close()
        let hasRun = Locked(false)
        await trial.expectError(.closed, "a read") { try await store.read { _ in _ = hasRun.exchange(with: true) } }
        await trial.expectError(.closed, "a write") {
            try await store.adapter.write { _ in _ = hasRun.exchange(with: true) }
        }
        await trial.expectError(.closed, "an addition") { try await store.adapter.add([Entity("Other")]) }
        trial.expect("whether a body was run", hasRun.current, is: false)
    }

    /// Checks that closing again, also concurrently, returns.
    ///
    /// A second call that waits forever would hang the app when it quits.
    ///
    /// Look at what a second `close()` waits for: the first may have removed it already.
    static func twice(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        let closed = Gate()
        let task = Task {
            async let one: Void = store.adapter.close()
            async let other: Void = store.adapter.close()
            _ = await (one, other)
            await store.adapter.close()
            closed.open()
        }
        if await !closed.opens() { trial.report("closing a closed store", expected: "an end", found: "none") }
        task.cancel()
    }

    /// Checks that observers receive all commits before the end of their stream.
    ///
    /// A stream that ends early would leave a view without the last change.
    ///
    /// Look at the order in which `close()` finishes the `CommitFeed` and waits for writers: the writers come first.
    static func observers(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        let streams = (0..<3).map { _ in store.adapter.commits() }
        let made = try await store.put("Account", ["id": 3]).sequence
        await store.adapter.close()
        for stream in streams {
            guard let commits = await all(trial, of: stream) else { return }
            trial.expect("what an observer gets", commits.map(\.sequence), is: [made])
        }
    }

    /// Checks that streams of a closed store end at once, without commits.
    ///
    /// A `for await` over them would otherwise never end.
    ///
    /// Look at `commits()` after `CommitFeed.finish()`.
    static func laterObservers(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        await store.adapter.close()
        for _ in 0..<2 {
            let stream = store.adapter.commits()
            guard let commits = await all(trial, of: stream) else { return }
            trial.expect("what a later observer gets", commits.map(\.sequence), is: [])
        }
    }

    /// Returns all commits of a stream up to its end; records a violation and returns nil if it does not end.
    ///
    /// The wait has a limit, because a stream that never ends would otherwise stop the tests of an adapter without a
    /// word. A check ends at the first such stream, because each further one would take as long.
    private static func all(_ trial: Trial, of stream: AsyncStream<Commit>) async -> [Commit]? {
        let ended = Gate()
        let task = Task {
            var commits: [Commit] = []
            for await commit in stream { commits.append(commit) }
            ended.open()
            return commits
        }
        if await ended.opens() { return await task.value }
        trial.report("the commits of a closed store", expected: "that they end", found: "that they do not")
        task.cancel()
        return nil
    }

    /// Checks that `close()` waits for transactions that were called before it, running or queued, and that their
    /// commits are published.
    ///
    /// An app closes its store when it is suspended. Changes that it has made just before must be stored.
    ///
    /// Look at how `close()` knows the calls before it: one that was called and has not begun counts too.
    static func earlierCalls(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        let (begun, gate) = (Gate(), Gate())
        let stream = store.adapter.commits()
        let running = Task {
            try await store.adapter.write { transaction in
                begun.open()
                let isInTime = gate.wait(for: Gate.patience)
                try transaction.change { $0.put(store.make("Account", ["id": 3])) }
                return isInTime
            }
        }
        _ = await begun.opens()
        let waiting = begin { try await store.put("Account", ["id": 4]).sequence }
        let closing = begin { await store.adapter.close() }
        gate.open()
        let written = try await running.value
        guard let waiting, let closing, written.result else { return }
        try await closing.value
        switch await waiting.result {
        case .success(let sequence):
            let got = await all(trial, of: stream)
            trial.expect("what an observer gets", got?.map(\.sequence), is: [written.commit.sequence, sequence])
        case .failure(let error):
            trial.report("a write that was called before", expected: "that it is done", found: "\(error)")
        }
    }
}
