/// The parts of a ``JournaledCollection`` that an app stores, in one transaction, to restore it later.
///
/// ```swift
/// let data = try JSONEncoder().encode(notes.stored)
/// // … the app ends and starts again …
/// let stored = try JSONDecoder().decode(StoredCollection<Note>.self, from: data)
/// let notes = try JournaledCollection(restoring: stored)
/// ```
///
/// Parts from different times contradict each other. With a new shadow and an old client, the next cycle would push
/// edits that no user made. Without ``unresolved`` it would overwrite the remote's side of conflicts.
public struct StoredCollection<Element> {
    /// The elements.
    public var client: [Element]

    /// The last common state of the collection and the remote.
    public var shadow: [Element]

    /// The remote's version at that time, or nil before the first cycle.
    public var version: RemoteVersion?

    /// The account that the collection belongs to, or nil if no cycle has named one.
    public var account: String?

    /// A push that was sent and not answered, or nil if there is none.
    public var pendingPush: Push<Element>?

    /// The records that the remote is known to hold in other versions than the shadow: see
    /// ``JournaledCollection/conflicts`` and ``JournaledCollection/waiting``.
    public var unresolved: [Conflict<Element>]

    /// The names of the latest pushes, which no other push may have.
    public var pushNames: PushNames

    /// Whether the remote has elements that the latest pull could not read, so that the next cycle pulls everything.
    public var pullsEverything: Bool

    /// Creates a stored collection.
    ///
    /// One that was never synchronized has only elements.
    ///
    /// - Parameters:
    ///   - client: The elements.
    ///   - shadow: The last common state of the collection and the remote.
    ///   - version: The remote's version at that time, or nil before the first cycle.
    ///   - account: The account that the collection belongs to.
    ///   - pendingPush: A push that was sent and not answered.
    ///   - unresolved: The records that the remote is known to hold in other versions than the shadow.
    ///   - pushNames: The names of the latest pushes.
    ///   - pullsEverything: Whether the next cycle pulls all elements.
    public init(
        client: [Element], shadow: [Element] = [], version: RemoteVersion? = nil, account: String? = nil,
        pendingPush: Push<Element>? = nil, unresolved: [Conflict<Element>] = [], pushNames: PushNames = PushNames(),
        pullsEverything: Bool = false
    ) {
        self.client = client
        self.shadow = shadow
        self.version = version
        self.account = account
        self.pendingPush = pendingPush
        self.unresolved = unresolved
        self.pushNames = pushNames
        self.pullsEverything = pullsEverything
    }
}

extension StoredCollection: Sendable where Element: Sendable {}
extension StoredCollection: Equatable where Element: Equatable {}

/// The names of a stored collection's members.
private enum StoredCollectionKeys: CodingKey {
    case client, shadow, version, account, pendingPush, unresolved, pushNames, pullsEverything
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
        try container.encode(unresolved, forKey: .unresolved)
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
            unresolved: try container.decode([Conflict<Element>].self, forKey: .unresolved),
            pushNames: try container.decodeIfPresent(PushNames.self, forKey: .pushNames) ?? PushNames(),
            pullsEverything: try container.decodeIfPresent(Bool.self, forKey: .pullsEverything) ?? false)
    }
}

extension JournaledCollection {
    /// The parts to store, from which the collection can be restored.
    ///
    /// - Complexity: O(*n*)
    public var stored: StoredCollection<Element> {
        StoredCollection(
            client: Array(self), shadow: shadow, version: version, account: account, pendingPush: pendingPush,
            unresolved: unresolved, pushNames: pushNames, pullsEverything: agreement.pullsEverything)
    }
}
