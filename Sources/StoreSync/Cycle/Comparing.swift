import SyncPersistence

/// The end of a comparison, which decides what happens to the records that the remote lacks.
///
/// A comparison pulls all records of the remote, and remembers each in ``SeenRecords``. A record that no page had is
/// deleted here, sent again or left alone, as ``DeviceState/Comparison/Absence`` states.
struct Comparing {
    private let transaction: WriteTransaction
    private let shapes: SyncedShapes

    /// Whether the remote may have records that its pages lack, outside the device's scope.
    private let isScoped: Bool

    init(in transaction: WriteTransaction, _ shapes: SyncedShapes, isScoped: Bool) {
        (self.transaction, self.shapes, self.isScoped) = (transaction, shapes, isScoped)
    }

    /// Deletes the records that the remote has deleted, and makes the records that it has lost local changes, which
    /// are sent.
    ///
    /// Afterwards the marks of seen records are removed.
    ///
    /// - Complexity: O(number of records), each with a lookup
    func finish(_ comparison: DeviceState.Comparison, _ pull: inout PagePull) throws {
        if comparison.absence == .meansNothing { return }
        let (seen, agreed) = (SeenRecords(in: transaction), SeenRecords.agreed(in: transaction))
        var deletions: [RecordID] = []
        // If all records of the hierarchy are new, the remote never had them, and they are sent anyway.
        for root in shapes.roots where try !transaction.journalEntries(of: root).hasEmptyShadow {
            try settleAbsent(of: root, seen, &pull)
            for id in try seen.unseen(of: root) {
                // A new record: the remote never had it.
                let entry = try transaction.journalEntry(id)
                if let entry, entry.base == nil, !entry.isUnresolved { continue }
                if try comparison.absence == .isDeletion || agreed.contains(id.key, of: root) {
                    // A page has no records of an entity that the remote lacks, or its scope.
                    if shapes.hasPartialHierarchies, let record = try transaction.record(id),
                        !shapes.includes(record.shape)
                    {
                        continue
                    }
                    deletions.append(id)
                } else if let entry, entry.isUnresolved, entry.remote == nil {
                    // The remote has deleted the record, which waits for a decision.
                    continue
                } else if let record = try transaction.record(id) {
                    if root.hasImplicitKey { try CountedRecords.add(id, .known, in: transaction) }
                    try transaction.putEntry(JournalEntry(id: record.id, base: nil))
                }
            }
        }
        try pull.delete(deletions)
        try seen.removeAll()
        try agreed.removeAll()
    }

    /// Removes the entries of records that neither end has, except those of entities that the remote lacks.
    private func settleAbsent(of root: Shape, _ seen: SeenRecords, _ pull: inout PagePull) throws {
        var settled: [JournalEntry] = []
        try transaction.journalEntries(of: root).forEach { entry in
            let isHere = try transaction.record(entry.rootID(root)) != nil
            let isMissing = entry.base.map { !shapes.includes($0.shape) } ?? false
            if try !isHere && !isMissing && !seen.contains(entry.id.key, of: root) { settled.append(entry) }
            return true
        }
        for entry in settled {
            try transaction.putEntry(JournalEntry(id: entry.id, base: nil))
            if isScoped && entry.base != nil { try pull.addLeft(entry.rootID(root), isDeletedHere: true) }
        }
    }
}
