/// All that has to be stored of a ``JournaledCollection``, in one transaction, so that it comes back as it was left.
///
/// ```swift
/// let data = try JSONEncoder().encode(notes.stored)
/// // … the app ends and starts again …
/// let stored = try JSONDecoder().decode(StoredCollection<Note>.self, from: data)
/// let notes = try JournaledCollection(restoring: stored)
/// ```
///
/// Its parts contradict each other if they are of different times: a new shadow with an old client reads as local edits
/// that nobody made, and without what is unsettled the next cycle would push over it.
public struct StoredCollection<Element> {
    /// The elements.
    public var client: [Element]

    /// What the collection last had in common with the remote.
    public var shadow: [Element]

    /// The remote's version at that time, or nil before the first cycle.
    public var version: RemoteVersion?

    /// The account that the collection belongs to, or nil if no cycle has named one.
    public var account: String?

    /// A push that was sent and not answered, or nil if there is none.
    public var pendingPush: Push<Element>?

    /// What the remote is known to hold instead of the shadow: see ``JournaledCollection/conflicts`` and
    /// ``JournaledCollection/waiting``.
    public var unsettled: [Conflict<Element>]

    /// The names of the latest pushes, which no other push may have.
    public var pushNames: PushNames

    /// Whether the remote has elements that the latest pull could not read, so that the next cycle pulls everything.
    public var pullsEverything: Bool

    /// What is stored of a collection; of one that has never been synchronized, only the elements.
    ///
    /// - Parameters:
    ///   - client: The elements.
    ///   - shadow: What the collection last had in common with the remote.
    ///   - version: The remote's version at that time, or nil before the first cycle.
    ///   - account: The account that the collection belongs to.
    ///   - pendingPush: A push that was sent and not answered.
    ///   - unsettled: What the remote is known to hold against the shadow.
    ///   - pushNames: The names of the latest pushes.
    ///   - pullsEverything: Whether the next cycle pulls everything.
    public init(
        client: [Element], shadow: [Element] = [], version: RemoteVersion? = nil, account: String? = nil,
        pendingPush: Push<Element>? = nil, unsettled: [Conflict<Element>] = [], pushNames: PushNames = PushNames(),
        pullsEverything: Bool = false
    ) {
        self.client = client
        self.shadow = shadow
        self.version = version
        self.account = account
        self.pendingPush = pendingPush
        self.unsettled = unsettled
        self.pushNames = pushNames
        self.pullsEverything = pullsEverything
    }
}

extension StoredCollection: Sendable where Element: Sendable {}
extension StoredCollection: Equatable where Element: Equatable {}

private enum StoredCollectionKeys: CodingKey {
    case client, shadow, version, account, pendingPush, unsettled, pushNames, pullsEverything
}

extension StoredCollection: Encodable where Element: Encodable {
    /// Encodes the parts, without those that are nil or false.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StoredCollectionKeys.self)
        try container.encode(client, forKey: .client)
        try container.encode(shadow, forKey: .shadow)
        try container.encodeIfPresent(version, forKey: .version)
        try container.encodeIfPresent(account, forKey: .account)
        try container.encodeIfPresent(pendingPush, forKey: .pendingPush)
        try container.encode(unsettled, forKey: .unsettled)
        try container.encode(pushNames, forKey: .pushNames)
        if pullsEverything { try container.encode(true, forKey: .pullsEverything) }
    }
}

extension StoredCollection: Decodable where Element: Decodable {
    /// Decodes the parts.
    ///
    /// A collection that was stored without names of pushes has none.
    ///
    /// - Throws: `DecodingError` if a part is missing or has another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: StoredCollectionKeys.self)
        self.init(
            client: try container.decode([Element].self, forKey: .client),
            shadow: try container.decode([Element].self, forKey: .shadow),
            version: try container.decodeIfPresent(RemoteVersion.self, forKey: .version),
            account: try container.decodeIfPresent(String.self, forKey: .account),
            pendingPush: try container.decodeIfPresent(Push<Element>.self, forKey: .pendingPush),
            unsettled: try container.decode([Conflict<Element>].self, forKey: .unsettled),
            pushNames: try container.decodeIfPresent(PushNames.self, forKey: .pushNames) ?? PushNames(),
            pullsEverything: try container.decodeIfPresent(Bool.self, forKey: .pullsEverything) ?? false)
    }
}

extension JournaledCollection {
    /// All that has to be stored so that the collection comes back as it is.
    ///
    /// - Complexity: O(*n*)
    public var stored: StoredCollection<Element> {
        StoredCollection(
            client: Array(self), shadow: shadow, version: version, account: account, pendingPush: pendingPush,
            unsettled: unsettled, pushNames: pushNames, pullsEverything: agreement.pullsEverything)
    }
}
