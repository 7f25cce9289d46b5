/// Deletions of the remote that are made at the end of a transaction, in order.
struct PendingDeletions {
    /// The deletions in their order; nil for those that were removed.
    private var deletions: [Deletion?] = []
    /// The position of each deletion, by its record.
    private var positions: [RecordID: Int] = [:]

    /// A deletion of the remote.
    struct Deletion {
        /// The record, under the name of its hierarchy's root.
        let id: RecordID
        /// The origin of the deletion: `remote`, or `agreed`.
        let origin: ChangeSet.Origin
        /// The shadow of the record that a later change of the set has stated.
        var entry: JournalEntry?
        /// Whether it waits in the journal since an earlier transaction.
        var isInJournal = false
    }
}

extension PendingDeletions {
    /// Whether no deletion is pending.
    var isEmpty: Bool { positions.isEmpty }

    /// All deletions.
    var all: [Deletion] { deletions.compactMap { $0 } }

    /// Whether the deletion of a record is included.
    func contains(_ id: RecordID) -> Bool { positions[id] != nil }

    /// Adds a deletion, unless there is one of the record.
    mutating func add(_ deletion: Deletion) {
        if contains(deletion.id) { return }
        positions[deletion.id] = deletions.count
        deletions.append(deletion)
    }

    /// Removes the deletion of a record, and returns it.
    @discardableResult
    mutating func remove(_ id: RecordID) -> Deletion? {
        guard let position = positions.removeValue(forKey: id) else { return nil }
        defer { deletions[position] = nil }
        return deletions[position]
    }

    /// Records a change set's version of a record's shadow; returns whether the record's deletion is included.
    mutating func setEntry(_ entry: JournalEntry, of id: RecordID) -> Bool {
        guard let position = positions[id] else { return false }
        deletions[position]?.entry = entry
        return true
    }
}
