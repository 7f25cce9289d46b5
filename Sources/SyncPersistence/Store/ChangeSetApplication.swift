import DifferentialSync

/// The application of a change set.
struct ChangeSetApplication {
    /// The transaction that makes the changes.
    private let transaction: WriteTransaction
    /// The changes.
    private let operations: [ChangeSet.Operation]
    /// The side that the changes come from.
    private let origin: ChangeSet.Origin

    /// Begins to apply a change set.
    init(of changes: ChangeSet, in transaction: WriteTransaction) {
        self.transaction = transaction
        (operations, origin) = (changes.operations, changes.origin)
    }

    /// Makes the changes in their order, with the lookups of thousands of them together.
    func run() throws {
        transaction.log.reserve(operations.count)
        try transaction.prefetchMetadata([])
        try operations.withUnsafeBufferPointer { operations in
            for position in operations.indices {
                if position % WriteTransaction.lookupCount == 0 {
                    try transaction.storage.prefetch {
                        let batch = operations[position...].prefix(WriteTransaction.lookupCount)
                        return try ChangeLookups(of: batch, in: transaction).all()
                    }
                }
                // Most change sets are like this, and need no further check.
                if case .put(let record) = operations[position], !record.shape.hasPlaces {
                    try transaction.putChecked(record, origin: origin)
                } else {
                    try apply(operations[position])
                }
            }
        }
    }

    /// Makes one change.
    private func apply(_ operation: ChangeSet.Operation) throws {
        switch operation {
        case .put(var record):
            if origin == .local {
                try transaction.checks.adopt(&record)
                let present = try transaction.record(record.rootID)
                record = try transaction.placed(record, over: present)
            }
            try transaction.putChecked(record, origin: origin)
        case .update(let id, let values): try update(id, values)
        case .delete(let id): try transaction.deleteChecked(id, origin: origin)
        case .exact(let change): try apply(change)
        case .link(let id, let relationship, let key, let place): try edit(id, relationship).link(to: key, at: place)
        case .unlink(let id, let relationship, let key): try edit(id, relationship).unlink(from: key)
        case .setLinks(let id, let relationship, let keys): try edit(id, relationship).set(to: keys)
        case .setShadow(let entry):
            let id = RecordID(try transaction.shape(entry.id.entity).root, entry.id.key)
            transaction.waiting.setHasStatedShadow(id)
            if !transaction.deletions.setShadow(entry, of: id) { try transaction.setShadow(entry) }
        case .setMetadata(let name, let value):
            try transaction.metadataLog.setPublic(value, for: name)
            transaction.synchronized.metadataChanged(name)
        case .keepHistory(let isKept): try transaction.history.keepChanges(isKept)
        case .forgetHistory(let sequence): try transaction.history.removeTombstones(through: sequence)
        }
    }

    /// Begins to change a relationship.
    private func edit(_ id: RecordID, _ relationship: String) throws -> RelationshipEdit {
        try RelationshipEdit(of: id, relationship, origin: origin, in: transaction)
    }

    /// Sets some values of a record.
    ///
    /// - Throws: ``PersistenceError`` if the record does not exist, or a value is not admitted.
    private func update(_ id: RecordID, _ values: [String: Value]) throws {
        try transaction.checks.checkIsOpen(transaction.shape(id.entity))
        // If the remote has the record but its version is unknown, the local one is the best guess.
        guard let old = try transaction.known(id, to: origin) ?? transaction.record(id) else {
            throw PersistenceError(
                .missingRecord, "there is no such record to update: store it whole with 'put'", id: id)
        }
        var record = old
        for (name, value) in values {
            guard let slot = record.shape.slot(named: name) else {
                throw transaction.checks.unknownName(name, in: record.shape)
            }
            if record.shape.keySlots.contains(slot), record.values[slot] != value {
                throw PersistenceError(
                    .wrongType, "a change set does not change a primary key: use 'changeKey(of:to:)' of a transaction",
                    id: id, property: name)
            }
            record.values[slot] = value
        }
        try transaction.checks.check(record)
        try transaction.store(origin == .local ? transaction.placed(record, over: old) : record, origin: origin)
    }

    /// Makes an exact change.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/mismatch`` if the present record is another
    ///   one.
    private func apply(_ change: Change<Record>) throws {
        guard let element = change.new ?? change.old else { return }
        let id = element.id
        let present = try transaction.known(id, to: origin)
        if present == change.new {
            return change.new == nil ? () : try transaction.putChecked(element, origin: origin)
        }
        guard present == change.old else {
            let expected = change.old == nil ? "it was to be new, and there is one" : "it is not as it was expected"
            throw PersistenceError(
                .mismatch, "\(expected): read it again, and make the change on what is there now", id: id)
        }
        if let new = change.new {
            try transaction.putChecked(new, origin: origin)
        } else {
            try transaction.deleteChecked(id, origin: origin)
        }
    }
}
