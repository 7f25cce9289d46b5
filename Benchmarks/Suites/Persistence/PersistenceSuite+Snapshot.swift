import BenchmarkSupport
import DifferentialSync
import SQLitePersistence
import SyncPersistence

extension PersistenceSuite {
    /// What a snapshot of which one record in a hundred differs changes, without writing.
    static func comparers(_ store: StoredRecords, _ raw: RawItems) -> [Contestant] {
        let adapter = store.adapter
        let stored = store.records
        let snapshot = stored.indices.map { position in
            var record = stored[position]
            if position % 100 == 99 { record["revision"] = -1 }
            return record
        }
        let digestSeed = unfailing {
            // The raw statements that ran before have stored no digests: each record is written anew.
            for revision in [-2, nil] as [Int64?] {
                var changes = ChangeSet(origin: .agreed)
                for var record in stored {
                    if let revision { record["revision"] = .integer(revision) }
                    changes.put(record)
                }
                adapter.commitNow(changes)
            }
            return try raw.digestSeed()
        }
        return [
            Contestant("keys and digests in one table", .bound, summary: { "\($0) differ" }) {
                raw.differing(from: snapshot, digestSeed: digestSeed)
            },
            Contestant("lookup per row", .peer, summary: { "\($0) differ" }) { raw.lookUp(snapshot) },
            Contestant(
                "diff(wins:loses:)", .ours, summary: { (diff: Diff<Record>?) in "\(diff?.replace.count ?? 0) differ" }
            ) {
                unfailing { try blocking { try await adapter.read { try $0.diff(wins: snapshot, loses: "Item") } } }
            },
        ]
    }
}
