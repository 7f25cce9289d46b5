public import SyncPersistence

/// The results of synchronization that a person should see or decide.
public struct StoreInbox: Hashable, Sendable {
    /// The conflicts that no policy has resolved, in a stable order.
    public let conflicts: [StoreConflict]

    /// The local changes that the remote has refused for good, in a stable order.
    public let refused: [RefusedRecord]

    /// The records that left the device's scope before their deletion was sent, in a stable order.
    ///
    /// Others still have them, and the deletion is not sent any more. They are listed until
    /// ``SyncPersistence/PersistenceAdapter/dismissUnsentDeletions(of:)``, so that a process which ends before it has shown
    /// them loses no report. There is nothing to decide about them.
    public let unsentDeletions: [RecordID]

    /// Whether there is nothing to decide.
    public var isEmpty: Bool { conflicts.isEmpty && refused.isEmpty }
}

extension ReadTransaction {
    /// The open conflicts and the refused changes.
    ///
    /// - Throws: `PersistenceError` if the store cannot be read.
    /// - Complexity: O(*d*) for *d* changed records
    public var inbox: StoreInbox {
        get throws {
            StoreInbox(
                conflicts: try openConflicts(SyncedShapes(schema, remote: nil)), refused: try Quarantine.all(in: self),
                unsentDeletions: try UnsentDeletions.all(in: self))
        }
    }
}
