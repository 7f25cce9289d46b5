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

    /// The account whose remote the collection last agreed with, or nil if no cycle has named one.
    public var account: String?

    /// A push that was sent and not answered, or nil if there is none.
    public var pendingPush: Push<Element>?

    /// What the remote is known to hold instead of the shadow: see ``JournaledCollection/conflicts`` and
    /// ``JournaledCollection/waiting``.
    public var unsettled: [Conflict<Element>]

    /// What is stored of a collection; of one that has never been synchronized, only the elements.
    ///
    /// - Parameters:
    ///   - client: The elements.
    ///   - shadow: What the collection last had in common with the remote.
    ///   - version: The remote's version at that time, or nil before the first cycle.
    ///   - account: The account whose remote the collection last agreed with.
    ///   - pendingPush: A push that was sent and not answered.
    ///   - unsettled: What the remote is known to hold against the shadow.
    public init(
        client: [Element], shadow: [Element] = [], version: RemoteVersion? = nil, account: String? = nil,
        pendingPush: Push<Element>? = nil, unsettled: [Conflict<Element>] = []
    ) {
        self.client = client
        self.shadow = shadow
        self.version = version
        self.account = account
        self.pendingPush = pendingPush
        self.unsettled = unsettled
    }
}

extension StoredCollection: Sendable where Element: Sendable {}
extension StoredCollection: Equatable where Element: Equatable {}
extension StoredCollection: Encodable where Element: Encodable {}
extension StoredCollection: Decodable where Element: Decodable {}

extension JournaledCollection {
    /// All that has to be stored so that the collection comes back as it is.
    ///
    /// - Complexity: O(*n*)
    public var stored: StoredCollection<Element> {
        StoredCollection(
            client: Array(self), shadow: shadow, version: version, account: account, pendingPush: pendingPush,
            unsettled: unsettled)
    }
}
