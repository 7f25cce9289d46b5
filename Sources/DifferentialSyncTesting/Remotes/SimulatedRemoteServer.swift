public import DifferentialSync
public import SyncPersistence

/// A ``SimulatedRemote`` that several devices reach, as stored collections are synchronized with one.
///
/// ```swift
/// let server = SimulatedRemoteServer<Note, Int>(primaryKey: \.id)
/// try await notes.synchronize(with: server, policy: .localWins)
/// ```
///
/// For one that loses messages, see ``FaultyRemote``.
public actor SimulatedRemoteServer<Element: Equatable & Sendable, Key: Hashable & Sendable>: RemoteCollection {
    /// The remote as it is now.
    public private(set) var remote: SimulatedRemote<Element, Key>

    /// The account whose elements it holds.
    public nonisolated let account: String

    /// A server of the given remote.
    public init(_ remote: SimulatedRemote<Element, Key>, account: String = "account") {
        self.remote = remote
        self.account = account
    }

    /// A server without a collection.
    public init(account: String = "account", primaryKey: @escaping @Sendable (Element) -> Key) {
        self.init(SimulatedRemote(primaryKey: primaryKey), account: account)
    }

    /// Changes the remote by hand, such as to reset it.
    public func withRemote<Result: Sendable>(
        _ body: @Sendable (inout SimulatedRemote<Element, Key>) throws -> Result
    ) rethrows -> Result {
        try body(&remote)
    }

    /// What has become of the push with a name.
    public func status(of pushID: String) -> PushStatus<Element> { remote.status(of: pushID) }

    /// What has changed since a version, or everything if that is nil or not known.
    public func pull(since version: RemoteVersion?) -> Pull<Element, Key> { remote.pull(since: version) }

    /// Takes a push if the remote is in the state that it expects.
    public func push(_ push: Push<Element>) throws -> PushAnswer<Element> { try remote.push(push) }
}
