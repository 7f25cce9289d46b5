import BenchmarkSupport
import DifferentialSyncTesting
import SyncPersistence

extension PersistenceSuite {
    /// Stores a first download, authors each with three posts, one record after the other in one transaction.
    static func downloaders(count: Int, _ origin: ChangeSet.Origin) -> [Contestant] {
        let records = Download.records(count: count)
        var store = StoreFile(schema: Download.schema)
        var raw: RawInserts?
        return [
            Contestant(
                "raw inserts", .bound,
                prepare: {
                    store = StoreFile(schema: Download.schema)
                    store.close()
                    raw = RawInserts(path: store.path, schema: Download.schema)
                }
            ) { raw?.store(records) },
            Contestant(
                "SQLiteAdapter", .ours,
                prepare: {
                    raw = nil
                    store = StoreFile(schema: Download.schema)
                }
            ) { Download.store(records, origin, in: store) },
        ]
    }
}
