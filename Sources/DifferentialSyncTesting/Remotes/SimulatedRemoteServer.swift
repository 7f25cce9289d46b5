public import DifferentialSync
public import SyncPersistence

/// A ``SimulatedRemote`` that several devices reach, as stored collections are synchronized with one.
///
/// ```swift
/// let server = SimulatedRemoteServer<Note, Int>(primaryKey: \.id)
/// try await notes.synchronize(with: server, pushID: "1", policy: .localWins)
/// ```
///
/// For one that loses messages, see ``FaultyRemote``.
public actor SimulatedRemoteServer<Element: Equatable & Sendable, Key: Hashable & Sendable>: RemoteCollection {
    /// The remote as it is now.
    public private(set) var remote: SimulatedRemote<Element, Key>

    /// A server of the given remote.
    public init(_ remote: SimulatedRemote<Element, Key>) {
        self.remote = remote
    }

    /// A server without a collection.
    public init(primaryKey: @escaping @Sendable (Element) -> Key) {
        remote = SimulatedRemote(primaryKey: primaryKey)
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
