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

    /// The changes of the remote that met a local one, of this record or of one that it would take with it, or that the
    /// schema does not allow yet: the record is as it was, and the remote's version is noted in the journal.
    public let heldBack: [RecordID]

    /// The names of the metadata that were set.
    public let metadata: [String]

    /// One changed record.
    public struct RecordChange: Sendable {
        /// The record as it was; nil if it is new.
        public let old: Record?

        /// The record as it is; nil if it was deleted.
        public internal(set) var new: Record?

        /// Where the change came from.
        public internal(set) var origin: ChangeSet.Origin

        /// Whether it follows from the change of another record, by a delete rule or because both were connected.
        public internal(set) var isConsequence: Bool

        /// Whether the record was last stored as the remote has it, apart from consequences.
        var isArrival = false

        package init(old: Record?, new: Record?, origin: ChangeSet.Origin, isConsequence: Bool) {
            self.old = old
            self.new = new
            self.origin = origin
            self.isConsequence = isConsequence
        }

        /// The record's entity and key.
        public var id: RecordID? { (new ?? old)?.id }

        /// The change, with the old and the new image.
        public var change: Change<Record>? { Change(from: old, to: new) }

        /// The names of the values that have changed; none of a record that is new or was deleted.
        ///
        /// - Complexity: O(number of values)
        public var changedNames: [String] {
            guard let old, let new else { return [] }
            return new.changedNames(since: old)
        }
    }

    /// Whether the journal, or something else that the library keeps, has changed.
    let hasNotes: Bool

    package init(
        sequence: Int64, changes: [RecordChange], unchangedCount: Int, heldBack: [RecordID], metadata: [String],
        hasNotes: Bool = false
    ) {
        self.sequence = sequence
        self.changes = changes
        self.unchangedCount = unchangedCount
        self.heldBack = heldBack
        self.metadata = metadata
        self.hasNotes = hasNotes
    }
}

extension Commit {
    /// Whether nothing has changed, not even in the journal; such a commit has no number of its own.
    public var isEmpty: Bool { changes.isEmpty && heldBack.isEmpty && metadata.isEmpty && !hasNotes }

    /// The new records. O(number of changes)
    public var inserted: [RecordID] { changes.compactMap { $0.old == nil ? $0.new?.id : nil } }

    /// The records with other values than before. O(number of changes)
    public var updated: [RecordID] { changes.compactMap { $0.old == nil ? nil : $0.new?.id } }

    /// The deleted records, those that a delete rule took among them. O(number of changes)
    public var deleted: [RecordID] { changes.compactMap { $0.new == nil ? $0.old?.id : nil } }

    /// The records that were deleted by a delete rule. O(number of changes)
    public var cascaded: [RecordID] {
        changes.compactMap { $0.new == nil && $0.isConsequence ? $0.old?.id : nil }
    }

    /// The changes of an entity's records, and of those that inherit it, as a diff; nil for nothing.
    ///
    /// - Complexity: O(number of changes)
    public func diff(of entity: String) -> Diff<Record>? {
        Diff(
            changes.compactMap { change in
                guard (change.new ?? change.old)?.shape.inherits(entity) == true else { return nil }
                return change.change
            })
    }
}
