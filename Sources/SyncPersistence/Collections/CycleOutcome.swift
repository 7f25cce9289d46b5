public import DifferentialSync

/// The outcome of a stored collection's cycle.
public struct CycleOutcome: Hashable, Sendable {
    /// The way in which the cycle ended.
    public let ending: SyncOutcome.Ending

    /// The numbers of pulled and pushed changes, of resolved conflicts, and of open ones: see
    /// ``PersistentCollection/conflicts``.
    public let counts: SyncCounts

    /// The version of the remote that the collection last agreed with; nil if there is none.
    public let version: RemoteVersion?

    /// The messages of the cycle, as events and as one line of text.
    public let trace: SyncTrace

    /// The records whose remote version is known but cannot be stored yet.
    ///
    /// For example, a record may refer to one that has not arrived. The transaction that stores the missing record
    /// tries again, and so does each cycle. See ``PersistentCollection/waiting``.
    public let waiting: [RecordID]

    /// The records from which no element can be read: those with local changes or conflicts, and those of the last
    /// pull.
    ///
    /// They are kept unchanged. They are neither pushed nor resolved until the collection is used with a type that can
    /// read them.
    public let unreadable: [RecordID]

    /// The records that wait because a local change of another entity of their hierarchy has the same key.
    ///
    /// For example, a dog has become a cat. The cycle of the cats leaves it out until the cycle of the dogs has sent
    /// the deletion of the dog. Synchronize the collection of the other entity, then this one again. If the former
    /// record has an unresolved conflict, resolve the conflict first. ``PersistentCollection/conflicts`` or
    /// ``PersistentCollection/waiting`` of the other entity's collection lists it.
    public let waitingForOthers: [RecordID]

    /// The unsent local links that were deleted with a record that the remote has deleted.
    ///
    /// It happens only to links of a relationship without an open collection: see
    /// ``PersistenceAdapter/linkCollection(of:relationship:)``. The entity is that of the collection of links, and the key
    /// has the keys of both records.
    public let deletedLinks: [RecordID]

    /// Whether collection and remote agree, except for conflicts and the records in ``waiting`` and ``unreadable``.
    ///
    /// It is false while ``waitingForOthers`` lists records.
    public var isSynced: Bool { ending == .synced && waitingForOthers.isEmpty }
}

extension ReadTransaction {
    /// Returns an outcome with the open conflicts, the waiting records and the unreadable records of the store.
    ///
    /// - Parameters:
    ///   - outcome: How the cycle has ended.
    ///   - coding: How the elements are kept.
    ///   - unreadable: The keys of records that could not be pushed, and of the remote's elements that were left out.
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
        for key in try unresolvedKeys(of: coding.entity) {
            let row = try window.load(key)
            if row.record == row.base {
                waiting.append(RecordID(coding.entity, key))
            } else {
                counts.open += 1
                // A base that cannot be read is ignored.
                let images = [row.record, row.entry?.remote].compactMap { $0 }
                if (try? images.map(coding.element)) == nil { unreadable.insert(key) }
            }
        }
        let others = try window.keysWaitingForOthers(among: unreadable)
        func ids(_ keys: Set<Value>) -> [RecordID] {
            keys.sorted(by: Value.areInIncreasingOrder).map { RecordID(coding.entity, $0) }
        }
        var trace = outcome.trace
        trace.finish(outcome.ending, total: counts)
        return CycleOutcome(
            ending: outcome.ending, counts: counts, version: outcome.version, trace: trace, waiting: waiting,
            unreadable: ids(unreadable.subtracting(others)), waitingForOthers: ids(others), deletedLinks: deletedLinks)
    }
}
