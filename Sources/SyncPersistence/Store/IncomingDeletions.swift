/// Deletions of the remote, which must not delete a local change.
///
/// For example, the remote deletes a folder whose delete rule deletes its notes, and a note was edited locally. The
/// deletion of the folder is then prevented by the note.
///
/// A prevented deletion is tried again at the end of the transaction. If it is still prevented, it waits in the
/// journal.
final class IncomingDeletions {
    /// The deletions that a local change or a rule of the schema has prevented so far.
    private var pending = PendingDeletions()

    /// The records that delete rules can delete or change, by the shape of the deleted record.
    private var reaches: [ObjectIdentifier: DeletionReach] = [:]

    /// Records that another record no longer refers to, in order, each under the name of its hierarchy's root.
    private var released: [RecordID] = []
    /// The records of ``released``, to list each once.
    private var knownReleased: Set<RecordID> = []

    /// Links that were inserted locally and never sent, and that a deletion of the remote has deleted.
    private(set) var deletedLinks: [RecordID] = []

    private unowned let transaction: WriteTransaction
    /// The touched records.
    private let log: ChangeLog
    /// The entries by which a locally changed record is told from an unchanged one.
    private let entries: TransactionJournal

    /// Creates the deletions of a transaction.
    init(of transaction: WriteTransaction) {
        self.transaction = transaction
        (log, entries) = (transaction.log, transaction.entries)
    }

    /// Whether no deletion waits for the end of the transaction.
    var isEmpty: Bool { pending.isEmpty }

    /// Whether deletions must be made or tried again at the end.
    var needSettlement: Bool { !pending.isEmpty || !released.isEmpty }

    /// Forgets everything but the deleted links.
    func reset() {
        (pending, reaches, released, knownReleased) = (PendingDeletions(), [:], [], [])
    }

    /// Deletes a record that the remote has deleted, or keeps the deletion for the end of the transaction if it is
    /// prevented now.
    func remove(_ record: Record, origin: ChangeSet.Origin) throws {
        if log.decision != .nothing { return try transaction.remove(record, origin: origin) }
        let reach = try reach(of: record.shape)
        let mayBeBlocked =
            try reach.mayBeDenied || reach.roots.contains { try entries.mayHaveEntries(of: transaction.shape($0)) }
        if mayBeBlocked {
            var plan = DeletionPlan()
            plan.add(record, isDecided: true)
            try complete(&plan, isFirstLook: true)
            if plan.isKept(0) {
                return pending.add(PendingDeletions.Deletion(id: record.rootID, origin: origin))
            }
        }
        try transaction.remove(record, origin: origin)
    }

    /// Sets the shadow that a change set states for a record with a waiting deletion; returns whether there is such a
    /// deletion.
    func setShadow(_ entry: JournalEntry, of id: RecordID) -> Bool { pending.setEntry(entry, of: id) }

    /// Removes a waiting deletion because a later change of the transaction stores the record again.
    ///
    /// If that change is local, the deletion is stored in the journal as the remote's change.
    func supersede(_ id: RecordID, origin: ChangeSet.Origin) throws {
        guard let deletion = pending.remove(id) else { return }
        if origin == .local { try holdBack(deletion) }
    }

    /// Makes the waiting deletions that nothing prevents; returns whether there are any.
    ///
    /// They are examined together, because a record that one of them deletes cannot prevent another one.
    func makePossible() throws -> Bool {
        if pending.isEmpty { return false }
        var plan = DeletionPlan()
        for deletion in pending.all {
            if let record = try transaction.record(deletion.id) { plan.add(record, isDecided: true) }
        }
        try complete(&plan, isFirstLook: false)
        let made = pending.all.filter { deletion in
            plan.position(of: deletion.id).map { !plan.isKept($0) } ?? true
        }
        for deletion in made {
            pending.remove(deletion.id)
            if let record = try transaction.record(deletion.id) {
                try transaction.remove(record, origin: deletion.origin)
            } else {
                let state = try log.hierarchy(of: transaction.shape(deletion.id.entity))
                try entries.resolve(DigestedKey(deletion.id.key), of: state)
            }
            if let entry = deletion.entry { try transaction.setShadow(entry) }
        }
        return !made.isEmpty
    }

    /// Keeps the remaining deletions in the journal for the next cycle.
    func holdBackRemaining() throws { for deletion in pending.all { try holdBack(deletion) } }

    /// Keeps a deletion in the journal for the next cycle.
    private func holdBack(_ deletion: PendingDeletions.Deletion) throws {
        if deletion.isInJournal { return }
        guard let record = try transaction.record(deletion.id) else { return }
        try transaction.waiting.holdBack(
            record.id, base: transaction.shadow(record.id), remote: deletion.entry?.known)
    }

    /// Lists a link that a deletion of the remote deletes, if it was inserted locally and never sent.
    func addDeletedLink(_ link: Record) throws {
        if let entry = try entries.entry(of: link), entry.base == nil { deletedLinks.append(link.id) }
    }
}

extension IncomingDeletions {
    /// Records that one reference to a record was removed.
    ///
    /// O(1)
    func release(_ id: RecordID) {
        if knownReleased.insert(id).inserted { released.append(id) }
    }

    /// Records that a deleted record no longer refers to others.
    func releaseTargets(of record: Record, in state: HierarchyState) {
        for reference in state.references(of: record.shape, in: transaction.schema).enforced {
            let key = record.values[reference.position]
            if !key.isNull { release(RecordID(reference.destination.root, key)) }
        }
    }

    /// Adds deletions that wait in the journal and may be possible now, because a record has lost a reference to it.
    ///
    /// A record without a remote of its own is only deleted together with another record. So the records that it
    /// refers to are examined
    ///
    /// - Complexity: O(number of those records), each with a lookup
    func resume() throws {
        var pending = takeReleased()
        if try pending.isEmpty || transaction.synchronized.isEmpty() { return }
        var next = 0
        while next < pending.count {
            let id = pending[next]
            next += 1
            guard let root = transaction.schema[id.entity] else { continue }
            let mayWait = try entries.mayHaveEntries(of: root)
            if try !mayWait && transaction.synchronized.contains(root) { continue }
            guard let record = try transaction.record(id) else { continue }
            if try transaction.synchronized.contains(record.shape) {
                if try mayWait && waitsForDeletion(record) { resumeDeletion(of: id) }
            } else if record.shape.hasReferences {
                try releaseTargets(of: record, in: log.hierarchy(of: record.shape))
                pending += takeReleased()
            }
        }
    }

    /// Returns the released records, and forgets them.
    private func takeReleased() -> [RecordID] {
        defer { released = [] }
        return released
    }

    /// Adds a deletion that waits in the journal.
    private func resumeDeletion(of id: RecordID) {
        pending.add(PendingDeletions.Deletion(id: id, origin: .agreed, isInJournal: true))
    }
}

extension IncomingDeletions {
    /// Whether a record, or one that would be deleted with it, has a local change.
    func hasLocalChange(in record: Record) throws -> Bool {
        var pending = [record]
        var seen: Set<RecordID> = []
        while let record = pending.popLast() {
            guard seen.insert(record.rootID).inserted else { continue }
            if let entry = try entries.entry(of: record), !transaction.isUnedited(record.rootID, record, entry) {
                return true
            }
            for relationship in record.shape.relationships where relationship.definition.deleteRule == .cascade {
                pending += try transaction.rules.targets(of: relationship, from: record)
            }
        }
        return false
    }

    /// Whether the remote has deleted a record that still exists and was not changed locally.
    private func waitsForDeletion(_ record: Record) throws -> Bool {
        guard let entry = try entries.entry(of: record), entry.isUnresolved, entry.remote == nil else { return false }
        return transaction.isUnedited(record.rootID, record, entry)
    }

    /// Adds the records that would be deleted with those of a plan, and finds the records that are kept.
    ///
    /// Other waiting deletions are added as well if their records would be deleted too, or refer to a deleted record.
    ///
    /// - Parameters:
    ///   - plan: A plan with the records that the remote has deleted.
    ///   - isFirstLook: Whether the plan has one record, and the remote may delete others later in the transaction. A
    ///     record that depends on a waiting one is kept then.
    private func complete(_ plan: inout DeletionPlan, isFirstLook: Bool) throws {
        var requirements: [(of: Int, RecordID)] = []
        var position = 0
        while position < plan.records.count {
            let record = plan.records[position]
            defer { position += 1 }
            if try !plan.isDecided(position) && isKept(record) {
                plan.keep(position)
                if isFirstLook { break }
                continue
            }
            guard let affected = try affectedRecords(by: record, in: plan) else {
                plan.keep(position)
                if isFirstLook { break }
                continue
            }
            for child in affected.children {
                plan.add(child: plan.add(child, isDecided: false), of: position)
                if !isFirstLook { try addWaiting(child, to: &plan) }
            }
            for other in affected.required {
                if !isFirstLook { try addWaiting(other, to: &plan) }
                requirements.append((position, other.rootID))
            }
        }
        for (position, other) in requirements {
            if let other = plan.position(of: other) { plan.require(other, for: position) } else { plan.keep(position) }
        }
        plan.resolve()
    }

    /// Adds a record to a plan if its deletion waits in the journal.
    private func addWaiting(_ record: Record, to plan: inout DeletionPlan) throws {
        if let position = plan.position(of: record.rootID), plan.isDecided(position) { return }
        guard try transaction.synchronized.contains(record.shape), try waitsForDeletion(record) else { return }
        plan.add(record, isDecided: true)
        resumeDeletion(of: record.rootID)
    }

    /// Whether a record must be kept that a delete rule would delete with another one.
    ///
    /// That is so if it has a local change, or if it has a remote of its own, which has not deleted it.
    private func isKept(_ record: Record) throws -> Bool {
        if try transaction.synchronized.contains(record.shape) { return true }
        return try entries.entry(of: record) != nil && !waitsForDeletion(record)
    }

    /// Returns the records that are deleted with a record, and those that must be deleted before it may be.
    ///
    /// - Returns: nil if the record is kept in any case.
    private func affectedRecords(
        by record: Record, in plan: DeletionPlan
    ) throws -> (children: [Record], required: [Record])? {
        let rules = transaction.rules
        var children: [Record] = []
        var required: [Record] = []
        for relationship in record.shape.relationships {
            let destination = relationship.definition.destination
            switch (relationship.definition.deleteRule, relationship.storage) {
            case (.cascade, .inverse(let slot, _)):
                guard let others = try records(of: destination, naming: record, in: slot, plan) else { return nil }
                children += others
            case (.cascade, _): children += try rules.targets(of: relationship, from: record)
            case (.deny, _): required += try rules.targets(of: relationship, from: record)
            case (.nullify, .inverse(let slot, _)), (.nullify, .reference(let slot, _, true)):
                guard let others = try records(of: destination, naming: record, in: slot, plan) else { return nil }
                required += try others.filter { try keepsReference(slot, of: $0) }
            default: break
            }
        }
        for incoming in record.shape.incoming {
            guard let others = try records(of: incoming.shape, naming: record, in: incoming.slot, plan) else {
                return nil
            }
            required += try others.filter { try keepsReference(incoming.slot, of: $0) }
        }
        return (children, required)
    }

    /// Returns the records that refer to a record in a slot.
    ///
    /// The first few are examined before all others are read, because one of them often keeps the record already.
    ///
    /// - Returns: nil if one of the first keeps the record, because its own remote has not deleted it.
    private func records(
        of entity: String, naming record: Record, in slot: String, _ plan: DeletionPlan
    ) throws -> [Record]? {
        let limit = 8
        let filter = Filter.comparison(path: slot, .equal, record.key)
        let first = try transaction.records(Query(entity, where: filter, limit: limit))
        for other in first {
            if let position = plan.position(of: other.rootID), plan.isDecided(position) { continue }
            if try transaction.synchronized.contains(other.shape), try !waitsForDeletion(other) { return nil }
        }
        return first.count < limit ? first : try transaction.records(Query(entity, where: filter))
    }

    /// Whether a reference must not be cleared because of a change of the remote.
    private func keepsReference(_ slot: String, of record: Record) throws -> Bool {
        if try transaction.synchronized.contains(record.shape) { return true }
        // A link that is never sent must not prevent the deletion of its ends forever.
        if record.shape.role == .links {
            return try entries.entry(of: record) != nil && transaction.synchronized.isOpened(record.shape)
        }
        if let position = record.shape.slot(named: slot), !record.shape.slots[position].isOptional { return true }
        return try entries.entry(of: record)?.protects(slot, of: record) ?? false
    }

    /// Returns what the delete rules of a shape's records may reach.
    private func reach(of shape: Shape) throws -> DeletionReach {
        if let known = reaches[ObjectIdentifier(shape)] { return known }
        let (schema, synchronized) = (transaction.schema, transaction.synchronized)
        var reach = DeletionReach()
        var pending = [shape]
        var seen: Set<String> = []
        while let next = pending.popLast() {
            guard seen.insert(next.name).inserted else { continue }
            for relationship in next.relationships {
                let destinations = schema.shapes.filter { $0.inherits(relationship.definition.destination) }
                switch (relationship.definition.deleteRule, relationship.storage) {
                case (.cascade, _):
                    pending += destinations
                    reach.roots.formUnion(destinations.map(\.root))
                    if try destinations.contains(where: synchronized.contains) { reach.mayBeDenied = true }
                case (.deny, _): reach.mayBeDenied = true
                case (.nullify, .inverse(let slot, _)), (.nullify, .reference(let slot, _, true)):
                    reach.addClearing(slot, of: destinations)
                    if try destinations.contains(where: synchronized.contains) { reach.mayBeDenied = true }
                default: break
                }
            }
            for incoming in next.incoming {
                let owners = (schema.shapes + schema.internalShapes).filter { $0.inherits(incoming.shape) }
                reach.addClearing(incoming.slot, of: owners)
                if try owners.contains(where: synchronized.contains) { reach.mayBeDenied = true }
            }
        }
        reaches[ObjectIdentifier(shape)] = reach
        return reach
    }
}

/// The reach of the delete rules of a shape's records.
private struct DeletionReach {
    /// The roots of the hierarchies whose records may be deleted or changed.
    var roots: Set<String> = []
    /// Whether a rule may deny the deletion, a mandatory reference may be cleared, or a record with a remote of its own
    /// may be deleted or changed.
    var mayBeDenied = false

    /// Adds a slot of records of some shapes that may be cleared; links are deleted instead.
    mutating func addClearing(_ slot: String, of shapes: [Shape]) {
        for shape in shapes {
            roots.insert(shape.root)
            guard shape.role == nil, let position = shape.slot(named: slot) else { continue }
            if !shape.slots[position].isOptional { mayBeDenied = true }
        }
    }
}
