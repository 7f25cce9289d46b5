import SyncPersistence

/// Checks that a reader sees one committed state of the store, and nothing of unfinished transactions.
///
/// Each transaction sees one state of the store: the one at its beginning, and its own changes. Reads run beside a
/// write, or wait for it; both are correct.
///
/// If a check of this topic fails, a reader shares a connection, a cache or a cursor with the writer.
enum IsolationChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("isolation.stateOfAReader", stateOfAReader),
        ContractCheck("isolation.uncommittedChanges", uncommittedChanges),
        ContractCheck("isolation.halfOfATransaction", halfOfATransaction),
        ContractCheck("isolation.concurrentWriters", concurrentWriters),
    ]

    /// Makes a store with two accounts with a balance of 0.
    ///
    /// Other topics use it too.
    static func accounts(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Account") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("balance", .integer, isOptional: false, default: 0)
            }
        }
        try await store.put("Account", ["id": 1], ["id": 2])
        return store
    }

    /// Returns the balances of all accounts, in insertion order.
    ///
    /// Their sum is 0 in each committed state, so a reader that sees half of a transfer finds another sum.
    private static func balances(_ transaction: ReadTransaction) throws -> [Value] {
        try transaction.records(Query("Account")).map { $0["balance"] }
    }

    /// Checks that a read transaction sees the same state from beginning to end, while another call commits.
    ///
    /// Otherwise its records and counts would contradict each other.
    ///
    /// Look at the start of the snapshot: some databases take it at the first read, not at the beginning of the
    /// transaction.
    static func stateOfAReader(_ trial: Trial) async throws {
        let store = try await accounts(trial)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let hasWritten = Gate()
        async let seen = store.read { transaction in
            defer { begin.finish() }
            let before = try balances(transaction)
            begin.yield()
            // If writers wait for readers, the wait times out and the reader continues.
            hasWritten.wait()
            return [
                before, try balances(transaction), try transaction.keys(of: "Account"),
                [.integer(try transaction.sequence)], [.integer(Int64(try transaction.journal(of: "Account").count))],
            ]
        }
        for await _ in begun { break }
        try await store.change {
            $0.update(RecordID("Account", 1), ["balance": 5])
            $0.delete(RecordID("Account", 2))
            $0.put(store.make("Account", ["id": 3]))
        }
        hasWritten.open()
        trial.expect("what a reader sees that began before", try await seen, is: [[0, 0], [0, 0], [1, 2], [1], [2]])
        trial.expect("what one sees that begins afterwards", try await store.keys("Account"), is: [1, 3])
    }

    /// Checks that readers see no changes of a transaction that is later rolled back.
    ///
    /// An app would show a record that never existed, and could send it.
    ///
    /// Look at readers that share the connection of the writer, or a cache with it.
    static func uncommittedChanges(_ trial: Trial) async throws {
        let store = try await accounts(trial)
        let (changed, change) = AsyncStream<Void>.makeStream()
        let hasRead = Gate()
        async let writing: Void = {
            do {
                _ = try await store.adapter.write { transaction in
                    defer { change.finish() }
                    try transaction.change {
                        $0.update(RecordID("Account", 1), ["balance": 5])
                        $0.delete(RecordID("Account", 2))
                    }
                    change.yield()
                    // If readers wait for writers, the wait times out and the changes are rolled back.
                    hasRead.wait()
                    throw Stop()
                }
            } catch is Stop {}
        }()
        for await _ in changed { break }
        let seen = try await store.read { try balances($0) }
        hasRead.open()
        try await writing
        trial.expect("what a reader sees of changes that are never committed", seen, is: [0, 0])
        trial.expect("what is there afterwards", try await store.read { try balances($0) }, is: [0, 0])
    }

    /// Checks that readers never see one half of a transaction.
    ///
    /// Two balances change together, so their sum is always 0.
    ///
    /// Look at reads of several rows that are made one by one, outside of a transaction.
    static func halfOfATransaction(_ trial: Trial) async throws {
        let store = try await accounts(trial)
        let sums = try await withThrowingTaskGroup(of: [Value].self) { group in
            for number in 1...40 as ClosedRange<Int64> {
                group.addTask {
                    try await store.change {
                        $0.update(RecordID("Account", 1), ["balance": .integer(number)])
                        $0.update(RecordID("Account", 2), ["balance": .integer(-number)])
                    }
                    return []
                }
                group.addTask { try await store.read { try balances($0) } }
            }
            var sums: Set<Int64> = []
            for try await seen in group {
                guard case .integer(let one)? = seen.first, case .integer(let other)? = seen.last else { continue }
                sums.insert(one + other)
            }
            return sums
        }
        trial.expect("the sum of two that change together", sums, is: [0])
    }

    /// Checks that concurrent writers lose no updates, and that each commit has its own, increasing sequence number.
    ///
    /// Look at writers that read before they lock: both would read the old value, and one update would be lost.
    static func concurrentWriters(_ trial: Trial) async throws {
        let store = try await accounts(trial)
        let sequences = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for task in 0..<8 as Range<Int64> {
                group.addTask {
                    var sequences: [Int64] = []
                    for number in 0..<25 as Range<Int64> {
                        let commit = try await store.adapter.write { transaction in
                            var changes = ChangeSet()
                            changes.put(store.make("Account", ["id": .integer(100 + task * 25 + number)]))
                            // No other transaction may change the balance between this read and the write below.
                            guard case .integer(let sum)? = try transaction.record(RecordID("Account", 1))?["balance"]
                            else { return }
                            changes.update(RecordID("Account", 1), ["balance": .integer(sum + 1)])
                            try transaction.apply(changes)
                        }.commit
                        sequences.append(commit.sequence)
                    }
                    return sequences
                }
            }
            var all: [[Int64]] = []
            for try await sequences in group { all.append(sequences) }
            return all
        }
        let flat = sequences.flatMap(\.self)
        trial.expect("how many sequence numbers there are", Set(flat).count, is: 200)
        trial.expect("whether those of each writer increase", sequences.allSatisfy { $0 == $0.sorted() }, is: true)
        trial.expect("the last one", try await store.read { try $0.sequence }, is: flat.max() ?? 0)
        trial.expect("how many records are there", try await store.keys("Account").count, is: 202)
        trial.expect("what all have counted", try await store.value("Account", 1, "balance"), is: 200)
    }
}
