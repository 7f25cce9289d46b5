public import SyncPersistence

/// Asks a service for what others have changed.
public struct PullRequest: Hashable, Sendable {
    /// The identifier of the device.
    public var device: String

    /// The position after which the page begins.
    public var cursor: SyncCursor

    /// The most records that the device accepts in the page; nil for the service's own limit.
    public var limit: Int?

    /// The number after which a comparison of everything needs deletions; nil for a pull of changes.
    ///
    /// A comparison begins at the sequence 0 and includes the device's own changes. Its position may lie before the
    /// horizon, as long as that has not moved beyond this number.
    public var comparison: Int64?

    /// Creates a request.
    public init(device: String, cursor: SyncCursor, limit: Int? = nil, comparison: Int64? = nil) {
        self.device = device
        self.cursor = cursor
        self.limit = limit
        self.comparison = comparison
    }

    /// Whether the device may need deletions that the service has forgotten up to a horizon.
    func needsDeletions(before horizon: Int64) -> Bool { comparison.map { $0 < horizon } ?? true }
}

/// A page of a service's history: each record once, in its current state, in the order of the last changes.
public struct PullResponse: Hashable, Sendable {
    /// The records that others have changed.
    public var entries: [Entry]

    /// The end of the page, at which the next one begins.
    public var cursor: SyncCursor

    /// Whether another page follows.
    public var hasMore: Bool

    /// About how many entries follow.
    public var remaining: Int

    /// The number and the digest of the records in the scope at ``cursor``; nil unless the page is the last one.
    public var fingerprint: StoreFingerprint?

    /// A record in a page.
    public struct Entry: Hashable, Sendable {
        /// The entity and the key of the record; for a link, the name of its relationship and both keys.
        public var id: RecordID

        /// The state of the record.
        public var state: State

        /// Creates an entry.
        public init(_ id: RecordID, _ state: State) {
            self.id = id
            self.state = state
        }
    }

    /// The state of a record in a page.
    public enum State: Hashable, Sendable {
        /// The record exists, with all of its values by name.
        case present(ValueObject)
        /// The record was deleted.
        case deleted
        /// The record exists, and is no longer in the device's scope.
        case outOfScope
    }

    /// Creates a page.
    public init(
        entries: [Entry], cursor: SyncCursor, hasMore: Bool, remaining: Int = 0, fingerprint: StoreFingerprint? = nil
    ) {
        self.entries = entries
        self.cursor = cursor
        self.hasMore = hasMore
        self.remaining = remaining
        self.fingerprint = fingerprint
    }
}
