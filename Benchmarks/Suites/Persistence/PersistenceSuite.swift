import BenchmarkSupport
import DifferentialSync
import SQLitePersistence
import SyncPersistence

/// Records in an SQLite file, against the same statements through SQLite's own functions.
enum PersistenceSuite {
    static let name = "persistence"
    static let remote = "change set from a remote, all changed"
    static let local = "change set made here, all changed"
    static let reading = "all records, streamed"
    static let snapshot = "snapshot, 1 % different"
    static let cycle = "durable cycle, 50 + 50 changes"
    static let opening = "opening a file"

    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes where count >= 10_000 {
            let wanted = (count < 10_000 ? [cycle, opening] : [remote, local, reading, snapshot, cycle, opening])
                .filter { runner.wants(suite: name, workload: $0) }
            if wanted.isEmpty { continue }
            let store = StoredRecords(count: count)
            for (workload, origin) in [(remote, ChangeSet.Origin.remote), (local, .local)]
            where wanted.contains(workload) {
                runner.run(
                    Line(suite: name, workload: workload, count: count, contestants: writers(store, origin)))
            }
            if wanted.contains(reading) {
                runner.run(Line(suite: name, workload: reading, count: count, contestants: readers(store)))
            }
            if wanted.contains(snapshot) {
                runner.run(Line(suite: name, workload: snapshot, count: count, contestants: comparers(store)))
            }
            for (workload, contestants) in [(cycle, cyclists), (opening, openers)] where wanted.contains(workload) {
                runner.run(
                    Line(suite: name, workload: workload, count: count, divisor: 1, contestants: contestants(store)))
            }
        }
    }

    private static func writers(_ store: StoredRecords, _ origin: ChangeSet.Origin) -> [Contestant] {
        var records: [Record] = []
        var changes = ChangeSet(origin: origin)
        let adapter = store.adapter
        return [
            Contestant("raw upserts", .bound, prepare: { records = store.edited() }) { store.raw.store(records) },
            Contestant(
                "SQLiteAdapter", .ours,
                prepare: {
                    changes = ChangeSet(origin: origin)
                    for record in store.edited() { changes.put(record) }
                    if origin == .local { settle(adapter) }
                }
            ) {
                let changes = changes
                let commit = unfailing { try blocking { try await adapter.commit(changes) } }
                precondition(commit.changes.count == changes.operations.count)
                return commit
            },
        ]
    }

    /// Empties the journal.
    private static func settle(_ adapter: SQLiteAdapter) {
        unfailing {
            try blocking {
                _ = try await adapter.write { transaction in
                    var changes = ChangeSet(origin: .agreed)
                    for entry in try transaction.journal(of: "Item") {
                        if let record = try transaction.record(entry.id) { changes.put(record) }
                    }
                    try transaction.apply(changes)
                }
            }
        }
    }

    private static func readers(_ store: StoredRecords) -> [Contestant] {
        let adapter = store.adapter
        return [
            Contestant("raw steps", .bound) { store.raw.readAll() },
            Contestant("SQLiteAdapter", .ours) {
                unfailing {
                    try blocking {
                        try await adapter.read { transaction in
                            var sum = 0
                            try transaction.forEach(Query("Item")) { record in
                                if case .integer(let revision) = record.values[3] { sum &+= Int(revision) }
                                return true
                            }
                            return sum
                        }
                    }
                }
            },
        ]
    }

    static let targets: [Target] =
        [100_000, 1_000_000].flatMap { count -> [Target] in
            [
                .atMost(1.8, times: "raw upserts", "SQLiteAdapter", in: remote, count: count),
                .atMost(2.5, times: "raw upserts", "SQLiteAdapter", in: local, count: count),
                .atMost(2.5, times: "raw steps", "SQLiteAdapter", in: reading, count: count),
                .memory(atMost: Double(32 << 20) / Double(count), "SQLiteAdapter", in: reading, count: count),
                .atMost(2.0, times: "keys and digests in one table", "diff(wins:loses:)", in: snapshot, count: count),
            ]
        } + [
            .grows(atMost: 1.5, "durable cycle", in: cycle, from: 10_000, to: 1_000_000),
            .grows(atMost: 1.5, "SQLiteAdapter", in: opening, from: 10_000, to: 1_000_000),
        ]
}
