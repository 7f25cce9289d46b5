/// Changes of the remote that the schema does not allow yet: they wait, and none is lost.
extension WriteTransaction {
    /// Reverts changes of the remote that violate the schema, so that the rest of the transaction reads what will be
    /// stored.
    ///
    /// These are records that refer to a missing one, records that would take a reference from a record with a local
    /// change, and deletions that would delete a local change. The journal stores the remote's versions as unresolved.
    /// They are tried again by the next cycle, and by the transaction that stores what they wait for.
    ///
    /// It runs at the end of each transaction, and may run before.
    ///
    /// - Returns: The missing targets of local changes.
    @discardableResult
    package func settleIncoming() throws -> [RecordID] {
        var missing: [RecordID] = []
        var isStable = false
        while !isStable {
            try resumeDeletions()
            let hasResumed = try resumeAwaiting()
            missing = try missingTargets()
            let hasPutBack = try putBackNames(of: missing)
            let hasDeleted = try makeDeletions()
            isStable = try !putBackDisplacing() && !hasPutBack && !hasDeleted && !hasResumed
        }
        for deletion in incoming.deletions.all { try keepBack(deletion) }
        try noteAwaited(by: incoming.putBack)
        incoming = IncomingChanges()
        return missing
    }

    /// The missing records that others refer to.
    func missingTargets() throws -> [RecordID] {
        try obligations.references.keys.filter { try record($0) == nil }.sorted { left, right in
            left.entity == right.entity
                ? Value.areInIncreasingOrder(left.key, right.key) : left.entity < right.entity
        }
    }

    /// Reverts the remote's records that refer to a missing one, and those that refer to them; returns whether there
    /// are any.
    private func putBackNames(of missing: [RecordID]) throws -> Bool {
        if !hasArrivals { return false }
        var hasPutBack = false
        var pending = missing
        while let target = pending.popLast() {
            guard let references = obligations.references[target], try record(target) == nil else { continue }
            let naming = try references.all.flatMap { slot in
                try records(Query(slot.declaredBy, where: .comparison(path: slot.name, .equal, target.key)))
            }
            var ids = naming.map { RecordID($0.shape.root, $0.key) }
            // References were right before the remote replaced the record by one of another entity.
            if try !naming.allSatisfy(isArrival) { ids = [RecordID(try shape(target.entity).root, target.key)] + ids }
            for id in ids where try record(target) == nil {
                guard let back = try putBack(id) else { continue }
                pending += back
                hasPutBack = true
            }
        }
        return hasPutBack
    }

    /// Reverts the remote's records that have taken a reference from a record with a local change, or from one that
    /// must have it; returns whether there are any.
    private func putBackDisplacing() throws -> Bool {
        var hasPutBack = false
        for displacement in incoming.openDisplacements {
            guard let victim = try record(displacement.victim), victim[displacement.slot] == displacement.after,
                let slot = victim.shape.slot(named: displacement.slot)
            else { continue }
            let isMissing = victim.values[slot].isNull && !victim.shape.slots[slot].isOptional
            if !isMissing && !displacement.isProtected { continue }
            if try putBack(displacement.cause) != nil { hasPutBack = true }
        }
        return hasPutBack
    }

    private func isArrival(_ record: Record) throws -> Bool {
        try position(of: DigestedKey(record.key), in: hierarchy(of: record.shape)).map { touched[$0].isArrival }
            ?? false
    }
}

extension WriteTransaction {
    /// Keeps a record and its entry as they were before the remote's change, if the transaction itself had changed
    /// them.
    func noteEarlier(_ key: DigestedKey, of state: HierarchyState) throws {
        guard let position = position(of: key, in: state), !touched[position].isArrival else { return }
        incoming.earlier[RecordID(state.root.name, key.key)] = (touched[position].new, try entry(for: key, in: state))
    }

    /// Restores a record to its state before the remote's change, which the journal stores.
    ///
    /// - Returns: Records that may now be missing targets; nil if the remote has not changed the record.
    private func putBack(_ id: RecordID) throws -> [RecordID]? {
        let (key, state) = (DigestedKey(id.key), try hierarchy(of: shape(id.entity)))
        guard let position = position(of: key, in: state), touched[position].isArrival,
            let present = touched[position].new
        else { return nil }
        let known = if let entry = try entry(for: key, in: state) { entry.known } else { Optional(present) }
        let earlier = try incoming.earlier[id] ?? (touched[position].old, formerEntry(key, of: state))
        var record = earlier.record
        var base = if let entry = earlier.entry { entry.base } else { record }
        if let old = record { try dropMissingNames(of: old, &record, &base, isEdited: earlier.entry != nil, in: state) }
        if let record { _ = try storage.put(record) } else { _ = try storage.remove(key.key, in: state.root) }
        touch(key, of: state, old: present, new: record, origin: .agreed, isConsequence: true)
        touched[position].isArrival = false
        if record == nil { try tombstones.put(id, wasThere: touched[position].old != nil, in: self) }
        let entity = (record ?? base ?? known)?.entity ?? id.entity
        try keepBack(RecordID(entity, id.key), base: base, remote: known)
        for displacement in incoming.openDisplacements.reversed() where displacement.cause == id {
            try restore(displacement)
        }
        incoming.putBack.append(id)
        return requireNoNames(of: present, leftBy: record)
    }

    /// Clears a restored record's references to records that were deleted meanwhile.
    ///
    /// A record that must have such a reference is removed.
    private func dropMissingNames(
        of old: Record, _ record: inout Record?, _ base: inout Record?, isEdited: Bool, in state: HierarchyState
    ) throws {
        for reference in state.references(of: old.shape, in: schema).enforced {
            let name = old.values[reference.position]
            if name.isNull { continue }
            if try self.record(RecordID(reference.destination.name, name)) != nil { continue }
            if !reference.slot.isOptional {
                if !isEdited { (record, base) = (nil, nil) }
                return
            }
            record?.values[reference.position] = .null
            if let shadow = base, shadow[reference.slot.name] == name { base?[reference.slot.name] = .null }
        }
    }

    /// Restores a reference that another stored record had taken.
    private func restore(_ displacement: IncomingChanges.Displacement) throws {
        guard let present = try record(displacement.victim), present[displacement.slot] == displacement.after else {
            return
        }
        var record = present
        record[displacement.slot] = displacement.before
        let (key, state) = (DigestedKey(record.key), try hierarchy(of: record.shape))
        let entry = try entry(for: key, in: state)
        var shadow = if let entry { entry.base } else { Optional(present) }
        let isStated = displacement.index < incoming.statedShadows[displacement.victim, default: 0]
        if !isStated, shadow?.shape.slot(named: displacement.slot) != nil {
            shadow?[displacement.slot] = displacement.shadow
        }
        _ = try storage.put(record)
        touch(key, of: state, old: present, new: record, origin: .local, isConsequence: true)
        try setShadow(
            JournalEntry(
                id: record.id, base: shadow, isUnsettled: entry?.isUnsettled ?? false, remote: entry?.remote))
    }

    /// Stores the remote's version of a record beside it, and lists the record if that version is new.
    func keepBack(_ id: RecordID, base: Record?, remote: Record?) throws {
        let (key, state) = (DigestedKey(id.key), try hierarchy(of: shape(id.entity)))
        let former = try formerEntry(key, of: state)
        try setShadow(JournalEntry(id: id, base: base, isUnsettled: base != remote, remote: remote))
        hasConsequences = true
        if base == remote || former?.isUnsettled == true && former?.base == base && former?.remote == remote { return }
        heldBack.append(id)
    }

    /// Returns the journal's entry of a record before the transaction.
    private func formerEntry(_ key: DigestedKey, of state: HierarchyState) throws -> JournalEntry? {
        if let former = state.formerEntries[key.key] { return try former.map { try JournalEntry($0, schema: schema) } }
        return state.journalWasEmpty || state.newEntries.contains(key.key) ? nil : try entry(for: key, in: state)
    }
}
