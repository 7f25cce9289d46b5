import SyncPersistence

/// What was changed here and not sent yet, and what the payload says of it.
extension SyncRun {
    /// What tells whether an object has left something to be done or to be said again.
    struct Progress: Equatable {
        let reports: Int
        let deferred: Int
        let heldBack: Int
        let departures: Int
        let edits: Int
        let told: Int
    }

    /// Leaves changes that were made here and meet those of the payload to ``mergeEdits(sparing:)``.
    func beginMergingEdits() {
        guard origin == .remote else { return }
        mergesEdits = true
        transaction.beginMergingEdits()
    }

    var progress: Progress {
        Progress(
            reports: reports.count, deferred: deferred.count, heldBack: transaction.heldBack.count,
            departures: departureCount, edits: edits.count, told: deletions.count)
    }

    /// The keys that a relationship leads to, as far as the origin of the payload knows.
    func related(_ id: RecordID, _ relationship: String) throws -> [Value] {
        origin == .remote ? try knownLinks.related(id, relationship) : try transaction.related(id, relationship)
    }

    /// Forgets that a record was deleted here that the remote had deleted too, as that has it again or says so again.
    func settleDeletion(of key: Value, _ map: EntityMap) throws {
        guard try origin == .remote && transaction.mayHaveEntries(of: map.shape) else { return }
        try transaction.settleDeletion(of: key, in: map.shape)
    }

    /// Takes over from a record that was inserted here what must have a value and of which the payload says nothing: the
    /// remote cannot have the record without.
    func completeFromEdit(_ record: inout Record, _ map: EntityMap) throws {
        guard origin == .remote, map.mandatorySlots.contains(where: { record.values[$0].isNull }),
            try transaction.mayHaveEntries(of: map.shape),
            let present = try transaction.record(RecordID(map.shape.root, record.key)), present.shape == map.shape
        else { return }
        for slot in map.mandatorySlots where record.values[slot].isNull {
            record[map.shape.slots[slot].name] = present.values[slot]
        }
    }

    /// Notes that an object says something of a record that was changed here.
    ///
    /// - Parameter isKnown: Whether the remote was known to have the record before.
    func noteEdit(of record: Record, isKnown: Bool, _ map: EntityMap, _ plan: Plan, _ filling: Filling) throws {
        guard origin == .remote, try transaction.mayHaveEntries(of: map.shape) else { return }
        let id = RecordID(map.shape.root, record.key)
        guard let entry = try transaction.journalEntry(id) else { return }
        if !isKnown || stated[id] != nil {
            var slots = plan.referenceSlots(map).union(plan.attributes.map(\.attribute.slot))
            if let owner = filling.owner, let slot = map.shape.slot(named: owner.slot) { slots.insert(slot) }
            stated[id, default: StatedSlots()].slots.formUnion(slots)
        }
        if entry.isUnsettled { edits.append(id) }
    }

    /// Merges what the payload says of records that were changed here with those changes.
    func mergeEdits(sparing spoken: Set<UInt64>) throws {
        guard origin == .remote else { return }
        var seen: Set<RecordID> = []
        let heldBack = try transaction.heldBack.map { RecordID(try transaction.shape($0.entity).root, $0.key) }
        let ids = (edits + heldBack).filter { seen.insert($0).inserted }
        if ids.isEmpty && reordered.isEmpty && undeleted.isEmpty { return }
        let clashes = try transaction.mergeEdits(ids, stated: stated, policy: request.options.conflictPolicy) { id in
            try delete(id, sparing: spoken)
        }
        outcome.clashes += clashes.map(SyncClash.init)
        for (departure, leaving) in restorable { try restoreLink(departure, leaving) }
        restorable = []
        try mergeOrders()
        // What waited for these records is seen as long as the changes are followed.
        try transaction.settleIncoming()
        try noteHeldBack(clashes.filter(\.isOpen).map(\.id))
    }
}

extension SyncRun {
    /// The keys of the records that a filter holds for and that were deleted here, while the remote is known to have them.
    func deletedHere(_ map: EntityMap, where filter: Filter?) throws -> [Value] {
        guard try origin == .remote && transaction.mayHaveEntries(of: map.shape) else { return [] }
        let records = try transaction.deletedHere(of: map.shape.name)
        guard let filter, !records.isEmpty else { return records.map(\.key) }
        var keys: [Value] = []
        try transaction.storage.select(Query(map.shape.name, where: filter), from: records) { record in
            keys.append(record.key)
            return true
        }
        return keys
    }

    /// The records that a relationship leads to for the remote, and that were deleted here.
    func deletedHere(_ id: RecordID, _ relationship: String, _ destination: EntityMap) throws -> [RecordID] {
        guard try origin == .remote && transaction.mayHaveEntries(of: destination.shape) else { return [] }
        return try knownLinks.related(id, relationship).filter { try isGone(destination, $0) }
            .map { RecordID(destination.shape.root, $0) }
    }

    /// The keys of an entity's records that a relationship connects with a record, as far as the origin of the payload
    /// knows.
    func keys(of relationship: RelationshipMap, to parent: RecordID, _ map: EntityMap) throws -> [Value] {
        func naming(_ shape: Shape, _ slot: String) throws -> [Record] {
            if origin == .remote { return try knownLinks.records(of: shape, naming: parent.key, in: slot) }
            return try transaction.records(Query(shape.name, where: .comparison(path: slot, .equal, parent.key)))
        }
        switch relationship.storage {
        case .reference(let slot, _, _): return try naming(map.shape, slot).map(\.key)
        case .links(let shape, let end): return try naming(transaction.shape(shape), end.far).map { $0[end.near] }
        case .inverse(let slot, _):
            let key = try transaction.known(parent, to: origin)?[slot] ?? .null
            return key.isNull ? [] : [key]
        }
    }
}

extension Plan {
    /// The slots of the references of which objects of the plan say something.
    fileprivate func referenceSlots(_ map: EntityMap) -> Set<Int> {
        Set(
            relationships.compactMap { members in
                guard case .reference(let slot, _, _) = map.relationships[members.relationship].storage else {
                    return nil
                }
                return map.shape.slot(named: slot)
            })
    }
}
