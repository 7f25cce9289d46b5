import DifferentialSync

extension WriteTransaction {
    /// Makes changes in their order.
    ///
    /// - Throws: ``PersistenceError`` for a change that the schema does not allow, or whose expected state differs, and
    ///   while records are being passed to a body. If a change fails, nothing of the transaction is stored, even if its
    ///   body continues.
    /// - Complexity: O(number of changes and of their consequences), each with a lookup
    public func apply(_ changes: ChangeSet) throws {
        try changing { try applyAll(changes) }
    }

    /// Makes changes that a user has decided on.
    ///
    /// Changes that the schema does not allow are errors.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - areConsequencesAgreed: Whether consequences of agreed changes are agreed too, because all devices receive them
    ///     from this store. Otherwise they are local changes.
    /// - Throws: As ``apply(_:)``; at the end of the transaction also for a change of the remote that would wait.
    package func applyDecided(_ changes: ChangeSet, areConsequencesAgreed: Bool = false) throws {
        try log.deciding(areConsequencesAgreed ? .changesWithConsequences : .changes) { try apply(changes) }
    }

    /// Stores records that a user has decided on, in their order, with agreed consequences.
    ///
    /// - Parameters:
    ///   - records: The records, and whether the transaction has found no record with the key.
    ///   - origin: The origin of the changes.
    /// - Throws: As ``applyDecided(_:)``.
    package func putDecided(_ records: [(record: Record, isNew: Bool)], origin: ChangeSet.Origin) throws {
        try log.deciding(.changesWithConsequences) {
            try changing {
                log.reserve(records.count)
                for (record, isNew) in records { try putChecked(record, origin: origin, isNew: isNew) }
            }
        }
    }

    /// Makes the changes of a set in their order, with the lookups of thousands of them together.
    private func applyAll(_ changes: ChangeSet) throws {
        log.reserve(changes.operations.count)
        try prefetchMetadata([])
        try changes.operations.withUnsafeBufferPointer { operations in
            for position in operations.indices {
                if position % WriteTransaction.lookupCount == 0 {
                    try storage.prefetch {
                        let batch = operations[position...].prefix(WriteTransaction.lookupCount)
                        return try ChangeLookups(of: batch, in: self).all()
                    }
                }
                // Most change sets are like this, and need no further check.
                if case .put(let record) = operations[position], !record.shape.hasPlaces {
                    try putChecked(record, origin: changes.origin)
                } else {
                    try apply(operations[position], origin: changes.origin)
                }
            }
        }
    }

    /// Makes one change.
    private func apply(_ operation: ChangeSet.Operation, origin: ChangeSet.Origin) throws {
        func edit(_ id: RecordID, _ relationship: String) throws -> RelationshipEdit {
            try RelationshipEdit(of: id, relationship, origin: origin, in: self)
        }
        switch operation {
        case .put(var record):
            if origin == .local {
                try checks.adopt(&record)
                record = try placed(record, over: self.record(RecordID(record.shape.root, record.key)))
            }
            try putChecked(record, origin: origin)
        case .update(let id, let values): try update(id, values, origin: origin)
        case .delete(let id): try deleteChecked(id, origin: origin)
        case .exact(let change): try apply(change, origin: origin)
        case .link(let id, let relationship, let key, let place): try edit(id, relationship).link(to: key, at: place)
        case .unlink(let id, let relationship, let key): try edit(id, relationship).unlink(from: key)
        case .setLinks(let id, let relationship, let keys): try edit(id, relationship).set(to: keys)
        case .setShadow(let entry):
            let id = RecordID(try shape(entry.id.entity).root, entry.id.key)
            waiting.setHasStatedShadow(id)
            if !deletions.setShadow(entry, of: id) { try setShadow(entry) }
        case .setMetadata(let name, let value):
            try metadataLog.setPublic(value, for: name)
            synchronized.metadataChanged(name)
        case .keepHistory(let isKept): try history.keepChanges(isKept)
        case .forgetHistory(let sequence): try history.removeTombstones(through: sequence)
        }
    }

    /// Returns a record that an app stores, with its places in ordered relationships, as ``LinkPositions`` finds them.
    ///
    /// - Complexity: O(1) for an entity without places; else a query for the first record of each target
    func placed(_ record: Record, over old: Record?, undoingTo base: Record? = nil) throws -> Record {
        let shape = record.shape
        if !shape.hasPlaces { return record }
        let sides = try log.hierarchy(of: shape).references(of: shape, in: schema).places
        return try log.linkPositions.placed(record, over: old, undoingTo: base, on: sides, self)
    }

    /// Sets the shadow's version of a record, and the remote's if that differs.
    func setShadow(_ entry: JournalEntry) throws { try entries.put(checks.checked(entry)) }

    /// Stores a record after it was checked against the schema.
    ///
    /// - Parameter isNew: Whether no record with its key exists, so that none is looked up.
    func putChecked(_ record: Record, origin: ChangeSet.Origin, isNew: Bool = false) throws {
        if checks.isLatest(record.shape) && !record.shape.hasImplicitKey {
            try checks.check(record)
            return try store(record, origin: origin, isNew: isNew)
        }
        var record = record
        try checks.adopt(&record)
        if record.shape.hasImplicitKey { try log.hierarchy(of: record.shape).keys.assignKey(to: &record, self) }
        try checks.check(record)
        try store(record, origin: origin, isNew: isNew)
    }

    /// Sets some values of a record.
    ///
    /// - Throws: ``PersistenceError`` if the record does not exist, or a value is not admitted.
    private func update(_ id: RecordID, _ values: [String: Value], origin: ChangeSet.Origin) throws {
        try checks.checkIsOpen(shape(id.entity))
        // If the remote has the record but its version is unknown, the local one is the best guess.
        guard let old = try known(id, to: origin) ?? record(id) else {
            throw PersistenceError(
                .missingRecord, "there is no such record to update: store it whole with 'put'", id: id)
        }
        var record = old
        for (name, value) in values {
            guard let slot = record.shape.slot(named: name) else { throw checks.unknownName(name, in: record.shape) }
            if record.shape.keySlots.contains(slot), record.values[slot] != value {
                throw PersistenceError(
                    .wrongType, "a change set does not change a primary key: use 'changeKey(of:to:)' of a transaction",
                    id: id, property: name)
            }
            record.values[slot] = value
        }
        try checks.check(record)
        try store(origin == .local ? placed(record, over: old) : record, origin: origin)
    }

    /// Makes an exact change.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/mismatch`` if the present record is another
    ///   one.
    private func apply(_ change: Change<Record>, origin: ChangeSet.Origin) throws {
        guard let element = change.new ?? change.old else { return }
        let id = element.id
        let present = try known(id, to: origin)
        if present == change.new { return change.new == nil ? () : try putChecked(element, origin: origin) }
        guard present == change.old else {
            let expected = change.old == nil ? "it was to be new, and there is one" : "it is not as it was expected"
            throw PersistenceError(
                .mismatch, "\(expected): read it again, and make the change on what is there now", id: id)
        }
        if let new = change.new {
            try putChecked(new, origin: origin)
        } else {
            try deleteChecked(id, origin: origin)
        }
    }

    /// Deletes a record, with what its delete rules concern.
    func deleteChecked(_ id: RecordID, origin: ChangeSet.Origin) throws {
        let shape = try shape(id.entity)
        try checks.checkIsOpen(shape)
        guard let record = try record(id) else {
            if origin == .remote { return try entries.applyDeletion(of: id) }
            return origin == .agreed ? try entries.resolve(DigestedKey(id.key), of: log.hierarchy(of: shape)) : ()
        }
        if !deletions.isEmpty { try deletions.supersede(RecordID(shape.root, id.key), origin: origin) }
        if origin == .local { return try remove(record, origin: origin) }
        if origin == .remote, try hasLocalChange(in: record) { return try entries.holdBackDeletion(of: record.id) }
        if origin == .remote, try isAnsweredByPayload(DigestedKey(id.key), nil, in: log.hierarchy(of: shape)) {
            return try entries.put(JournalEntry(id: record.id, base: nil))
        }
        try deletions.remove(record, origin: origin)
    }
}
