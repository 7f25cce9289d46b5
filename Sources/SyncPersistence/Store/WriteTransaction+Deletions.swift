/// Deletions of the remote, which must not take local changes with them.
extension WriteTransaction {
    /// Deletes a record because the remote has, or leaves that to the end of the transaction if something stands against
    /// it now.
    func removeIncoming(_ record: Record, origin: ChangeSet.Origin) throws {
        if isDecided { return try remove(record, origin: origin) }
        let id = RecordID(record.shape.root, record.key)
        let reach = try deletionReach(of: record.shape)
        let mayBeBlocked =
            try reach.mayBeDenied || reach.roots.contains { try mayHaveEntries(of: shape($0)) }
        if mayBeBlocked {
            let closure = try cascade(from: record)
            if try isBlocked(closure, going: Set(closure.map(rootID)), decided: [id]) {
                incoming.deletions.append(IncomingChanges.Deletion(id: id, origin: origin))
                return
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
        guard let position = incoming.deletions.firstIndex(where: { $0.id == id }) else { return false }
        incoming.deletions[position].entry = entry
        return true
    }

    /// A record whose deletion was left to the end is changed: a remote change supersedes the deletion, and a local one
    /// is noted beside it.
    func supersedeDeletion(_ id: RecordID, origin: ChangeSet.Origin) throws {
        guard let position = incoming.deletions.firstIndex(where: { $0.id == id }) else { return }
        let deletion = incoming.deletions.remove(at: position)
        if origin == .local { try keepBack(deletion) }
    }

    /// Makes those of the deletions left to the end that nothing stands against; answers whether there are any.
    ///
    /// They are looked at together: what one of them deletes does not stand against another.
    func makeDeletions() throws -> Bool {
        var candidates = incoming.deletions
        while !candidates.isEmpty {
            let closures = try candidates.map { try record($0.id).map(cascade) ?? [] }
            let going = Set(closures.joined().map(rootID))
            let decided = Set(candidates.map(\.id))
            let free = try candidates.indices.filter { try !isBlocked(closures[$0], going: going, decided: decided) }
            if free.count == candidates.count { break }
            candidates = free.map { candidates[$0] }
        }
        let made = Set(candidates.map(\.id))
        incoming.deletions.removeAll { made.contains($0.id) }
        for deletion in candidates {
            if let record = try record(deletion.id) {
                try remove(record, origin: deletion.origin)
            } else {
                try settle(DigestedKey(deletion.id.key), of: hierarchy(of: shape(deletion.id.entity)))
            }
            if let entry = deletion.entry { try setShadow(entry) }
        }
        return !candidates.isEmpty
    }

    /// Keeps a record that the remote has deleted, with a note of that for the next cycle.
    func keepBack(_ deletion: IncomingChanges.Deletion) throws {
        guard let record = try record(deletion.id) else { return }
        try keepBack(record.id, base: shadow(record.id), remote: deletion.entry?.known)
    }
}

extension WriteTransaction {
    private func rootID(_ record: Record) -> RecordID { RecordID(record.shape.root, record.key) }

    /// A record, and those that are deleted with it.
    private func cascade(from record: Record) throws -> [Record] {
        var records: [Record] = []
        var pending = [record]
        var seen: Set<RecordID> = []
        while let record = pending.popLast() {
            guard seen.insert(rootID(record)).inserted else { continue }
            records.append(record)
            for relationship in record.shape.relationships where relationship.definition.deleteRule == .cascade {
                pending += try targets(of: relationship, from: record)
            }
        }
        return records
    }

    /// Whether a deletion would take a local change or a waiting one with it, leave a reference empty that must have a
    /// value, or is denied.
    ///
    /// - Parameters:
    ///   - closure: The record, and those that are deleted with it.
    ///   - going: All records that are deleted at once.
    ///   - decided: Those of them that the remote itself has deleted.
    private func isBlocked(_ closure: [Record], going: Set<RecordID>, decided: Set<RecordID>) throws -> Bool {
        for record in closure {
            if !decided.contains(rootID(record)), let entry = try entry(of: record),
                entry.remote != nil || !entry.isWaiting(with: record)
            {
                return true
            }
            for relationship in record.shape.relationships {
                switch (relationship.definition.deleteRule, relationship.storage) {
                case (.deny, _):
                    let others = try targets(of: relationship, from: record)
                    if others.contains(where: { !going.contains(rootID($0)) }) { return true }
                case (.nullify, .inverse(let slot, _)), (.nullify, .reference(let slot, _, true)):
                    let others = try targets(of: relationship, from: record)
                    for other in others where other[slot] == record.key && !going.contains(rootID(other)) {
                        if try keepsReference(slot, of: other) { return true }
                    }
                default: break
                }
            }
            for incoming in record.shape.incoming {
                let query = Query(incoming.shape, where: .comparison(path: incoming.slot, .equal, record.key))
                for other in try records(query) where !going.contains(rootID(other)) {
                    if try keepsReference(incoming.slot, of: other) { return true }
                }
            }
        }
        return false
    }

    /// Whether a reference must not be cleared because of a change of the remote.
    private func keepsReference(_ slot: String, of record: Record) throws -> Bool {
        if record.shape.role == .links {
            // A link that no cycle sends would keep its ends for good.
            guard let entry = try entry(of: record), entry.base == nil else { return false }
            return try CycleMetadata.names(of: record.entity).contains { try metadata($0) != nil }
        }
        if let position = record.shape.slot(named: slot), !record.shape.slots[position].isOptional { return true }
        return try entry(of: record)?.protects(slot, of: record) ?? false
    }

    private func entry(of record: Record) throws -> JournalEntry? {
        try entry(for: DigestedKey(record.key), in: hierarchy(of: record.shape))
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
                case (.deny, _): reach.mayBeDenied = true
                case (.nullify, .inverse(let slot, _)), (.nullify, .reference(let slot, _, true)):
                    reach.note(slot, of: destinations)
                default: break
                }
            }
            for incoming in next.incoming {
                reach.note(
                    incoming.slot, of: (schema.shapes + schema.internalShapes).filter { $0.inherits(incoming.shape) })
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
