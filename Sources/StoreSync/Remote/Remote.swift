/// The other end of a store's synchronization: a service that answers three messages.
///
/// A remote only carries messages. It may deliver a message twice, late or not at all; the cycle and the service cope
/// with that. ``SyncService`` is a remote in the same process.
public protocol Remote: Sendable {
    /// Introduces a device.
    ///
    /// - Throws: ``RemoteError``; any other error counts as ``RemoteError/later(after:)``.
    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse

    /// Returns a page of what others have changed.
    ///
    /// The device may not have stored the page before yet, and may never store it.
    ///
    /// - Throws: ``RemoteError``; any other error counts as ``RemoteError/later(after:)``.
    func pull(_ request: PullRequest) async throws -> PullResponse

    /// Makes a device's changes, or repeats the stored response to the same push.
    ///
    /// - Throws: ``RemoteError``; any other error counts as ``RemoteError/later(after:)``.
    func push(_ request: PushRequest) async throws -> PushResponse

    /// Returns an element whenever others may have changed something: the end of the history, or nil if it is unknown.
    ///
    /// A device that knows the history up to there needs no cycle. The end of the stream after an element lets a coordinator
    /// begin a cycle, which finds out why. The default implementation ends at once.
    func notifications() -> AsyncStream<SyncCursor?>

    /// Returns the end of the history at present, or nil if it is unknown.
    ///
    /// A service over HTTP calls it when the wait for a notification is over. A device that knows the history up to there
    /// needs no cycle. The default implementation returns nil.
    ///
    /// - Throws: ``RemoteError``; any other error counts as ``RemoteError/later(after:)``.
    func position() async throws -> SyncCursor?
}

extension Remote {
    /// Returns nil: the position is unknown.
    public func position() async throws -> SyncCursor? { nil }

    /// Returns a stream without elements.
    public func notifications() -> AsyncStream<SyncCursor?> { AsyncStream { $0.finish() } }
}
