public import DifferentialSync

/// What a transaction has really changed.
public struct Commit: Sendable {
    /// The number of the commit; that of a later one is greater.
    ///
    /// A transaction that changed nothing has the number of the last one that did.
    public let sequence: Int64

    /// The changed records, in the order in which they were first touched.
    ///
    /// A record that ends as it began is not among them.
    public let changes: [RecordChange]

    /// How many records were to be stored that were there as they are.
    public let unchangedCount: Int

    /// The changes of the remote that met a local one: the record is as it was, and the remote's version is noted in
    /// the journal.
    public let heldBack: [RecordID]

    /// The names of the metadata that were set.
    public let metadata: [String]

    /// One changed record.
    public struct RecordChange: Sendable {
        /// The record's change, with the old and the new image.
        public let change: Change<Record>

        /// Where it came from.
        public let origin: ChangeSet.Origin

        /// Whether it follows from the deletion of another record, by a delete rule.
        public let isConsequence: Bool

        package init(change: Change<Record>, origin: ChangeSet.Origin, isConsequence: Bool) {
            self.change = change
            self.origin = origin
            self.isConsequence = isConsequence
        }
    }

    package init(
        sequence: Int64, changes: [RecordChange], unchangedCount: Int, heldBack: [RecordID], metadata: [String]
    ) {
        self.sequence = sequence
        self.changes = changes
        self.unchangedCount = unchangedCount
        self.heldBack = heldBack
        self.metadata = metadata
    }
}

extension Commit {
    /// Whether nothing has changed.
    public var isEmpty: Bool { changes.isEmpty && heldBack.isEmpty && metadata.isEmpty }

    /// The new records. O(number of changes)
    public var inserted: [RecordID] {
        changes.compactMap { if case .add(let record) = $0.change { record.id } else { nil } }
    }

    /// The changed records. O(number of changes)
    public var updated: [RecordID] {
        changes.compactMap { if case .replace(_, let record) = $0.change { record.id } else { nil } }
    }

    /// The deleted records, those that a delete rule took among them. O(number of changes)
    public var deleted: [RecordID] {
        changes.compactMap { if case .delete(let record) = $0.change { record.id } else { nil } }
    }

    /// The records that were deleted by a delete rule. O(number of changes)
    public var cascaded: [RecordID] {
        changes.compactMap { if case .delete(let record) = $0.change, $0.isConsequence { record.id } else { nil } }
    }

    /// The names of the values of an updated record that have changed. O(number of its values)
    public static func changedNames(_ change: Change<Record>) -> [String] {
        guard case .replace(let old, let new) = change else { return [] }
        return new.changedNames(since: old)
    }
}
