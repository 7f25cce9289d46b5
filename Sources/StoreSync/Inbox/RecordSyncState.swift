import DifferentialSync
public import SyncPersistence

/// How far the synchronization of one record is, such as for a mark beside it in a list.
public enum RecordSyncState: Hashable, Sendable {
    /// Both ends have the same version, as far as this end knows.
    case synced
    /// A local change is still to be sent, or a change of the remote waits for another record.
    ///
    /// A change of a record whose version at the remote does not fit the schema waits until it does.
    case pending
    /// The present version was sent, and has no response yet.
    case inFlight
    /// Both ends have changed the record, and no policy has resolved that.
    case conflict
    /// The remote has refused the present version for good.
    case refused(RefusedRecord)
}

extension PersistenceAdapter {
    /// Returns how far the synchronization of a record is.
    ///
    /// ```swift
    /// let state = try await store.syncState(of: RecordID("ToDo", 7))   // pending
    /// ```
    ///
    /// A record that neither end has, or that both have deleted, is ``RecordSyncState/synced``.
    ///
    /// - Throws: `PersistenceError` if the entity is unknown, or if the store cannot be read.
    /// - Complexity: O(1); O(size of the push) while a push has no response
    public func syncState(of id: RecordID) async throws -> RecordSyncState {
        try await read { try $0.syncState(of: id) }
    }
}

extension ReadTransaction {
    /// Returns how far the synchronization of a record is.
    ///
    /// - Throws: `PersistenceError` if the entity is unknown, or if the store cannot be read.
    /// - Complexity: O(1); O(size of the push) while a push has no response
    public func syncState(of id: RecordID) throws -> RecordSyncState {
        var known: [String: Set<Value>] = [:]
        return try syncState(of: id, &known)
    }

    /// Returns how far the synchronization of each of some records is.
    ///
    /// - Throws: `PersistenceError` if an entity is unknown, or if the store cannot be read.
    /// - Complexity: O(number of records); also O(size of the push) while a push has no response
    public func syncStates(of ids: some Sequence<RecordID>) throws -> [RecordID: RecordSyncState] {
        var known: [String: Set<Value>] = [:]
        var states: [RecordID: RecordSyncState] = [:]
        for id in ids { states[id] = try syncState(of: id, &known) }
        return states
    }

    private func syncState(of id: RecordID, _ known: inout [String: Set<Value>]) throws -> RecordSyncState {
        let id = RecordID(try shape(id.entity).root, id.key)
        if try isInFlight(id, known: &known) { return .inFlight }
        guard let entry = try journalEntry(id) else { return .synced }
        let record = try record(id)
        if entry.isUnresolved {
            let isWaiting = try record == entry.base && (entry.remote != nil || mustWaitForReferrers(entry))
            return isWaiting ? .pending : .conflict
        }
        if record == entry.base { return .synced }
        return try Quarantine.refusal(of: id, record, in: self).map(RecordSyncState.refused) ?? .pending
    }
}
