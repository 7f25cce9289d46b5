/// What the synchronization of a whole store needs of a transaction, besides the public functions of a transaction and
/// ``PayloadStore``.
extension WriteTransaction {
    /// Sets metadata under a name of the library's own, or removes it for nil.
    package func setLibraryMetadata(_ value: String?, for name: String) throws {
        try changing { _ = try metadataLog.set(value, for: name) }
        synchronized.metadataChanged(name)
    }

    /// Sets metadata of the library that is no change of the store: it makes no commit.
    package func setUncountedMetadata(_ value: String?, for name: String) throws {
        try changing { _ = try metadataLog.setUncounted(value, for: name) }
    }

    /// Binds the whole store to an account.
    ///
    /// From then on each record has a remote of its own, except those of entities that the remote lacks.
    ///
    /// - Parameters:
    ///   - account: The account; nil to end the binding.
    ///   - missing: The roots of the hierarchies that the remote lacks.
    package func bindStore(to account: String?, without missing: [String]) throws {
        try setLibraryMetadata(account, for: SynchronizedEntities.accountName)
        let text = missing.isEmpty ? nil : missing.sorted().joined(separator: "\n")
        try setLibraryMetadata(text, for: SynchronizedEntities.missingName)
    }

    /// Returns why the schema does not allow a record, apart from its references; nil if it does.
    package func problem(of record: Record) -> PersistenceError? { checks.problem(of: record) }
}

extension WriteTransaction {
    /// Stores a record of the store's own schema, unless that does not allow it.
    ///
    /// - Returns: Why the schema does not allow the record, apart from its references; nil if it is stored.
    package func putUnlessInvalid(_ record: Record, origin: ChangeSet.Origin) throws -> PersistenceError? {
        if let problem = problem(of: record) { return problem }
        try changing {
            var record = record
            if record.shape.hasImplicitKey { try log.hierarchy(of: record.shape).keys.assignKey(to: &record, self) }
            try store(record, origin: origin)
        }
        return nil
    }

    /// Counts the key of a record that the remote has had, so that no new record gets it. O(1)
    package func countKey(_ key: Value, of shape: Shape) throws {
        guard shape.hasImplicitKey, case .integer = key else { return }
        try changing {
            var former = Record(shape, slots: shape.slots.map(\.defaultValue))
            former.values[shape.keySlots[0]] = key
            try log.hierarchy(of: shape).keys.assignKey(to: &former, self)
        }
    }

    /// Returns the one-to-one references that records have lost to records of the remote, in the changes that were
    /// settled since the last call.
    ///
    /// They are those of records without a local change whose own new versions the remote has not stated.
    package func takeLostReferences() -> [LostReference] { waiting.takeLostReferences() }

    /// Stores the records of a push of the whole store before it is sent, in their order.
    ///
    /// - Parameters:
    ///   - ids: The records, under the names of their hierarchies' roots.
    ///   - versions: The sent versions that differ from the present ones.
    /// - Complexity: O(number of records)
    package func keepInFlight(_ ids: [RecordID], sending versions: [RecordID: Record]) throws {
        try changing { try inFlight.insert(ids, sending: versions) }
    }

    /// Records that the remote has accepted the sent version of a record, and has no other one.
    ///
    /// Later changes remain local changes.
    ///
    /// - Parameters:
    ///   - id: The record, or a link.
    ///   - sent: The sent version; nil for a deletion.
    package func acknowledge(_ id: RecordID, sent: Record?) throws {
        try changing { try entries.acknowledge(id, sent: sent) }
    }

    /// Records that the remote has accepted the present versions of records, and has no other ones.
    ///
    /// - Parameters:
    ///   - keys: The keys of the records.
    ///   - root: The root of their hierarchy.
    /// - Complexity: O(number of keys)
    package func acknowledgePresent(_ keys: [Value], of root: String) throws {
        let rest = try changing {
            metadataLog.setHasInternalChanges()
            // Marks of changed records need the former entries.
            if try payloadMarks.count() != nil { return keys }
            return try entries.removeResolved(keys, in: log.hierarchy(of: shape(root)))
        }
        for key in rest {
            let record = try record(RecordID(root, key))
            try acknowledge(RecordID(record?.entity ?? root, key), sent: record)
        }
    }

    /// Removes the push of the whole store that was sent.
    package func removeInFlight() throws {
        try changing { try inFlight.removeAll() }
    }

    /// Moves the horizon of the history to a number, and leaves the tombstones up to it to
    /// ``removeForgottenTombstones(among:)``. O(1)
    package func moveHistoryHorizon(to sequence: Int64) throws {
        try changing { try history.moveHorizon(to: sequence) }
    }

    /// Removes some of the tombstones up to the horizon that are left.
    ///
    /// - Parameter count: How many numbers of the history are examined.
    /// - Complexity: O(`count`), by an index
    package func removeForgottenTombstones(among count: Int64) throws {
        try changing { try history.removeForgotten(among: count) }
    }

    /// Returns the records whose journal entries the transaction has changed, under the names of their hierarchies'
    /// roots, each with its entry before the transaction.
    package func formerEntries() throws -> [(id: RecordID, entry: JournalEntry?)] { try entries.formerEntries() }

    /// Stores an entry of the journal in place of the present one.
    package func putEntry(_ entry: JournalEntry) throws { try changing { try setShadow(entry) } }
}
