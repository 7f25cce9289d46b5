import DifferentialSync
import SyncPersistence

extension ReadTransaction {
    /// Returns the entries with a waiting version of the remote whose records have no local change.
    func waitingEntries(_ shapes: SyncedShapes) throws -> [JournalEntry] {
        try shapes.roots.flatMap { root in
            try unsettledEntries(of: root).filter { try record($0.rootID(root)) == $0.base }
        }
    }

    /// Returns the records that wait for others which are missing, in a stable order.
    func parkedRecords(_ shapes: SyncedShapes) throws -> [RecordID] {
        try waitingEntries(shapes).filter { $0.remote != nil }.map(\.id).sorted(by: RecordID.areInIncreasingOrder)
    }

    /// Returns the unsettled entries whose remote versions refer to missing records, by these records.
    ///
    /// - Complexity: O(number of unsettled records)
    func unsettledReferrers() throws -> [RecordID: [RecordID]] {
        var referrers: [RecordID: [RecordID]] = [:]
        for root in SyncedShapes(schema, remote: nil).roots {
            for entry in try unsettledEntries(of: root) {
                for target in Set(entry.remote?.references(in: schema).map(\.target) ?? [])
                where try record(target) == nil {
                    referrers[target, default: []].append(entry.rootID(root))
                }
            }
        }
        return referrers
    }

    /// Returns the conflicts that no policy has resolved, in a stable order.
    ///
    /// - Complexity: O(*d*) for *d* changed records
    func openConflicts(_ shapes: SyncedShapes) throws -> [StoreConflict] {
        var conflicts: [StoreConflict] = []
        for root in shapes.roots {
            for entry in try unsettledEntries(of: root) {
                let record = try record(entry.rootID(root))
                if record == entry.base && entry.remote != nil { continue }
                let versions = Conflict(base: entry.base, local: record, remote: entry.remote)
                conflicts.append(
                    StoreConflict(
                        id: entry.id, versions: versions, fields: versions.clashingFields(in: schema), isOpen: true))
            }
        }
        return conflicts.sorted { RecordID.areInIncreasingOrder($0.id, $1.id) }
    }
}

extension Conflict<Record> {
    /// The names of the fields with different changes; empty if one side has deleted the record.
    fileprivate func clashingFields(in schema: Schema) -> [String] {
        let shapes = [base, local, remote].compactMap { $0?.shape }
        guard local != nil, remote != nil, let shape = shapes.first, shapes.allSatisfy({ $0 == shape }) else {
            return []
        }
        return clashingFields(of: Record.mergeFields(of: shape, in: schema))
    }
}
