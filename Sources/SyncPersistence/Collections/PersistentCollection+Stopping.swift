extension PersistentCollection {
    /// Ends the synchronization of this collection, for an app that drops it: the store forgets its cycles and keeps its
    /// records.
    ///
    /// A deletion that arrives waits for connected records that have a cycle of their own, until their remote has deleted
    /// them too. Without further cycles it would wait for good:
    ///
    /// ```swift
    /// let notes = try await store.recordCollection(of: "Note")
    /// try await notes.stopSynchronizing()
    /// ```
    ///
    /// From then on, deletions that arrive follow the delete rules for the records of this collection. Those that wait are
    /// tried again by the next cycle of their own collection. Records with local changes, and records made here, are still
    /// kept: a user or the app decides about them by ``waiting`` of the collection whose records wait.
    ///
    /// In one transaction, the store forgets the remote's version, a push in doubt and elements that could not be read.
    /// Local changes stay. A conflict becomes a local change. What waits is forgotten, and its record is as it was. The
    /// collection still belongs to its account.
    ///
    /// A later cycle begins anew: it pulls everything, asks the policy about what differs, and deletes nothing. If the remote
    /// has applied the push in doubt after all, what that added and another device has deleted since comes back.
    /// ``PersistenceAdapter/linkCollection(of:relationship:)`` protects links again once it is called again.
    ///
    /// A cycle of the collection that is under way throws ``PersistenceError`` with the code
    /// ``PersistenceError/Code/cycleOvertaken``.
    ///
    /// - Throws: `CycleError` if the store is synchronized as a whole, whose conflicts are not those of the collection;
    ///   ``PersistenceError`` if the store cannot be read or written.
    /// - Complexity: O(*d*) for *d* changed elements, and O(size of a push in doubt)
    public func stopSynchronizing() async throws {
        try await store.write { transaction in
            try transaction.requireCycles(of: entity)
            let state = try CycleState(of: entity, in: transaction)
            if state.push != nil { try transaction.removeInFlight(of: entity) }
            var changes = ChangeSet(origin: .agreed)
            for key in try transaction.unresolvedKeys(of: entity) {
                guard let entry = try transaction.journalEntry(RecordID(entity, key)),
                    (entry.remote ?? entry.base)?.shape.inherits(entity) != false
                else { continue }
                changes.add(
                    .setShadow(JournalEntry(id: entry.id, base: entry.base, isUnresolved: false, remote: nil)))
            }
            state.forgetCycles(&changes)
            try transaction.apply(changes)
        }
    }
}

extension CycleState {
    /// Forgets the state of the cycles, except for the account of the records and the names of pushes.
    fileprivate func forgetCycles(_ changes: inout ChangeSet) {
        let kept = [CycleMetadata.pushNames(of: entity)]
        for name in CycleMetadata.names(of: entity) where !kept.contains(name) { changes.setMetadata(name, nil) }
        if let account { changes.setMetadata(CycleMetadata.inheritedAccount(of: entity), account) }
    }
}
