/// The first message of a cycle, by which a device introduces itself.
public struct HandshakeRequest: Hashable, Sendable {
    /// The versions of the protocol that the device can use.
    public var versions: [Int]

    /// The identifier of the device, which a store makes once.
    public var device: String

    /// The end of the last page that the device has stored; nil before the first.
    public var cursor: SyncCursor?

    /// The number and the name of the device's last push; nil before the first.
    public var lastPush: PushName?

    /// The names of the attributes and references that the device's schema has, by entity.
    public var entities: [String: [String]]

    /// The name of the part of the account's records that the device synchronizes; nil for a service without scopes.
    public var scope: String?

    /// Creates a request.
    public init(
        versions: [Int] = [StoreProtocol.version], device: String, cursor: SyncCursor?, lastPush: PushName?,
        entities: [String: [String]], scope: String? = nil
    ) {
        self.versions = versions
        self.device = device
        self.cursor = cursor
        self.lastPush = lastPush
        self.entities = entities
        self.scope = scope
    }
}

/// The answer to a ``HandshakeRequest``.
public struct HandshakeResponse: Hashable, Sendable {
    /// The version of the protocol to use.
    public var version: Int

    /// The account to which the request's authorization belongs.
    public var account: String

    /// The name of the service's history.
    public var epoch: String

    /// The largest sizes that the service accepts.
    public var limits: SyncLimits

    /// The number of the last change in the history.
    public var sequence: Int64

    /// The number up to which the service has removed tombstones.
    public var horizon: Int64

    /// The service's response to the device's last push; nil if it knows none.
    public var lastPush: PushResponse?

    /// The names of the attributes and references that the service's schema has, by entity; nil for a service that
    /// stores records of any schema.
    public var entities: [String: [String]]?

    /// Creates a response.
    public init(
        version: Int = StoreProtocol.version, account: String, epoch: String, limits: SyncLimits = SyncLimits(),
        sequence: Int64, horizon: Int64 = 0, lastPush: PushResponse? = nil, entities: [String: [String]]? = nil
    ) {
        self.version = version
        self.account = account
        self.epoch = epoch
        self.limits = limits
        self.sequence = sequence
        self.horizon = horizon
        self.lastPush = lastPush
        self.entities = entities
    }
}

/// The largest sizes that a service accepts and sends.
public struct SyncLimits: Hashable, Sendable {
    /// The most records in a page.
    public var pageRecords: Int

    /// The most mutations in a push.
    public var pushRecords: Int

    /// The most bytes of attribute values in a page and in a record, as JSON.
    public var bytes: Int

    /// The most bytes of attribute values in a push with several records, as JSON.
    public var pushBytes: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - pageRecords: The most records in a page.
    ///   - pushRecords: The most mutations in a push.
    ///   - bytes: The most bytes of attribute values in a page and in a record, as JSON.
    ///   - pushBytes: The most bytes of attribute values in a push with several records, as JSON; nil for `bytes`. The
    ///     larger it is, the less the service writes in a first upload: see ``SyncService``.
    public init(
        pageRecords: Int = 5_000, pushRecords: Int = 5_000, bytes: Int = 1_000_000, pushBytes: Int? = nil
    ) {
        self.pageRecords = pageRecords
        self.pushRecords = pushRecords
        self.bytes = bytes
        self.pushBytes = pushBytes ?? bytes
    }

    /// Whether a page and a push can have a record.
    var leaveRoom: Bool { pageRecords > 0 && pushRecords > 0 && bytes > 0 && pushBytes > 0 }
}
