public import DifferentialSync

/// How the cycle of a stored collection has ended.
public struct CycleOutcome: Hashable, Sendable {
    /// The way in which it has ended.
    public let ending: SyncOutcome.Ending

    /// What was pulled, pushed and settled, and how many conflicts are open: see ``PersistentCollection/conflicts``.
    public let counts: SyncCounts

    /// The version of the remote that the collection last agreed with; nil if there is none.
    public let version: RemoteVersion?

    /// The records whose remote state is known and cannot be stored yet.
    ///
    /// One of them may refer to a record that has not arrived. It is tried again when that arrives, and by each cycle. See
    /// ``PersistentCollection/waiting``.
    public let waiting: [RecordID]

    /// The records with local changes or conflicts from which no element can be read, and those of the remote that could not
    /// be read when they were pulled.
    ///
    /// They stay as they are, and are neither pushed nor resolved until a type is used that can read them.
    public let unreadable: [RecordID]

    /// The links that were made here and never sent, and that were deleted with a record that the remote has deleted.
    ///
    /// That happens to links of a relationship of which no collection was opened: see
    /// ``PersistenceAdapter/linkCollection(of:relationship:)``. The entity is that of the collection of links, and the key
    /// has the keys of both records.
    public let deletedLinks: [RecordID]

    /// Whether collection and remote agree, except for what is listed.
    public var isSynced: Bool { ending == .synced }
}

extension ReadTransaction {
    /// An outcome with what is left open in the store.
    ///
    /// - Parameters:
    ///   - outcome: How the cycle has ended.
    ///   - coding: How the elements are kept.
    ///   - unreadable: The keys of records that could not be pushed.
    ///   - deletedLinks: The unsent links that were deleted.
    /// - Complexity: O(number of journal entries)
    func outcome<Element>(
        _ outcome: SyncOutcome, _ coding: RecordCoding<Element, some Sendable>, unreadable: Set<Value>,
        deletedLinks: [RecordID]
    ) throws -> CycleOutcome {
        var counts = outcome.counts
        counts.open = 0
        var waiting: [RecordID] = []
        var unreadable = unreadable
        var window = CollectionWindow(of: coding.entity, in: self)
        for key in try unsettledKeys(of: coding.entity) {
            let row = try window.load(key)
            if row.record == row.base {
                waiting.append(RecordID(coding.entity, key))
            } else {
                counts.open += 1
                // A base that cannot be read counts as none.
                let images = [row.record, row.entry?.remote].compactMap { $0 }
                if (try? images.map(coding.element)) == nil { unreadable.insert(key) }
            }
        }
        return CycleOutcome(
            ending: outcome.ending, counts: counts, version: outcome.version, waiting: waiting,
            unreadable: unreadable.sorted(by: Value.areInIncreasingOrder).map { RecordID(coding.entity, $0) },
            deletedLinks: deletedLinks)
    }
}
