import BenchmarkSupport
import SyncPersistence

/// Records in an SQLite file, against the records of GRDB in a file with the same columns and settings.
enum GRDBSuite {
    static let name = "persistence"
    static let sparse = "change set from a remote, 1 % changed"
    static let remote = "change set from a remote, all changed"
    static let local = "change set made here, all changed"
    static let reading = "all records, streamed"

    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes {
            // The sparse change set comes first, while both files hold the same; GRDB takes minutes for a large one.
            let wanted = ((count > 100_000 ? [] : [sparse]) + [remote, local, reading])
                .filter { runner.wants(suite: name, workload: $0) }
            if wanted.isEmpty { continue }
            let store = StoredRecords(count: count)
            let peer = GRDBItems(path: "\(store.folder)/grdb.sqlite", items: store.records.map(GRDBItem.init))
            for workload in wanted {
                runner.run(
                    Line(suite: name, workload: workload, count: count, contestants: contestants(workload, store, peer))
                )
            }
        }
    }

    /// GRDB knows no origin of a change: it does the same for those of a remote and for those made here.
    private static func contestants(_ workload: String, _ store: StoredRecords, _ peer: GRDBItems) -> [Contestant] {
        switch workload {
        case sparse:
            let differing = (store.records.count + 99) / 100
            return [
                store.writer(.remote, every: 100),
                writer("GRDB, upsert", store, every: 100) { peer.upsert($0) },
                writer("GRDB, fetchOne, updateChanges", store, every: 100) {
                    peer.updateChanges($0, differing: differing)
                },
            ]
        case remote:
            return [
                store.writer(.remote), writer("GRDB, upsert", store) { peer.upsert($0) },
                writer("GRDB, prepared statement", store) { peer.upsertByStatement($0) },
            ]
        case local: return [store.writer(.local), writer("GRDB, upsert", store) { peer.upsert($0) }]
        default: return [store.reader(), Contestant("GRDB, cursor of records", .peer) { peer.readAll() }]
        }
    }

    /// Writes all records, of which the first of every `step` has changed.
    private static func writer(
        _ name: String, _ store: StoredRecords, every step: Int = 1, _ job: @escaping ([GRDBItem]) -> Void
    ) -> Contestant {
        var items: [GRDBItem] = []
        return Contestant(name, .peer, prepare: { items = store.edited(every: step).map(GRDBItem.init) }) { job(items) }
    }

    static let targets: [Target] = [100_000, 1_000_000].map { count in
        .atLeast(4, timesAsFastAs: "GRDB, upsert", "SQLiteAdapter", in: remote, count: count)
    }
}
