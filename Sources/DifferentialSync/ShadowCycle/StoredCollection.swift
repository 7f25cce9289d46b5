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
    public init(
        client: [Element], shadow: [Element] = [], version: RemoteVersion? = nil, account: String? = nil,
        pendingPush: Push<Element>? = nil, unsettled: [Conflict<Element>] = [], pushNames: PushNames = PushNames()
    ) {
        self.client = client
        self.shadow = shadow
        self.version = version
        self.account = account
        self.pendingPush = pendingPush
        self.unsettled = unsettled
        self.pushNames = pushNames
    }
}

extension StoredCollection {
    private enum CodingKeys: String, CodingKey {
        case client, shadow, version, account, pendingPush, unsettled, pushNames
    }
}

extension StoredCollection: Sendable where Element: Sendable {}
extension StoredCollection: Equatable where Element: Equatable {}
extension StoredCollection: Encodable where Element: Encodable {}
extension StoredCollection: Decodable where Element: Decodable {
    /// Reads what was stored of a collection.
    ///
    /// A collection that was stored without names of pushes has none.
    ///
    /// - Throws: `DecodingError` if a part is missing or has another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        client = try container.decode([Element].self, forKey: .client)
        shadow = try container.decode([Element].self, forKey: .shadow)
        version = try container.decodeIfPresent(RemoteVersion.self, forKey: .version)
        account = try container.decodeIfPresent(String.self, forKey: .account)
        pendingPush = try container.decodeIfPresent(Push<Element>.self, forKey: .pendingPush)
        unsettled = try container.decode([Conflict<Element>].self, forKey: .unsettled)
        pushNames = try container.decodeIfPresent(PushNames.self, forKey: .pushNames) ?? PushNames()
    }
}

extension JournaledCollection {
    /// All that has to be stored so that the collection comes back as it is.
    ///
    /// - Complexity: O(*n*)
    public var stored: StoredCollection<Element> {
        StoredCollection(
            client: Array(self), shadow: shadow, version: version, account: account, pendingPush: pendingPush,
            unsettled: unsettled, pushNames: pushNames)
    }
}
