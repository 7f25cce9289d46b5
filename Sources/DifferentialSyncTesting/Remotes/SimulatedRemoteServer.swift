public import DifferentialSync
public import SyncPersistence

/// A ``SimulatedRemote`` that several devices can reach, as a remote for stored collections.
///
/// ```swift
/// let server = SimulatedRemoteServer<Note, Int>(primaryKey: \.id)
/// try await notes.synchronize(with: server, policy: .localWins)
/// ```
///
/// ``FaultyRemote`` also loses messages.
public actor SimulatedRemoteServer<Element: Equatable & Sendable, Key: Hashable & Sendable>: RemoteCollection {
    /// The current state of the remote.
    public private(set) var remote: SimulatedRemote<Element, Key>

    /// The account whose elements it holds.
    public nonisolated let account: String

    /// Whether it accepts a repeated push: true.
    public nonisolated var recognizesPushes: Bool { true }

    /// Creates a server of the given remote.
    public init(_ remote: SimulatedRemote<Element, Key>, account: String = "account") {
        self.remote = remote
        self.account = account
    }

    /// Creates a server without a collection.
    public init(account: String = "account", primaryKey: @escaping @Sendable (Element) -> Key) {
        self.init(SimulatedRemote(primaryKey: primaryKey), account: account)
    }

    /// Changes the remote directly, such as to reset it.
    public func withRemote<Result: Sendable>(
        _ body: @Sendable (inout SimulatedRemote<Element, Key>) throws -> Result
    ) rethrows -> Result {
        try body(&remote)
    }

    /// Returns the outcome of the push with a name.
    public func status(of pushID: String) -> PushStatus<Element> { remote.status(of: pushID) }

    /// Returns the changes since a version, or everything if the version is nil or not known.
    public func pull(since version: RemoteVersion?) -> Pull<Element, Key> { remote.pull(since: version) }

    /// Accepts a push if the remote is in the expected state.
    public func push(_ push: Push<Element>) throws -> PushAnswer<Element> { try remote.push(push) }
}
