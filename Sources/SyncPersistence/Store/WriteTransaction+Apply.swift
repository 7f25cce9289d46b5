extension WriteTransaction {
    /// Makes changes in their order.
    ///
    /// - Throws: ``PersistenceError`` for a change that the schema does not allow, or whose expected state differs, and
    ///   while records are being passed to a body. If a change fails, nothing of the transaction is stored, even if its
    ///   body continues.
    /// - Complexity: O(number of changes and of their consequences), each with a lookup
    public func apply(_ changes: ChangeSet) throws {
        try changing { try ChangeSetApplication(of: changes, in: self).run() }
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
