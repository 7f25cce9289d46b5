import DifferentialSync
import SyncPersistence

extension ReadTransaction {
    /// Returns the entries with a waiting version of the remote whose records have no local change.
    func waitingEntries(_ shapes: SyncedShapes) throws -> [JournalEntry] {
        try shapes.roots.flatMap { root in
            try journalEntries(of: root).unresolved().filter { try record($0.rootID(root)) == $0.base }
        }
    }

    /// Returns the records that wait for others, in a stable order: for missing ones, or for those that refer to them.
    func parkedRecords(_ shapes: SyncedShapes) throws -> [RecordID] {
        try waitingEntries(shapes).filter { try $0.remote != nil || mustWaitForReferrers($0) }.map(\.id)
            .sorted(by: RecordID.areInIncreasingOrder)
    }

    /// Whether a deletion of the remote must wait for other records, so that there is nothing to decide about it.
    ///
    /// That is so in two cases. In the first, the remote's own versions of other records refer to the deleted one,
    /// which has then left the scope. In the second, other records refer to it here. Their changes wait or conflict,
    /// and may end the references.
    func mustWaitForReferrers(_ entry: JournalEntry) throws -> Bool {
        guard entry.isUnresolved, entry.remote == nil, let record = entry.base else { return false }
        return try hasRecord(referringTo: record) { other in
            let entry = try journalEntry(other.rootID)
            return try entry?.isUnresolved == true ? entry?.remote != nil : remoteRefers(from: other, to: record)
        }
    }

    /// Whether a record of the remote refers to a record, as far as this end knows.
    func isNamedByRemote(_ record: Record) throws -> Bool {
        try hasRecord(referringTo: record) { try remoteRefers(from: $0, to: record) }
    }

    /// Whether the remote's version of a record refers to another one.
    private func remoteRefers(from other: Record, to record: Record) throws -> Bool {
        let known = try journalEntry(other.rootID).map(\.known) ?? other
        return known?.references(in: schema).contains { $0.target == record.rootID } ?? false
    }

    /// Returns the records whose enforced references lead to a record.
    func recordsReferring(to record: Record) throws -> [Record] {
        try queries(forRecordsReferringTo: record).flatMap(records)
    }

    /// Whether one of the records whose enforced references lead to a record fulfils a condition.
    ///
    /// The first few are examined before all others are read, because one of them often does.
    func hasRecord(referringTo record: Record, where condition: (Record) throws -> Bool) throws -> Bool {
        for query in queries(forRecordsReferringTo: record) {
            var first = query
            first.limit = 8
            let some = try records(first)
            if try some.contains(where: condition) { return true }
            if try some.count == first.limit && records(query).contains(where: condition) { return true }
        }
        return false
    }

    private func queries(forRecordsReferringTo record: Record) -> [Query] {
        schema.synchronizedShapes.filter { $0.isRoot || $0.role == nil }.flatMap { shape in
            shape.slots.compactMap { slot in
                guard slot.declaredBy == shape.name, case .reference(let destination, _, true) = slot.content,
                    record.shape.inherits(destination)
                else { return nil }
                return Query(shape.name, where: .comparison(path: slot.name, .equal, record.key))
            }
        }
    }

    /// Returns the unresolved entries whose remote versions refer to missing records, by these records.
    ///
    /// - Complexity: O(number of unresolved records)
    func unresolvedReferrers() throws -> [RecordID: [RecordID]] {
        var referrers: [RecordID: [RecordID]] = [:]
        for root in SyncedShapes(schema, remote: nil).roots {
            for entry in try journalEntries(of: root).unresolved() {
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
            for entry in try journalEntries(of: root).unresolved() {
                let record = try record(entry.rootID(root))
                if try record == entry.base && (entry.remote != nil || mustWaitForReferrers(entry)) { continue }
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
