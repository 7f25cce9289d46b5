import SyncPersistence

/// Checks that writes run in the order of the calls, and that each body runs at most once.
///
/// Writes run one after the other, in the order of their calls. A write that waits can be cancelled, and a write that
/// runs ends as a whole.
///
/// If a check of this topic does not end, a cancelled call keeps its turn, or a body that throws does not give it back.
enum TurnChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("turns.orderOfWriters", orderOfWriters),
        ContractCheck("turns.cancelledBeforeTheCall", cancelledBeforeTheCall),
        ContractCheck("turns.cancelledInTheQueue", cancelledInTheQueue),
        ContractCheck("turns.cancelledWhileRunning", cancelledWhileRunning),
        ContractCheck("turns.eachBodyOnce", eachBodyOnce),
        ContractCheck("turns.manyReaders", manyReaders),
        ContractCheck("turns.readersAfterErrors", readersAfterErrors),
    ]

    /// A write transaction that blocks all other writes until it is ended.
    ///
    /// A check uses it to let calls wait in the queue, in an order that it knows.
    private struct Occupation {
        /// The gate at which the body waits.
        private let gate = Gate()
        /// The transaction.
        ///
        /// Its result is false if the wait timed out.
        private let task: Task<Bool, any Error>

        /// Begins the transaction, and waits until its body runs.
        init(of store: TestStore) async {
            let (gate, begun) = (gate, Gate())
            task = Task {
                try await store.adapter.write { _ in
                    begun.open()
                    return gate.wait(for: Gate.patience)
                }.result
            }
            _ = await begun.opens()
        }

        /// Ends the transaction.
        ///
        /// Returns false if it had ended before, because the adapter blocked the caller in the meantime.
        func end() async throws -> Bool {
            gate.open()
            return try await task.value
        }
    }

    /// Checks that waiting writes commit in the order of their calls.
    ///
    /// An adapter that picks any of them would store an older edit after a newer one.
    ///
    /// Look at the queue of writers: a lock that wakes any waiter has no order.
    static func orderOfWriters(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        let occupation = await Occupation(of: store)
        let keys = Array(10..<20 as Range<Int64>)
        let tasks = keys.map { key in begin { try await store.put("Account", ["id": .integer(key)]).sequence } }
        // If the adapter blocks its callers, none of them had to wait for a turn.
        guard try await occupation.end() else { return }
        var sequences: [Int64] = []
        for task in tasks.compactMap(\.self) { sequences.append(try await task.value) }
        trial.expect("the numbers of the commits, in the order of the calls", sequences, is: sequences.sorted())
    }

    /// Checks that a call of a cancelled task throws `CancellationError` without running its body, and that the store
    /// stays usable.
    ///
    /// A task that was cancelled must not change anything any more.
    ///
    /// Look at the first line of `read` and `write`: it checks for cancellation before it waits.
    static func cancelledBeforeTheCall(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        let hasRun = Locked(false)
        func expectCancellation(_ subject: String, _ call: @escaping @Sendable () async throws -> Void) async {
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await call()
            }
            task.cancel()
            await expectCancelled(trial, subject, task)
        }
        await expectCancellation("a write of a cancelled task") {
            try await store.adapter.write { _ in _ = hasRun.exchange(with: true) }
        }
        trial.expect("whether its body was run", hasRun.exchange(with: false), is: false)
        await expectCancellation("a read of a cancelled task") {
            try await store.read { _ in _ = hasRun.exchange(with: true) }
        }
        trial.expect("whether its body was run", hasRun.current, is: false)
        try await store.put("Account", ["id": 4])
        trial.expect("what is written after it", try await store.keys("Account"), is: [1, 2, 4])
    }

    /// Checks that a write that is cancelled while it waits for its turn does not run.
    ///
    /// The writes after it must still run.
    ///
    /// Look at waiters that are removed from the queue: the turn must go to the next one.
    static func cancelledInTheQueue(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        let occupation = await Occupation(of: store)
        let hasRun = Locked(false)
        let cancelled = begin { _ = try await store.adapter.write { _ in _ = hasRun.exchange(with: true) } }
        let other = begin { try await store.put("Account", ["id": 4]) }
        cancelled?.cancel()
        guard try await occupation.end(), let cancelled, let other else { return }
        await expectCancelled(trial, "a write that was cancelled while it waited for its turn", cancelled)
        _ = try await other.value
        trial.expect("whether its body was run", hasRun.current, is: false)
        trial.expect("what was written after it", try await store.keys("Account"), is: [1, 2, 4])
    }

    /// Records a violation unless the task ended with a `CancellationError`.
    private static func expectCancelled(_ trial: Trial, _ subject: String, _ task: Task<Void, any Error>) async {
        switch await task.result {
        case .success: trial.report(subject, expected: "a CancellationError", found: "that it has run")
        case .failure(let error): trial.expect(subject, "\(type(of: error))", is: "CancellationError")
        }
    }

    /// Checks that a write that is cancelled while it runs is stored as a whole or not at all.
    ///
    /// The caller and the observers must learn the same outcome.
    ///
    /// Look at an operation of the database that is interrupted between its commit and the return.
    static func cancelledWhileRunning(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        let (begun, gate) = (Gate(), Gate())
        let stream = store.adapter.commits()
        let task = Task {
            try await store.adapter.write { transaction in
                try transaction.change { $0.put(store.make("Account", ["id": 3])) }
                begun.open()
                gate.wait()
            }.commit.sequence
        }
        _ = await begun.opens()
        task.cancel()
        gate.open()
        let outcome = await task.result
        let last = try await store.put("Account", ["id": 4]).sequence
        // Either outcome is correct, as long as the caller learns which one it is.
        var (keys, sequences) = ([1, 2, 4] as [Value], [last])
        if case .success(let sequence) = outcome { (keys, sequences) = ([1, 2, 3, 4], [sequence, last]) }
        trial.expect("what is stored of a write that ends as \(outcome)", try await store.keys("Account"), is: keys)
        let got = try await ObservingChecks.received(stream, through: last, from: store)
        trial.expect("what an observer gets of it", got.map(\.sequence), is: sequences)
    }

    /// Checks that bodies are never run twice, not even after an error or among concurrent writes.
    ///
    /// A retried body would count or send things twice.
    ///
    /// Look at transactions that are repeated after a conflict or a lost connection: take the lock first instead.
    static func eachBodyOnce(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        let count = Locked(0)
        func counted(_ body: @Sendable (@escaping @Sendable () -> Void) async throws -> Void) async throws -> Int {
            count.exchange(with: 0)
            try await body { count.withLock { $0 += 1 } }
            return count.current
        }
        let reads = try await counted { tally in try await store.read { _ in tally() } }
        trial.expect("how often the body of a read is run", reads, is: 1)
        let writes = try await counted { tally in
            try await store.adapter.write { transaction in
                tally()
                try transaction.change { $0.put(store.make("Account", ["id": 3])) }
            }
        }
        trial.expect("how often the body of a write is run", writes, is: 1)
        let failures = try await counted { tally in
            do {
                try await store.adapter.write { _ in
                    tally()
                    throw Stop()
                }
            } catch is Stop {}
        }
        trial.expect("how often one that throws is run", failures, is: 1)
        // Concurrent calls are not retried either.
        let meeting = try await counted { tally in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for key in 10..<30 as Range<Int64> {
                    group.addTask {
                        _ = try await store.adapter.write { transaction in
                            tally()
                            try transaction.change { $0.put(store.make("Account", ["id": .integer(key)])) }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        trial.expect("how often the bodies of twenty writes are run", meeting, is: 20)
    }

    /// Checks that several concurrent readers see a write that has returned.
    ///
    /// A pool of connections with old snapshots would return stale records.
    ///
    /// Look at connections that keep a snapshot after their last read.
    static func manyReaders(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        for number in 1...20 as ClosedRange<Int64> {
            try await store.update("Account", 1, ["balance": .integer(number)])
            // A write that has returned is visible to each of several concurrent readers.
            let seen = try await withThrowingTaskGroup(of: Value.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await store.value("Account", 1, "balance") ?? .null }
                }
                var seen: Set<Value> = []
                for try await value in group { seen.insert(value) }
                return seen
            }
            trial.expect("what readers see of a write that has returned", seen, is: [.integer(number)])
        }
        // A read that begins during another one sees what was written in between.
        let (begun, gate) = (Gate(), Gate())
        let reader = Task {
            try await store.read { _ in
                begun.open()
                // A store with a single connection correctly lets the writer wait.
                return gate.wait()
            }
        }
        _ = await begun.opens()
        let writer = Task { try await store.update("Account", 1, ["balance": 21]) }
        let later = Task {
            _ = try await writer.value
            return try await store.value("Account", 1, "balance")
        }
        let seen = try await later.value
        gate.open()
        _ = try await reader.value
        trial.expect("what a reader sees beside one that began before the write", seen, is: 21)
    }

    /// Checks that a read that throws releases its snapshot.
    ///
    /// A connection that keeps it would return old values to later reads.
    ///
    /// Look at the end of a read transaction in a `defer`.
    static func readersAfterErrors(_ trial: Trial) async throws {
        let store = try await IsolationChecks.accounts(trial)
        for number in 1...10 as ClosedRange<Int64> {
            for isInForEach in [false, true] {
                do {
                    try await store.read { transaction in
                        _ = try transaction.record(RecordID("Account", 1))
                        if isInForEach { try transaction.forEach(Query("Account")) { _ in throw Stop() } }
                        throw Stop()
                    }
                } catch is Stop {}
            }
            try await store.update("Account", 1, ["balance": .integer(number)])
            trial.expect(
                "what is read after a read that threw", try await store.value("Account", 1, "balance"),
                is: .integer(number))
        }
    }
}
