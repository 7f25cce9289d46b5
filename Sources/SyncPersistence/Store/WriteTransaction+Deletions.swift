/// Deletions of the remote, which must not take local changes with them.
extension WriteTransaction {
    /// Deletes a record because the remote has, or leaves that to the end of the transaction if something stands against
    /// it now.
    func removeIncoming(_ record: Record, origin: ChangeSet.Origin) throws {
        if isDecided { return try remove(record, origin: origin) }
        let reach = try deletionReach(of: record.shape)
        let mayBeBlocked =
            try reach.mayBeDenied || reach.roots.contains { try mayHaveEntries(of: shape($0)) }
        if mayBeBlocked {
            var plan = DeletionPlan()
            plan.add(record, isDecided: true)
            try complete(&plan, isFirstLook: true)
            if plan.isKept(0) {
                let id = RecordID(record.shape.root, record.key)
                return incoming.deletions.add(PendingDeletions.Deletion(id: id, origin: origin))
            }
        }
        try remove(record, origin: origin)
    }

    /// Notes what a change set says of the shadow of a record whose deletion is left to the end; answers whether there is
    /// such a deletion.
    func noteShadowOfDeletion(_ entry: JournalEntry) throws -> Bool {
        if incoming.deletions.isEmpty && incoming.displacements.isEmpty { return false }
        let id = RecordID(try shape(entry.id.entity).root, entry.id.key)
        if !incoming.displacements.isEmpty { incoming.statedShadows[id] = incoming.displacements.count }
        return incoming.deletions.setEntry(entry, of: id)
    }

    /// A record whose deletion was left to the end is changed: a remote change supersedes the deletion, and a local one
    /// is noted beside it.
    func supersedeDeletion(_ id: RecordID, origin: ChangeSet.Origin) throws {
        guard let deletion = incoming.deletions.remove(id) else { return }
        if origin == .local { try keepBack(deletion) }
    }

    /// Makes those of the deletions left to the end that nothing stands against; answers whether there are any.
    ///
    /// They are looked at together: what one of them deletes does not stand against another.
    func makeDeletions() throws -> Bool {
        if incoming.deletions.isEmpty { return false }
        var plan = DeletionPlan()
        for deletion in incoming.deletions.all {
            if let record = try record(deletion.id) { plan.add(record, isDecided: true) }
        }
        try complete(&plan, isFirstLook: false)
        let made = incoming.deletions.all.filter { deletion in
            plan.position(of: deletion.id).map { !plan.isKept($0) } ?? true
        }
        for deletion in made {
            incoming.deletions.remove(deletion.id)
            if let record = try record(deletion.id) {
                try remove(record, origin: deletion.origin)
            } else {
                try settle(DigestedKey(deletion.id.key), of: hierarchy(of: shape(deletion.id.entity)))
            }
            if let entry = deletion.entry { try setShadow(entry) }
        }
        return !made.isEmpty
    }

    /// Keeps a record that the remote has deleted, with a note of that for the next cycle.
    func keepBack(_ deletion: PendingDeletions.Deletion) throws {
        if deletion.isNoted { return }
        guard let record = try record(deletion.id) else { return }
        try keepBack(record.id, base: shadow(record.id), remote: deletion.entry?.known)
    }
}

extension WriteTransaction {
    private func rootID(_ record: Record) -> RecordID { RecordID(record.shape.root, record.key) }

    /// Adds to a plan what would be deleted with its records, and finds what is kept.
    ///
    /// What else waits for its deletion, and would be deleted too or names such a record, is added as well.
    ///
    /// - Parameters:
    ///   - plan: A plan with the records that the remote has deleted.
    ///   - isFirstLook: Whether the plan has one record, and the remote may delete others later in the transaction. What
    ///     depends on one that waits is kept then.
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
            guard let company = try company(of: record, in: plan) else {
                plan.keep(position)
                if isFirstLook { break }
                continue
            }
            for child in company.children {
                plan.add(child: plan.add(child, isDecided: false), of: position)
                if !isFirstLook { try addWaiting(child, to: &plan) }
            }
            for other in company.required {
                if !isFirstLook { try addWaiting(other, to: &plan) }
                requirements.append((position, rootID(other)))
            }
        }
        for (position, other) in requirements {
            if let other = plan.position(of: other) { plan.require(other, for: position) } else { plan.keep(position) }
        }
        plan.settle()
    }

    /// Adds a record whose deletion waits to a plan.
    private func addWaiting(_ record: Record, to plan: inout DeletionPlan) throws {
        if let position = plan.position(of: rootID(record)), plan.isDecided(position) { return }
        guard try isSynchronized(record.shape), try waitsForDeletion(record) else { return }
        plan.add(record, isDecided: true)
        resumeDeletion(of: rootID(record))
    }

    /// Whether a record that the remote has not deleted in the transaction must not be deleted with another one: it has a
    /// local change, or a remote of its own has not deleted it.
    private func isKept(_ record: Record) throws -> Bool {
        if try isSynchronized(record.shape) { return true }
        return try entry(of: record) != nil && !waitsForDeletion(record)
    }

    /// The records that are deleted with a record, and those that must be, lest the record is kept; nil if it is kept
    /// anyway.
    private func company(
        of record: Record, in plan: DeletionPlan
    ) throws -> (children: [Record], required: [Record])? {
        var children: [Record] = []
        var required: [Record] = []
        for relationship in record.shape.relationships {
            let destination = relationship.definition.destination
            switch (relationship.definition.deleteRule, relationship.storage) {
            case (.cascade, .inverse(let slot, _)):
                guard let others = try naming(record, destination, slot, in: plan) else { return nil }
                children += others
            case (.cascade, _): children += try targets(of: relationship, from: record)
            case (.deny, _): required += try targets(of: relationship, from: record)
            case (.nullify, .inverse(let slot, _)), (.nullify, .reference(let slot, _, true)):
                guard let others = try naming(record, destination, slot, in: plan) else { return nil }
                required += try others.filter { try keepsReference(slot, of: $0) }
            default: break
            }
        }
        for incoming in record.shape.incoming {
            guard let others = try naming(record, incoming.shape, incoming.slot, in: plan) else { return nil }
            required += try others.filter { try keepsReference(incoming.slot, of: $0) }
        }
        return (children, required)
    }

    /// The records that name a record by a slot; nil if one of the first keeps it, as its own remote has not deleted it.
    ///
    /// So a record that waits is looked at without reading all that it waits for.
    private func naming(
        _ record: Record, _ entity: String, _ slot: String, in plan: DeletionPlan
    ) throws -> [Record]? {
        let limit = 8
        let first = try records(Query(entity, where: .comparison(path: slot, .equal, record.key), limit: limit))
        for other in first {
            if let position = plan.position(of: rootID(other)), plan.isDecided(position) { continue }
            if try isSynchronized(other.shape), try !waitsForDeletion(other) { return nil }
        }
        if first.count < limit { return first }
        return try records(Query(entity, where: .comparison(path: slot, .equal, record.key)))
    }

    /// Whether a reference must not be cleared because of a change of the remote.
    private func keepsReference(_ slot: String, of record: Record) throws -> Bool {
        if try isSynchronized(record.shape) { return true }
        // A link that no cycle sends would keep its ends for good.
        if record.shape.role == .links { return try entry(of: record) != nil && isOpened(record.shape) }
        if let position = record.shape.slot(named: slot), !record.shape.slots[position].isOptional { return true }
        return try entry(of: record)?.protects(slot, of: record) ?? false
    }

    /// What the delete rules of a shape's records may reach.
    private func deletionReach(of shape: Shape) throws -> DeletionReach {
        if let known = incoming.reaches[ObjectIdentifier(shape)] { return known }
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
                    if try destinations.contains(where: isSynchronized) { reach.mayBeDenied = true }
                case (.deny, _): reach.mayBeDenied = true
                case (.nullify, .inverse(let slot, _)), (.nullify, .reference(let slot, _, true)):
                    reach.note(slot, of: destinations)
                    if try destinations.contains(where: isSynchronized) { reach.mayBeDenied = true }
                default: break
                }
            }
            for incoming in next.incoming {
                let owners = (schema.shapes + schema.internalShapes).filter { $0.inherits(incoming.shape) }
                reach.note(incoming.slot, of: owners)
                if try owners.contains(where: isSynchronized) { reach.mayBeDenied = true }
            }
        }
        incoming.reaches[ObjectIdentifier(shape)] = reach
        return reach
    }
}

extension DeletionReach {
    /// Notes that a slot of records of some shapes may be cleared; links are deleted instead.
    fileprivate mutating func note(_ slot: String, of shapes: [Shape]) {
        for shape in shapes {
            roots.insert(shape.root)
            guard shape.role == nil, let position = shape.slot(named: slot) else { continue }
            if !shape.slots[position].isOptional { mayBeDenied = true }
        }
    }
}
