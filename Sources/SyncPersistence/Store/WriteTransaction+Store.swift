extension WriteTransaction {
    /// Stores a checked record, with the consequences for the journal and for other records.
    func store(_ new: Record, origin: ChangeSet.Origin, isConsequence: Bool = false) throws {
        if new.shape.role == .links { linkPositions.add(new) }
        let key = DigestedKey(new.key)
        let state = try hierarchy(of: new.shape)
        if state.wasEmpty && state.journalWasEmpty,
            touchFirst(key, of: state, new: new, origin: origin, isConsequence: isConsequence)
        {
            return try insert(new, key, in: state, origin: origin)
        }
        if !isConsequence {
            if !incoming.deletions.isEmpty {
                try supersedeDeletion(RecordID(state.root.name, key.key), origin: origin)
            }
            if origin != .local {
                if hasOtherChanges { try noteEarlier(key, of: state) }
                if !incoming.displacements.isEmpty {
                    incoming.decided[RecordID(state.root.name, key.key)] = incoming.displacements.count
                }
            }
        }
        var isAgreed = origin == .agreed
        if origin == .remote, let entry = try entry(for: key, in: state) {
            // A waiting version is stored like a change of a record without a local change.
            isAgreed = entry.isWaiting(with: try record(key, of: new.shape, in: state))
            if !isAgreed { return try meet(entry, remote: new) }
        }
        let old = try storage.put(new)
        if let old, old == new {
            unchangedCount += 1
            if isAgreed { try settle(key, of: state) }
            return
        }
        try saveSent(old, key.key, in: state)
        if origin == .local {
            try journal(key, of: state, old: old, new: new)
        } else if isAgreed {
            try settle(key, of: state)
        }
        let isNew = old == nil
        if let old, old.shape != new.shape { requireNoNames(of: old, leftBy: new) }
        let former = new.shape.hasReferences ? old : nil
        touch(key, of: state, old: consume old, new: new, origin: origin, isConsequence: isConsequence)
        if isNew { try tombstones.remove(RecordID(new.shape.root, key.key), from: self) }
        if new.shape.hasReferences { try followReferences(from: former, to: new, in: state, origin: origin) }
    }

    /// Stores a record that neither the storage nor the journal can have.
    private func insert(_ new: Record, _ key: DigestedKey, in state: HierarchyState, origin: ChangeSet.Origin) throws {
        try storage.insert(new)
        try saveSent(nil, key.key, in: state)
        if origin == .local { try makeEntry(nil, key, of: new.shape, in: state) }
        if try tombstones.exist(in: self) {
            try tombstones.remove(RecordID(new.shape.root, key.key), from: self)
        }
        if new.shape.hasReferences { try followReferences(from: nil, to: new, in: state, origin: origin) }
    }

    /// Removes a record, and follows its delete rules.
    func remove(_ record: Record, origin: ChangeSet.Origin, isConsequence: Bool = false) throws {
        // The rules are followed level by level, so a long chain needs no stack.
        var pending = [(record, origin)]
        var isConsequence = isConsequence
        let isIncoming = origin != .local && !isDecided
        while let (record, origin) = pending.popLast() {
            let key = DigestedKey(record.key)
            let state = try hierarchy(of: record.shape)
            if isConsequence, isIncoming, record.shape.role == .links { try noteDeletedLink(record) }
            guard let old = try storage.remove(key.key, in: record.shape) else { continue }
            try saveSent(old, key.key, in: state)
            if origin == .local {
                try journal(key, of: state, old: old, new: nil)
            } else {
                try settle(key, of: state)
            }
            if state.isTrusted, position(of: key, in: state) != nil { requireNoNames(of: old, leftBy: nil) }
            if record.shape.hasReferences { releaseNames(of: old, in: state) }
            touch(key, of: state, old: old, new: nil, origin: origin, isConsequence: isConsequence)
            let wasThere = position(of: key, in: state).map { touched[$0].old != nil } ?? true
            try tombstones.put(RecordID(record.shape.root, key.key), wasThere: wasThere, in: self)
            for dependent in try dependents(of: old, origin: origin) {
                // For a deletion of the remote, all consequences were checked before.
                pending.append((dependent, try deletionOrigin(origin, of: dependent)))
            }
            isConsequence = true
        }
    }
}

extension WriteTransaction {
    /// Requires that no reference to a record remains when it is removed, or replaced by one of another entity.
    @discardableResult
    func requireNoNames(of old: Record, leftBy new: Record?) -> [RecordID] {
        let schema = schema
        var targets: [RecordID] = []
        for shape in schema.shapes + schema.internalShapes {
            for slot in shape.slots {
                guard case .reference(let destination, _, true) = slot.content, old.shape.inherits(destination),
                    new?.shape.inherits(destination) != true
                else { continue }
                let target = RecordID(destination, old.key)
                obligations.require(target, namedBy: slot)
                targets.append(target)
            }
        }
        return targets
    }

    /// Records the new references of a record, and keeps one-to-one relationships consistent.
    func followReferences(
        from old: Record?, to new: Record, in state: HierarchyState, origin: ChangeSet.Origin
    ) throws {
        let references = state.references(of: new.shape, in: schema)
        for reference in references.enforced {
            let value = new.values[reference.position]
            if let old, old.shape == new.shape {
                let before = old.values[reference.position]
                if before == value { continue }
                if !before.isNull { incoming.release(RecordID(reference.destination.root, before)) }
            }
            if value.isNull { continue }
            require(value, by: reference)
        }
        if !references.hasExclusive { return }
        let isCause = origin != .local && incoming.cause == nil
        if isCause { incoming.cause = RecordID(new.shape.root, new.key) }
        defer { if isCause { incoming.cause = nil } }
        var new = new
        for relationship in new.shape.relationships {
            guard case .reference(let slot, true, let isSymmetric) = relationship.storage else { continue }
            let (before, now) = (old?[slot] ?? .null, new[slot])
            if isSymmetric, old == nil, let answered = try answerNames(relationship, slot, of: new, origin) {
                new = answered
                continue
            }
            if before == now { continue }
            if isSymmetric, !before.isNull {
                try release(
                    relationship, slot, of: RecordID(relationship.definition.destination, before), from: new.key, origin
                )
            }
            if now.isNull { continue }
            let query = Query(relationship.declaredBy, where: .comparison(path: slot, .equal, now))
            for other in try records(query) where other.key != new.key {
                try set(slot, of: other, toFollow: .null, origin)
            }
            if isSymmetric, let partner = try record(RecordID(relationship.definition.destination, now)),
                partner[slot] != new.key
            {
                try set(slot, of: partner, toFollow: new.key, origin)
            }
        }
    }

    /// Records a reference, whose target must exist at the end.
    private func require(_ key: Value, by reference: ReferenceSlots.Reference) {
        if reference.latest == key { return }
        reference.latest = key
        if reference.hierarchy == nil { reference.hierarchy = knownHierarchy(of: reference.destination) }
        // An existing target is checked again if it is deleted.
        if let state = reference.hierarchy,
            let position = position(of: DigestedKey(key), in: state),
            let shape = touched[position].new?.shape,
            shape === reference.destination || shape.inherits(reference.destination.name)
        {
            state.isTrusted = true
        } else {
            obligations.require(RecordID(reference.destination.name, key), namedBy: reference.slot)
        }
    }

    /// Completes a one-to-one relationship of a new record that another one already refers to.
    ///
    /// If the new record refers to a third one, the other reference is cleared.
    ///
    /// - Returns: The new record with its reference, if it was given one.
    private func answerNames(
        _ relationship: ShapeRelationship, _ slot: String, of new: Record, _ origin: ChangeSet.Origin
    ) throws -> Record? {
        let query = Query(relationship.declaredBy, where: .comparison(path: slot, .equal, new.key))
        for other in try records(query) where other.key != new.key && other.key != new[slot] {
            if new[slot].isNull {
                try set(slot, of: new, toFollow: other.key, origin)
                return try record(new.id) ?? new
            }
            try set(slot, of: other, toFollow: .null, origin)
        }
        return nil
    }

    /// Clears the reference of the former partner in a one-to-one relationship.
    private func release(
        _ relationship: ShapeRelationship, _ slot: String, of id: RecordID, from key: Value,
        _ origin: ChangeSet.Origin
    ) throws {
        guard let partner = try record(id), partner[slot] == key else { return }
        try set(slot, of: partner, toFollow: .null, origin)
    }

    /// Changes a reference because another record was stored.
    private func set(
        _ slot: String, of record: Record, toFollow value: Value, _ origin: ChangeSet.Origin
    ) throws {
        let origin = try consequenceOrigin(origin, for: record)
        var changed = record
        changed[slot] = value
        let victim = RecordID(record.shape.root, record.key)
        if let cause = incoming.cause, cause != victim {
            let entry = try entry(for: DigestedKey(record.key), in: hierarchy(of: record.shape))
            incoming.displacements.append(
                IncomingChanges.Displacement(
                    cause: cause, victim: victim, slot: slot, before: record[slot], after: value,
                    shadow: entry.map { $0.base?[slot] ?? .null } ?? record[slot],
                    isProtected: incoming.hasTaken(slot, from: victim) || entry?.protects(slot, of: record) ?? false,
                    index: incoming.displacements.count))
        }
        try store(changed, origin: origin, isConsequence: true)
        if value.isNull { noteMandatory(slot, of: changed) }
    }

    /// Returns the origin of a consequence for a record.
    ///
    /// A change of a record with a local change is local too, so that neither is lost. A consequence of an agreed
    /// change must be sent, because the remote may not know it.
    func consequenceOrigin(_ origin: ChangeSet.Origin, for record: Record) throws -> ChangeSet.Origin {
        guard origin == .remote else { return .local }
        return try entry(for: DigestedKey(record.key), in: hierarchy(of: record.shape)) == nil ? .remote : .local
    }

    /// Returns the origin of a deletion that is a consequence of another one.
    private func deletionOrigin(_ origin: ChangeSet.Origin, of record: Record) throws -> ChangeSet.Origin {
        guard origin == .agreed else { return origin }
        // A record that the remote has deleted too is agreed.
        let entry = try entry(for: DigestedKey(record.key), in: hierarchy(of: record.shape))
        return entry.map { $0.isUnsettled && $0.remote == nil } ?? false ? .agreed : .local
    }
}
