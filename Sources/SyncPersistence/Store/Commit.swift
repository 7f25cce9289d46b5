public import DifferentialSync

/// The effective changes of a transaction.
public struct Commit: Sendable {
    /// The number of the commit, which is greater than those of earlier ones.
    ///
    /// A transaction without changes has the number of the last commit.
    public let sequence: Int64

    /// The changed records, in the order of their first change.
    ///
    /// A record that ends as it began is not included.
    public let changes: Changes

    /// How many stored records were equal to the existing ones.
    public let unchangedCount: Int

    /// The records whose remote change is not made yet.
    ///
    /// A local change, of the record or of one that would be deleted with it, conflicts with it, or the schema does not
    /// allow it yet. The record is unchanged, and the journal has the remote's version.
    public let heldBack: [RecordID]

    /// The names of the metadata that were set.
    public let metadata: [String]

    /// A changed record.
    public struct RecordChange: Sendable {
        /// The record before the change; nil for a new one.
        public let old: Record?

        /// The record after the change; nil for a deleted one.
        public internal(set) var new: Record?

        /// The origin of the change.
        public internal(set) var origin: ChangeSet.Origin

        /// Whether it is a consequence of another record's change, by a delete rule or a link.
        public internal(set) var isConsequence: Bool

        /// Whether the record was last stored as the remote's version, apart from consequences.
        var isIncoming = false

        init(old: Record?, new: Record?, origin: ChangeSet.Origin, isConsequence: Bool) {
            self.old = old
            self.new = new
            self.origin = origin
            self.isConsequence = isConsequence
        }

        /// The record's entity and key.
        public var id: RecordID? { (new ?? old)?.id }

        /// The change with the old and the new image.
        public var change: Change<Record>? { Change(from: old, to: new) }

        /// The names of the changed values; empty for new and deleted records.
        ///
        /// - Complexity: O(number of values)
        public var changedNames: [String] {
            guard let old, let new else { return [] }
            return new.changedNames(since: old)
        }
    }

    /// Whether other processes have made commits up to the number, whose changes are unknown.
    ///
    /// ``PersistenceAdapter/refresh()`` publishes it.
    public let isOfOthers: Bool

    /// Whether the journal or other internal data has changed.
    let hasInternalChanges: Bool

    /// Whether a record was inserted after a deletion in the same transaction.
    ///
    /// It is then stored after the other records, which ``changes`` does not show.
    package let hasReinsertions: Bool

    package init(
        sequence: Int64, changes: Changes = Changes(), unchangedCount: Int, heldBack: [RecordID], metadata: [String],
        hasInternalChanges: Bool = false, hasReinsertions: Bool = false, isOfOthers: Bool = false
    ) {
        self.sequence = sequence
        self.changes = changes
        self.unchangedCount = unchangedCount
        self.heldBack = heldBack
        self.metadata = metadata
        self.hasInternalChanges = hasInternalChanges
        self.hasReinsertions = hasReinsertions
        self.isOfOthers = isOfOthers
    }
}

extension Commit {
    /// Whether nothing has changed, not even the journal.
    ///
    /// Such a commit has no number of its own.
    public var isEmpty: Bool {
        changes.isEmpty && heldBack.isEmpty && metadata.isEmpty && !hasInternalChanges && !isOfOthers
    }

    /// The new records.
    ///
    /// O(number of changes)
    public var inserted: [RecordID] { changes.compactMap { $0.old == nil ? $0.new?.id : nil } }

    /// The records with changed values.
    ///
    /// O(number of changes)
    public var updated: [RecordID] { changes.compactMap { $0.old == nil ? nil : $0.new?.id } }

    /// The deleted records, including those that a delete rule deleted.
    ///
    /// O(number of changes)
    public var deleted: [RecordID] { changes.compactMap { $0.new == nil ? $0.old?.id : nil } }

    /// The records that a delete rule deleted.
    ///
    /// O(number of changes)
    public var cascaded: [RecordID] {
        changes.compactMap { $0.new == nil && $0.isConsequence ? $0.old?.id : nil }
    }

    /// Returns the changes of an entity's records, including those of inheriting entities, as a diff; nil if there are
    /// none.
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
