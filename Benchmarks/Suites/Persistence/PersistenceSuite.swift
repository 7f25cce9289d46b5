import BenchmarkSupport
import SyncPersistence

/// Records in an SQLite file, against the same statements through SQLite's own functions.
enum PersistenceSuite {
    static let name = "persistence"
    static let remote = "change set from a remote, all changed"
    static let local = "change set made here, all changed"
    static let pending = "change set from a remote, all changed, a deletion pending"
    static let reading = "all records, streamed"
    static let snapshot = "snapshot, 1 % different"
    static let firstDownload = "new records from a remote, into an empty store"
    static let firstRecords = "new records made here, into an empty store"
    static let cycle = "durable cycle, 50 + 50 changes"
    static let opening = "opening a file"
    static let elements = "elements, all changed"
    static let columns = "elements by column, all changed"
    static let firstPush = "first push of all elements"
    static let queries = "queries that mean few records"

    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes where count >= 10_000 {
            for (workload, origin) in [(firstDownload, ChangeSet.Origin.remote), (firstRecords, .local)]
            where runner.wants(suite: name, workload: workload) {
                runner.run(
                    Line(suite: name, workload: workload, count: count, contestants: downloaders(count: count, origin)))
            }
            for (workload, contestants) in [
                (elements, elementWriters), (columns, columnWriters), (firstPush, firstPushes),
            ]
            where runner.wants(suite: name, workload: workload) {
                runner.run(Line(suite: name, workload: workload, count: count, contestants: contestants(count)))
            }
            if searchWorkloads.contains(where: { runner.wants(suite: name, workload: $0) }) {
                let file = taskFile(count: count)
                withExtendedLifetime(file) {
                    for search in searches(count: count) where runner.wants(suite: name, workload: search.name) {
                        runner.run(
                            Line(
                                suite: name, workload: search.name, count: count, divisor: searchCount,
                                contestants: searchers(search, in: file)))
                    }
                }
            }
            let wanted = [remote, local, pending, reading, snapshot, cycle, opening]
                .filter { runner.wants(suite: name, workload: $0) }
            if wanted.isEmpty { continue }
            let store = StoredRecords(count: count)
            let raw = RawItems(path: store.path)
            for (workload, origin) in [(remote, ChangeSet.Origin.remote), (local, .local)]
            where wanted.contains(workload) {
                runner.run(
                    Line(suite: name, workload: workload, count: count, contestants: writers(store, raw, origin)))
            }
            if wanted.contains(pending) {
                store.deleteOne()
                runner.run(
                    Line(suite: name, workload: pending, count: count, contestants: writers(store, raw, .remote)))
                store.forgetDeletion()
            }
            if wanted.contains(reading) {
                runner.run(Line(suite: name, workload: reading, count: count, contestants: readers(store, raw)))
            }
            if wanted.contains(snapshot) {
                runner.run(Line(suite: name, workload: snapshot, count: count, contestants: comparers(store, raw)))
            }
            for (workload, contestants) in [(cycle, cyclists), (opening, openers)] where wanted.contains(workload) {
                runner.run(
                    Line(suite: name, workload: workload, count: count, divisor: 1, contestants: contestants(store)))
            }
        }
    }

    private static func writers(_ store: StoredRecords, _ raw: RawItems, _ origin: ChangeSet.Origin) -> [Contestant] {
        var records: [Record] = []
        return [
            Contestant("raw upserts", .bound, prepare: { records = store.edited() }) { raw.store(records) },
            store.writer(origin),
        ]
    }

    private static func readers(_ store: StoredRecords, _ raw: RawItems) -> [Contestant] {
        [Contestant("raw steps", .bound) { raw.readAll() }, store.reader()]
    }

    static let targets: [Target] =
        [100_000, 1_000_000].flatMap { count -> [Target] in
            [
                .atMost(1.8, times: "raw upserts", "SQLiteAdapter", in: remote, count: count),
                .atMost(2.5, times: "raw upserts", "SQLiteAdapter", in: local, count: count),
                .atMost(2.0, times: "raw upserts", "SQLiteAdapter", in: pending, count: count),
                .atMost(1.4, times: "raw inserts", "SQLiteAdapter", in: firstDownload, count: count),
                .atMost(2.5, times: "raw inserts", "SQLiteAdapter", in: firstRecords, count: count),
                .atMost(2.5, times: "raw steps", "SQLiteAdapter", in: reading, count: count),
                .memory(atMost: Double(32 << 20) / Double(count), "SQLiteAdapter", in: reading, count: count),
                .atMost(3, times: "change set", "upsert(contentsOf:)", in: elements, count: count),
                .atMost(1.5, times: "records made of elements", "upsert(contentsOf:)", in: columns, count: count),
                .atMost(6, times: "upsert(contentsOf:)", "durable cycle", in: firstPush, count: count),
                .memory(atMost: 400, "durable cycle", in: firstPush, count: count),
                .atMost(2.0, times: "keys and digests in one table", "diff(wins:loses:)", in: snapshot, count: count),
            ]
        } + [
            .grows(atMost: 1.5, "durable cycle", in: cycle, from: 10_000, to: 1_000_000),
            .grows(atMost: 1.5, "SQLiteAdapter", in: opening, from: 10_000, to: 1_000_000),
        ]
        + searchWorkloads.map { workload -> Target in
            .atMost(2, times: "prepared statement", "records(_:)", in: workload, count: 1_000_000)
        }
}
