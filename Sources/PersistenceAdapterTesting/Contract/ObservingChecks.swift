import SyncPersistence

/// Checks that observers receive every commit, once and in order.
///
/// `commits()` returns a stream of all later commits, in their order. Its buffer is unbounded, because a lost commit
/// could not be found again.
///
/// An adapter that publishes by a `CommitFeed` after the commit, and before the call returns, passes these checks.
enum ObservingChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("observing.everyCommit", everyCommit),
        ContractCheck("observing.severalObservers", severalObservers),
        ContractCheck("observing.slowObserver", slowObserver),
        ContractCheck("observing.whatIsNoCommit", whatIsNoCommit),
        ContractCheck("observing.fromNowOn", fromNowOn),
        ContractCheck("observing.concurrentWriters", concurrentWriters),
        ContractCheck("observing.visibleCommits", visibleCommits),
        ContractCheck("observing.observerThatLeaves", observerThatLeaves),
    ]

    /// Returns the commits that a stream receives, up to the one with the sequence number `last`.
    ///
    /// If that commit does not arrive, the observer is cancelled after 500 more commits, so that the check always ends.
    static func received(
        _ stream: AsyncStream<Commit>, through last: Int64, from store: TestStore
    ) async throws -> [Commit] {
        let isDone = Flag()
        let task = Task {
            var commits: [Commit] = []
            for await commit in stream {
                if commit.sequence <= last { commits.append(commit) }
                if commit.sequence >= last { break }
            }
            await isDone.set()
            return commits
        }
        for number in 0..<500 {
            if await isDone.value { break }
            try await store.change { $0.setMetadata("later", "\(number)") }
        }
        task.cancel()
        return await task.value
    }

    /// A Boolean that tasks share.
    ///
    /// It is set when the observer has received the last expected commit.
    private actor Flag {
        private(set) var value = false
        func set() { value = true }
    }

    /// Checks that an observer receives what the callers of the commits received: changes, images, metadata and remote
    /// changes that wait.
    ///
    /// Views are updated from these values alone.
    ///
    /// Look at what is passed to `CommitFeed.publish`: the commit that `write` returns, unchanged.
    static func everyCommit(_ trial: Trial) async throws {
        let store = try await trial.notes()
        let stream = store.adapter.commits()
        var made: [Commit] = []
        made.append(try await store.put("Note", ["id": 1, "text": "a"], ["id": 2]))
        made.append(try await store.update("Note", 1, ["text": "b"]))
        made.append(try await store.change { $0.setMetadata("cursor", "1") })
        made.append(try await store.put("Note", ["id": 1, "text": "c"], origin: .remote))
        made.append(try await store.delete("Note", 1, 2))
        let got = try await received(stream, through: made.last?.sequence ?? 0, from: store)
        trial.expect("sequence numbers", got.map(\.sequence), is: made.map(\.sequence))
        trial.expect("changes", got.map(\.summary), is: made.map(\.summary))
        trial.expect("images", got.map { $0.changes.map(\.change) }, is: made.map { $0.changes.map(\.change) })
        trial.expect("metadata", got.map(\.metadata), is: made.map(\.metadata))
        trial.expect("what was held back", got.map(\.heldBack), is: made.map(\.heldBack))
    }

    /// Checks that each of several observers receives all commits.
    ///
    /// Each observer has a place of its own in the sequence.
    ///
    /// Look at streams that share one iterator.
    static func severalObservers(_ trial: Trial) async throws {
        let store = try await trial.notes()
        let streams = (0..<5).map { _ in store.adapter.commits() }
        var made: [Int64] = []
        for key in 0..<30 as Range<Int64> { made.append(try await store.put("Note", ["id": .integer(key)]).sequence) }
        for stream in streams {
            let got = try await received(stream, through: made.last ?? 0, from: store)
            trial.expect("sequence numbers", got.map(\.sequence), is: made)
        }
    }

    /// Checks that an observer that reads late receives everything, and that one that never reads delays no writer.
    ///
    /// A bounded buffer would lose commits; a blocking one would stop the app.
    ///
    /// Look at the buffering of the streams, if the adapter does not use `CommitFeed`.
    static func slowObserver(_ trial: Trial) async throws {
        let store = try await trial.notes()
        // `stream` is first read after all writes, and `forgotten` never.
        let stream = store.adapter.commits()
        let forgotten = store.adapter.commits()
        var made: [Int64] = []
        for key in 0..<2_000 as Range<Int64> {
            made.append(try await store.put("Note", ["id": .integer(key)]).sequence)
        }
        let got = try await received(stream, through: made.last ?? 0, from: store)
        trial.expect("sequence numbers", got.map(\.sequence), is: made)
        withExtendedLifetime(forgotten) {}
    }

    /// Checks that transactions that change nothing, or fail, are not published.
    ///
    /// Observers would reload views for nothing.
    ///
    /// Look at the sequence number: a commit without changes has that of the one before.
    static func whatIsNoCommit(_ trial: Trial) async throws {
        let store = try await trial.notes()
        let stream = store.adapter.commits()
        let first = try await store.put("Note", ["id": 1]).sequence
        try await store.put("Note", ["id": 1])
        try await store.delete("Note", 9)
        await trial.expectError(.missingRecord, "an update of no record") {
            try await store.change {
                $0.put(store.make("Note", ["id": 5]))
                $0.update(RecordID("Note", 9), ["text": "x"])
            }
        }
        let last = try await store.put("Note", ["id": 2]).sequence
        let got = try await received(stream, through: last, from: store)
        trial.expect("sequence numbers, without what changed nothing", got.map(\.sequence), is: [first, last])
    }

    /// Checks that an observer receives only the commits after the call of `commits()`.
    ///
    /// It reads earlier ones from the store.
    ///
    /// Look at when the stream is registered: in the call of `commits()`, not when it is iterated first.
    static func fromNowOn(_ trial: Trial) async throws {
        let store = try await trial.notes()
        try await store.put("Note", ["id": 1])
        let stream = store.adapter.commits()
        let last = try await store.put("Note", ["id": 2]).sequence
        let got = try await received(stream, through: last, from: store)
        trial.expect("what a later observer gets", got.map(\.summary), is: [["+Note 2"]])
    }

    /// Checks that commits of concurrent writers arrive in the order of their sequence numbers.
    ///
    /// A view applies changes one after the other, and would show an older value last.
    ///
    /// Look at where a commit is published: before the next writer may begin, not in the task of the caller.
    static func concurrentWriters(_ trial: Trial) async throws {
        let store = try await trial.notes()
        let stream = store.adapter.commits()
        let made = try await withThrowingTaskGroup(of: Int64.self) { group in
            for key in 0..<100 as Range<Int64> {
                group.addTask { try await store.put("Note", ["id": .integer(key)]).sequence }
            }
            var made: [Int64] = []
            for try await sequence in group { made.append(sequence) }
            return made.sorted()
        }
        let got = try await received(stream, through: made.last ?? 0, from: store)
        trial.expect("sequence numbers", got.map(\.sequence), is: made)
    }

    /// Checks that a commit is readable when an observer receives it.
    ///
    /// Otherwise an observer that reloads would read the old records.
    ///
    /// Look at the order of commit and publication, and at readers with an older snapshot.
    static func visibleCommits(_ trial: Trial) async throws {
        let store = try await trial.notes()
        let stream = store.adapter.commits()
        let isDone = Flag()
        let observer = Task {
            var early: [Int64] = []
            for await commit in stream {
                if try await store.read({ try $0.sequence }) < commit.sequence { early.append(commit.sequence) }
                if await isDone.value { break }
            }
            return early
        }
        for number in 0..<40 as Range<Int64> {
            // The commits are large enough to take time.
            try await store.put("Note", rows: (0..<50).map { ["id": .integer(number * 50 + $0), "text": "a"] })
        }
        await isDone.set()
        try await store.put("Note", ["id": -1])
        let isEnded = Gate()
        Task {
            _ = try? await observer.value
            isEnded.open()
        }
        if await !isEnded.opens() { observer.cancel() }
        trial.expect("the commits that are not there when they are published", try await observer.value, is: [])
    }

    /// Checks that a cancelled observer does not affect the others.
    ///
    /// A view that is closed while another one is visible cancels its stream.
    ///
    /// Look at the end of a stream that is removed while a commit is published.
    static func observerThatLeaves(_ trial: Trial) async throws {
        let store = try await trial.notes()
        let stream = store.adapter.commits()
        var made = [try await store.put("Note", ["id": 0]).sequence]
        for key in 1...3 as ClosedRange<Int64> {
            let leaving = Task { [stream = store.adapter.commits()] in for await _ in stream {} }
            leaving.cancel()
            await leaving.value
            made.append(try await store.put("Note", ["id": .integer(key)]).sequence)
        }
        made.append(try await store.put("Note", ["id": 4]).sequence)
        let got = try await received(stream, through: made.last ?? 0, from: store)
        trial.expect("the sequence numbers that another observer gets", got.map(\.sequence), is: made)
    }
}
