public import SyncPersistence

/// The number of a device's push, and a random name by which the same number of another copy of the device is found out.
public struct PushName: Hashable, Sendable {
    /// The number, greater by one than that of the device's push before.
    public var number: Int64

    /// The random name.
    public var name: String

    /// Creates a name.
    public init(number: Int64, name: String) {
        self.number = number
        self.name = name
    }
}

/// Asks a service to make a device's changes.
public struct PushRequest: Hashable, Sendable {
    /// The identifier of the device.
    public var device: String

    /// The number and the name of the push.
    public var name: PushName

    /// The position up to which the device knows the changes of others.
    public var base: SyncCursor

    /// The changes, in an order in which they can be made.
    public var mutations: [Mutation]

    /// Creates a request.
    public init(device: String, name: PushName, base: SyncCursor, mutations: [Mutation]) {
        self.device = device
        self.name = name
        self.base = base
        self.mutations = mutations
    }
}

/// A change of one record or link.
public struct Mutation: Hashable, Sendable {
    /// The entity and the key of the record; for a link, the name of its relationship and both keys.
    public var id: RecordID

    /// The change.
    public var change: Change

    /// The change of a record.
    public enum Change: Hashable, Sendable {
        /// The record is new, with these values by name.
        case insert(ValueObject)
        /// The record has these new values by name.
        case update(ValueObject)
        /// The record is deleted.
        case delete
    }

    /// Creates a change.
    public init(_ id: RecordID, _ change: Change) {
        self.id = id
        self.change = change
    }
}

/// The answer to a ``PushRequest``: one outcome for each mutation, in its order.
public struct PushResponse: Hashable, Sendable {
    /// The number and the name of the push.
    public var name: PushName

    /// What became of each mutation.
    public var outcomes: [Outcome]

    /// The number of the last change in the history, if the device knows or has made all changes up to it; nil otherwise.
    public var knownSequence: Int64?

    /// Whether values that the server has amended may be edits of other devices.
    ///
    /// An app's own remote sets it if its server merges a push with such edits. The policy then decides between an amended
    /// value and a local edit that was made during the push. The answers of a ``SyncService`` never need it, so their JSON does
    /// not have it.
    public var mayHaveEditsOfOthers = false

    /// Creates a response.
    public init(name: PushName, outcomes: [Outcome], knownSequence: Int64? = nil) {
        self.name = name
        self.outcomes = outcomes
        self.knownSequence = knownSequence
    }

    /// What became of a mutation.
    public enum Outcome: Hashable, Sendable {
        /// The change is stored.
        ///
        /// `amended` has the values that the service has stored instead of the sent ones. `key` is the primary key that
        /// it has given to a new record. Both are nil if it has stored what was sent.
        case accepted(amended: ValueObject? = nil, key: Value? = nil)
        /// Another writer has changed the record after the push's base: the next pull has its version.
        case conflict
        /// The service will never accept the change.
        case refused(code: String, reason: String)
        /// The service may accept the change later, in so many seconds if they are given; 0 for the next push.
        case later(after: Int?)
        /// The change depends on another record, whose change was not accepted.
        case blocked(by: RecordID)
        /// The account may not make the change.
        case unauthorized
    }
}
