import BenchmarkSupport
import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence

extension PersistenceSuite {
    /// Edits and remote changes, and a cycle that persists each of its steps; only the cycle is timed.
    static func cyclists(_ store: StoredRecords) -> [Contestant] {
        let adapter = store.adapter
        let collection = unfailing {
            try blocking {
                // As if all records had been downloaded: what a first contact would compare is not what is measured.
                var changes = ChangeSet(origin: .agreed)
                let version = RemoteVersion(epoch: "1", commit: "0")
                changes.setMetadata(
                    "cycle.Item.version", String(decoding: try JSONEncoder().encode(version), as: UTF8.self))
                changes.setMetadata("cycle.Item.members", "")
                try await adapter.commit(changes)
                return try await adapter.recordCollection(of: "Item")
            }
        }
        var generator = SeededGenerator(seed: UInt64(store.records.count))
        var round = 0
        var remote = OneAnswer(changed: [], commit: "")
        return [
            Contestant(
                "durable cycle", .ours,
                prepare: {
                    round += 1
                    let picked = (0..<100).map { _ in
                        store.records[Int.random(in: store.records.indices, using: &generator)]
                    }
                    let edited = picked.map { record in
                        var record = record
                        record["revision"] = .integer(Int64(1_000_000 + round))
                        return record
                    }
                    var changes = ChangeSet()
                    for record in edited[..<50] { changes.put(record) }
                    adapter.commitNow(changes)
                    remote = OneAnswer(changed: Array(edited[50...]), commit: "\(round)")
                }
            ) {
                let answer = remote
                return unfailing {
                    try blocking { try await collection.synchronize(with: answer, policy: .localWins) }
                }
            }
        ]
    }

    /// Opens a file and closes it.
    static func openers(_ store: StoredRecords) -> [Contestant] {
        let path = store.path
        return [
            Contestant("SQLiteAdapter", .ours) {
                unfailing {
                    try blocking {
                        let adapter = try await SQLiteAdapter.open(at: path, schema: StoredRecords.schema)
                        await adapter.close()
                    }
                }
            }
        ]
    }
}

/// A remote that refuses the first push, answers one pull, and takes what is pushed then.
private struct OneAnswer: RemoteCollection {
    let changed: [Record]
    let commit: String

    var account: String { "account" }
    var recognizesPushes: Bool { true }

    func status(of pushID: String) -> PushStatus<Record> { .notApplied }

    func pull(since version: RemoteVersion?) -> Pull<Record, Value> {
        var seen: Set<Value> = []
        return .changes(
            changed: changed.filter { seen.insert($0.key).inserted }, deleted: [],
            RemoteVersion(epoch: "1", commit: "\(commit), pulled"))
    }

    func push(_ push: Push<Record>) -> PushAnswer<Record> {
        push.expected?.commit.hasSuffix("pulled") == true
            && push.expected?.commit == "\(commit), pulled"
            ? .accepted(RemoteVersion(epoch: "1", commit: commit)) : .refused
    }
}
