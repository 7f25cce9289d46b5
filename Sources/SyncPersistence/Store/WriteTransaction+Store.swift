extension WriteTransaction {
    /// Whether a payload has the sent version of an unanswered push, and the record has changed locally since.
    ///
    /// The remote has then accepted the push. The later local change must be kept.
    ///
    /// - Parameter version: The version in the payload; nil for a deletion.
    /// - Complexity: O(1)
    func isAnsweredByPayload(_ key: DigestedKey, _ version: Record?, in state: HierarchyState) throws -> Bool {
        try entries.mergesEdits && inFlight.hasSent(version, key.key, of: state.root)
            && entries.entry(for: key, in: state) == nil
    }

    /// Stores a checked record, with the consequences for the journal and for other records.
    ///
    /// - Parameter isNew: Whether the transaction has found no record with the key.
    func store(
        _ new: Record, origin: ChangeSet.Origin, isConsequence: Bool = false, isNew: Bool = false
    ) throws {
        let key = DigestedKey(new.key)
        let state = try log.hierarchy(of: new.shape)
        if origin == .remote, !isConsequence, try isAnsweredByPayload(key, new, in: state) {
            return try entries.put(JournalEntry(id: new.id, base: new))
        }
        if isNew || state.wasEmpty, state.journal.wasEmpty,
            log.touchFirst(key, of: state, new: new, origin: origin, isConsequence: isConsequence)
        {
            return try insert(new, key, in: state, origin: origin)
        }
        if !isConsequence, !deletions.isEmpty {
            try deletions.supersede(RecordID(state.root.name, key.key), origin: origin)
        }
        var isAgreed = origin == .agreed
        if origin == .remote, let entry = try entries.entry(for: key, in: state) {
            // A waiting version is stored like a change of a record without a local change.
            let id = RecordID(state.root.name, key.key)
            isAgreed = try isUnedited(id, log.record(key, of: new.shape, in: state), entry)
            if !isAgreed {
                return try entries.apply(new, to: entry, in: state, mayChange: waiting.hasDisplacedEdits(of: [id]))
            }
        }
        if !isConsequence, origin != .local { try waiting.willStore(key, of: state) }
        let old = try storage.put(new)
        if let old, old == new {
            log.countUnchanged()
            if isAgreed { try entries.resolve(key, of: state) }
            return
        }
        try inFlight.save(old, key.key, of: state.root)
        if origin == .local {
            try entries.recordEdit(key, of: state, old: old, new: new, mayBeUndone: isConsequence)
        } else if isAgreed {
            try entries.resolve(key, of: state)
        }
        if let old, old.shape != new.shape { rules.requireNoReferences(to: old, replacedBy: new) }
        let former = new.shape.hasReferences ? old : nil
        log.touch(key, of: state, old: consume old, new: new, origin: origin, isConsequence: isConsequence)
        if new.shape.hasReferences { try rules.follow(from: former, to: new, in: state, origin: origin) }
    }

    /// Stores a record that neither the storage nor the journal can have.
    private func insert(_ new: Record, _ key: DigestedKey, in state: HierarchyState, origin: ChangeSet.Origin) throws {
        try storage.insert(new)
        try inFlight.save(nil, key.key, of: state.root)
        if origin == .local { try entries.insert(nil, key, of: new.shape, in: state) }
        if new.shape.hasReferences { try rules.follow(from: nil, to: new, in: state, origin: origin) }
    }

    /// Removes a record, and follows its delete rules.
    func remove(_ record: Record, origin: ChangeSet.Origin, isConsequence: Bool = false) throws {
        // The rules are followed level by level, so a long chain needs no stack.
        var pending = [(record, origin)]
        var isConsequence = isConsequence
        let isIncoming = origin != .local && log.decision == .nothing
        while let (record, origin) = pending.popLast() {
            let key = DigestedKey(record.key)
            let state = try log.hierarchy(of: record.shape)
            if isConsequence, isIncoming, record.shape.role == .links { try deletions.addDeletedLink(record) }
            guard let old = try storage.remove(key.key, in: record.shape) else { continue }
            try inFlight.save(old, key.key, of: state.root)
            if origin == .local {
                try entries.recordEdit(key, of: state, old: old, new: nil)
            } else {
                try entries.resolve(key, of: state)
            }
            if state.isReferenced, log.position(of: key, in: state) != nil {
                rules.requireNoReferences(to: old, replacedBy: nil)
            }
            if record.shape.hasReferences { deletions.releaseTargets(of: old, in: state) }
            log.touch(key, of: state, old: old, new: nil, origin: origin, isConsequence: isConsequence)
            for dependent in try rules.dependents(of: old, origin: origin) {
                // For a deletion of the remote, all consequences were checked before.
                pending.append((dependent, try rules.deletionOrigin(origin, of: dependent)))
            }
            isConsequence = true
        }
    }
}
