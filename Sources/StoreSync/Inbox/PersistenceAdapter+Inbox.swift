public import DifferentialSync
public import SyncPersistence

/// What the synchronization of a store has left to people.
extension PersistenceAdapter {
    /// The conflicts that no policy has resolved, in a stable order.
    ///
    /// They stay in the store until they are resolved. Neither side's version is lost or sent meanwhile. Each cycle
    /// passes them to its policies again.
    ///
    /// - Throws: `PersistenceError` if the store cannot be read.
    /// - Complexity: O(*d*) for *d* changed records
    public var openConflicts: [StoreConflict] {
        get async throws {
            try await read { try $0.inbox.conflicts }
        }
    }

    /// Resolves a conflict by hand.
    ///
    /// ```swift
    /// for conflict in try await store.openConflicts {
    ///     try await store.resolve(conflict, with: .local)
    /// }
    /// ```
    ///
    /// The resolution decides the fields that both sides have changed; the changes of other fields are kept from both
    /// sides. The result is a local change, which the next cycle sends. If the result refers to a record that was deleted
    /// here, that record is inserted again. If it takes a one-to-one reference from a record that is in a conflict too, the
    /// conflict stays open until that one is resolved.
    ///
    /// - Parameters:
    ///   - conflict: The conflict, an unchanged member of ``openConflicts``.
    ///   - resolution: The resolution. `.open` changes nothing.
    /// - Returns: What ``undo(_:)`` needs to take the resolution back.
    /// - Throws: `ConflictError` if there is no such conflict, or if the record has changed meanwhile; `KeyError` if the
    ///   merged record has another key; `PersistenceError` if the schema does not allow the resolution, or if the store
    ///   cannot be written. Nothing has changed then.
    /// - Complexity: O(1); for a deletion O(*d*) for *d* changed records
    @discardableResult
    public func resolve(
        _ conflict: StoreConflict, with resolution: Resolution<Record>
    ) async throws -> ResolvedConflict {
        let written = try await write { transaction in
            try transaction.resolve(conflict, with: resolution)
            let id = conflict.id.rooted(in: transaction.schema)
            // Otherwise the end of the transaction does it, and changes further entries.
            if resolution != .open {
                try transaction.settleIncoming()
                if try transaction.bringBackTargets(ofConflictOf: id) {
                    try transaction.resolve(conflict, with: resolution)
                    try transaction.settleIncoming()
                }
            }
            let entries = try transaction.formerEntries().map { id, old in
                ResolvedConflict.Version(id: id, old: old, new: try transaction.journalEntry(id))
            }
            let record = ResolvedConflict.Version(
                id: id, old: conflict.versions.local, new: try transaction.record(id))
            return (entries, record)
        }
        let (entries, record) = written.result
        let others = written.commit.changes.compactMap { change in
            (change.new ?? change.old).map {
                ResolvedConflict.Version(id: $0.rootID, old: change.old, new: change.new)
            }
        }
        return ResolvedConflict(
            conflict: conflict, records: [record] + others.filter { $0.id != record.id }, entries: entries)
    }

    /// The local changes that the remote has refused for good, in a stable order.
    ///
    /// They stay in the store, and are sent again once their records are released, or edited here or at the remote.
    ///
    /// - Throws: `PersistenceError` if the store cannot be read.
    /// - Complexity: O(number of refused records)
    public var refusedRecords: [RefusedRecord] {
        get async throws { try await read { try Quarantine.all(in: $0) } }
    }

    /// Sends a refused local change again with the next cycle, and those of refused records that refer to it.
    ///
    /// A record that was not refused is left as it is.
    ///
    /// - Throws: `PersistenceError` if the store cannot be written.
    /// - Complexity: O(number of records that refer to those released)
    public func releaseRefused(_ id: RecordID) async throws {
        try await write { transaction in
            let quarantine = try Quarantine(in: transaction)
            try quarantine.release(RecordID(transaction.shape(id.entity).root, id.key))
        }
    }

    /// Removes records from ``StoreInbox/unsentDeletions``, once they were shown.
    ///
    /// ```swift
    /// let inbox = try await store.read { try $0.inbox }
    /// show(inbox)
    /// try await store.dismissUnsentDeletions(of: inbox.unsentDeletions)
    /// ```
    ///
    /// - Throws: `PersistenceError` if an entity is unknown, or if the store cannot be written.
    /// - Complexity: O(number of records)
    public func dismissUnsentDeletions(of ids: [RecordID]) async throws {
        try await write { transaction in
            for id in ids {
                try UnsentDeletions.remove(RecordID(transaction.shape(id.entity).root, id.key), in: transaction)
            }
        }
    }

    /// Gives up the local change of a record: it becomes again what the remote is known to have.
    ///
    /// A record that the remote does not have is deleted. So a refused change can be taken back, or any other one that
    /// was not sent. Refused records that refer to it are sent again.
    ///
    /// - Throws: `PersistenceError` if the schema does not allow it, for instance because the record refers to one that
    ///   was deleted; or if the store cannot be written. Nothing has changed then.
    /// - Complexity: O(1), besides what the schema's rules change
    public func discardLocalChange(of id: RecordID) async throws {
        try await write { transaction in
            let shape = try transaction.shape(id.entity)
            guard let entry = try transaction.journalEntry(RecordID(shape.root, id.key)) else { return }
            let quarantine = try Quarantine(in: transaction)
            try quarantine.release(RecordID(shape.root, id.key))
            let known = entry.known
            try transaction.putEntry(JournalEntry(id: entry.id, base: known))
            if let known {
                try transaction.put(known, origin: .local)
            } else {
                try transaction.delete(id, origin: .local)
            }
        }
    }
}

extension WriteTransaction {
    /// Resolves a conflict, as ``SyncPersistence/PersistenceAdapter/resolve(_:with:)`` does.
    fileprivate func resolve(_ conflict: StoreConflict, with resolution: Resolution<Record>) throws {
        let shape = try shape(conflict.id.entity)
        let id = RecordID(shape.root, conflict.id.key)
        guard let entry = try journalEntry(id), entry.isUnresolved else {
            throw ConflictError(.unknown, key: conflict.id.key)
        }
        let present = Conflict(base: entry.base, local: try record(id), remote: entry.remote)
        guard present == conflict.versions else { throw ConflictError(.changed, key: conflict.id.key) }
        if case .open = resolution { return }
        if case .merged(let record) = resolution, record.key != conflict.id.key {
            // The merge would take the clashing fields of the other record, and ignore its key.
            throw KeyError(.changed, in: "merged", key: conflict.id.key)
        }
        if let record = entry.base, present.local == record, present.remote == nil {
            return try resolve(deletionThereOf: record, keeping: resolution.keepsLocal)
        }
        if let record = entry.base, present.local == nil, present.remote == record {
            return try resolve(
                deletionHereOf: record, keeping: resolution.keepsRemote, from: unresolvedReferrers()[id] ?? [])
        }
        beginMergingEdits()
        _ = try mergeEdits([id], stated: [:], policy: ConflictPolicy { _ in resolution }) {
            try delete($0, origin: .remote)
        }
    }
}
