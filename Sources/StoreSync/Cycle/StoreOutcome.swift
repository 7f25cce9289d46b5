public import DifferentialSync
public import SyncPersistence

/// What a cycle of a whole store has done, and what is left.
///
/// ```swift
/// let outcome = try await store.synchronize(with: service)
/// for conflict in outcome.conflicts where conflict.isOpen { print(conflict.id, conflict.fields) }
/// for record in outcome.refused { print(record.id, record.reason) }
/// ```
///
/// Conflicts and refused changes are also stored, and ``SyncPersistence/ReadTransaction/inbox`` has them later.
public struct StoreOutcome: Sendable, Hashable {
    /// The requests of the cycle, with what each response changed.
    public internal(set) var trace = StoreTrace()

    /// How many changes of others the pages had.
    public var pulledCount: Int { trace.pulledCount }

    /// How many changes the remote has accepted.
    public var pushedCount: Int { trace.pushedCount }

    /// The conflicts that this cycle has met, resolved and open ones.
    public internal(set) var conflicts: [StoreConflict] = []

    /// The records that the remote has refused for good, and that wait in the quarantine.
    public internal(set) var refused: [RefusedRecord] = []

    /// The records of the remote that wait for others that are missing.
    ///
    /// The list also has records that the remote has deleted, or that have left the scope. They wait as long as other
    /// records of the remote refer to them, or as long as changes of records that refer to them wait or conflict.
    public internal(set) var waiting: [RecordID] = []

    /// The records of the remote that this store's schema does not allow, with the reason.
    ///
    /// They are tried again with another schema, such as after an update of the app. Until then, local changes of them are
    /// ``pending``: the remote would take them for edits of the version that this store does not have.
    public internal(set) var unreadable: [UnreadableRecord] = []

    /// The records that the remote has moved out of the scope: they leave this store, unless a policy keeps an edit.
    ///
    /// A record that was deleted here may have left the scope before the deletion was sent. It is listed too. Its
    /// deletion is never sent, other devices keep the record, and it is inserted again here if it returns to the
    /// scope. Such deletions are also in ``StoreInbox/unsentDeletions``. This list itself is not stored.
    ///
    /// After a change of scope or of the remote's history, the list may also have records that others have deleted.
    public internal(set) var left: [RecordID] = []

    /// The local changes that were not accepted in this cycle, and are sent again by the next one.
    public internal(set) var pending: [RecordID] = []

    /// Whether the next cycle may send some of ``pending`` although nothing has changed.
    ///
    /// The other ones wait for a refused change, an open conflict or an unready record to which they refer.
    package var hasPostponed = false

    /// The local changes of records that were not ready to be sent.
    public internal(set) var unready: [RecordID] = []

    /// The entities that the remote does not have, or that are not in the device's scope, in alphabetical order.
    ///
    /// Their records stay where they are. Local changes of them are kept, and are sent once the remote has the entity.
    public internal(set) var unknownEntities: [String] = []

    /// After how many seconds the remote wants the next request; nil if it does not say.
    public package(set) var retryAfter: Int?

    /// Whether the remote's fingerprint has proved that both ends are equal; nil if the remote has sent none.
    ///
    /// If it is false, later cycles request the fingerprint again, and compare all records from time to time.
    public internal(set) var isVerified: Bool?

    /// The position in the history up to which this end knows or has made all changes; nil before the first handshake.
    package internal(set) var known: SyncCursor?

    /// The error that has ended the cycle before its end; nil if it is complete.
    public internal(set) var failure: RemoteError?

    /// Creates the outcome of a cycle that has done nothing.
    package init() {}

    /// Whether both ends have the same records of all entities that the remote has.
    ///
    /// Then no conflict is open, no change is refused, waiting or pending, and the fingerprint does not differ. Records of
    /// ``unknownEntities`` are not synchronized.
    public var isSynced: Bool {
        failure == nil && isVerified != false && pending.isEmpty && unready.isEmpty && refused.isEmpty
            && waiting.isEmpty && unreadable.isEmpty
            && !conflicts.contains(where: \.isOpen)
    }
}

/// A record with different changes at both ends.
public struct StoreConflict: Sendable, Hashable {
    /// The record, or a link.
    public let id: RecordID

    /// The versions of the record.
    ///
    /// If both `base` and one side are equal, the other side has deleted the record, while a record of this side needs
    /// it.
    public let versions: Conflict<Record>

    /// The names of the fields with different changes; empty if one side has deleted the record.
    public let fields: [String]

    /// Whether the conflict is unresolved.
    public let isOpen: Bool
}

/// A record of the remote that this store cannot hold.
public struct UnreadableRecord: Sendable, Hashable {
    /// The record.
    public let id: RecordID

    /// What is wrong with it.
    public let reason: String
}

/// A local change that the remote has refused for good.
///
/// It is sent again once the record is edited, or released by ``SyncPersistence/PersistenceAdapter/releaseRefused(_:)``.
public struct RefusedRecord: Sendable, Hashable {
    /// The record, or a link.
    public let id: RecordID

    /// The kind of refusal, such as a code of the service's own.
    public let code: String

    /// The reason, for a person.
    public let reason: String
}
