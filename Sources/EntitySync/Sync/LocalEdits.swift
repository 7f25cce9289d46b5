import DifferentialSync
import SyncPersistence

/// The local changes of records that the payload states something about.
///
/// At the end of a sync they are merged with the payload.
final class LocalEdits {
    /// The stored records and the drafts.
    private let records: SyncRecords
    /// Resolves conflicts between local changes and the payload.
    private let policy: ConflictPolicy<Record>

    /// Whether local changes are merged with the payload at the end.
    private(set) var isMerging = false

    /// The records for which the payload differs from the shadow, because of a local change or because they wait for
    /// other records; under the names of their hierarchies' roots.
    private var changed: [RecordID] = []

    /// For each record that the remote was not known to have, the positions of the slots that the payload states.
    private var stated: [RecordID: Set<Int>] = [:]

    /// The local orders of relationships for which the payload states another order.
    private var orders = EditedOrders()

    /// Creates an empty list of local changes.
    init(of records: SyncRecords, _ policy: ConflictPolicy<Record>) {
        (self.records, self.policy) = (records, policy)
    }

    /// The number of objects that state something about a record with a local change, or about a waiting record.
    var count: Int { changed.count }

    /// Defers the merge of local changes with the payload to `merge(isRequired:delete:)`.
    func beginMerging() {
        guard records.origin == .remote else { return }
        isMerging = true
        records.transaction.beginMergingEdits()
    }

    /// Copies mandatory values that the payload does not state from the local record.
    ///
    /// A record without them could not be stored as the remote's version.
    func complete(_ record: inout Record, _ map: EntityMap) throws {
        guard records.origin == .remote, map.mandatorySlots.contains(where: { record.values[$0].isNull }),
            try records.mayDiffer(map.shape),
            let present = try records.transaction.record(RecordID(map.shape.root, record.key)),
            present.shape == map.shape
        else { return }
        for slot in map.mandatorySlots where record.values[slot].isNull {
            record[map.shape.slots[slot].name] = present.values[slot]
        }
    }

    /// Adds the record of an object, if it has a local change or waits for another record.
    ///
    /// - Parameters:
    ///   - isKnown: Whether the remote was known to have the record before.
    ///   - object: The object.
    func add(
        _ record: Record, isKnown: Bool, from object: ValueObject, _ map: EntityMap, _ plan: Plan,
        _ source: PayloadObject
    ) throws {
        guard try records.mayDiffer(map.shape) else { return }
        let id = RecordID(map.shape.root, record.key)
        guard let entry = try records.transaction.journalEntry(id) else { return }
        if !isKnown || stated[id] != nil {
            var slots = plan.referenceSlots(map)
            map.forEachValue(of: object, plan, source.surroundings) { attribute, _ in slots.insert(attribute.slot) }
            if let slot = source.owner.flatMap({ map.shape.slot(named: $0.slot) }) { slots.insert(slot) }
            stated[id, default: []].formUnion(slots)
        }
        if entry.isUnresolved { changed.append(id) }
    }

    /// Adds the local order of a relationship, if it differs from the remote's.
    ///
    /// - Parameter known: The keys in the order of the remote.
    func addOrder(of owner: Record, _ relationship: RelationshipMap, known: [Value]) throws {
        try orders.add(owner, relationship, known: known, records)
    }

    /// Merges local changes with the payload, record by record, and stores waiting records again.
    ///
    /// - Parameters:
    ///   - isRequired: Whether deletions wait for the merge, even if nothing was added.
    ///   - delete: Deletes a record without a local change.
    /// - Returns: The conflicts; nil if there is nothing to merge.
    func merge(isRequired: Bool, delete: (RecordID) throws -> Void) throws -> [MergedEdit]? {
        let transaction = records.transaction
        guard records.origin == .remote else { return nil }
        var seen: Set<RecordID> = []
        let kept = try transaction.heldBack.map { RecordID(try transaction.shape($0.entity).root, $0.key) }
        let ids = (changed + kept).filter { seen.insert($0).inserted }
        if ids.isEmpty && orders.isEmpty && !isRequired { return nil }
        let merged = try transaction.mergeEdits(ids, stated: stated, policy: policy, delete: delete)
        try retryTogether()
        return merged
    }

    /// Stores the remote's versions of waiting records, all in one step; some may have to wait further.
    ///
    /// One by one, they could violate a rule that all together satisfy. For example, two persons have swapped their
    /// seats, and a seat has one person at most.
    private func retryTogether() throws {
        let transaction = records.transaction
        for entry in try waiting() {
            guard let remote = entry.remote, remote.shape.firstInvalidSlot(remote.values) == nil else { continue }
            // An earlier one of these records may have taken a reference from this one, which is no local change.
            let isUnchanged = try transaction.record(entry.id) == entry.base
            try transaction.put(remote, origin: isUnchanged ? .remote : .agreed)
        }
    }

    /// Returns the entries of the records that the remote has and that wait for other records.
    func waiting() throws -> [JournalEntry] {
        let transaction = records.transaction
        var seen: Set<RecordID> = []
        return try changed.filter { seen.insert($0).inserted }.compactMap { id in
            guard let entry = try transaction.journalEntry(id), entry.isUnresolved, entry.remote != nil,
                try transaction.isUnedited(id, transaction.record(id), entry)
            else { return nil }
            return entry
        }
    }

    /// Merges local orders with those of the payload.
    func mergeOrders() throws { try orders.merge(records) }
}

extension Plan {
    /// Returns the slots of the references that objects of the plan state.
    fileprivate func referenceSlots(_ map: EntityMap) -> Set<Int> {
        Set(
            relationships.compactMap { members in
                guard case .reference(let name, _, _) = map.relationships[members.relationship].storage else {
                    return nil
                }
                return map.shape.slot(named: name)
            })
    }
}
