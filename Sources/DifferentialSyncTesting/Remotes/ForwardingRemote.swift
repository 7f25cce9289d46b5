public import StoreSync

/// A remote of whole stores that passes each call to another one.
///
/// Types that conform to it implement the calls that they change.
public protocol ForwardingRemote: Remote {
    /// The type of the other remote.
    associatedtype Base: Remote

    /// The other remote.
    var base: Base { get }
}

extension ForwardingRemote {
    /// Introduces a device to the other remote.
    ///
    /// - Throws: The errors of the other remote.
    public func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        try await base.handshake(request)
    }

    /// Returns a page of the other remote.
    ///
    /// - Throws: The errors of the other remote.
    public func pull(_ request: PullRequest) async throws -> PullResponse { try await base.pull(request) }

    /// Makes a device's changes in the other remote.
    ///
    /// - Throws: The errors of the other remote.
    public func push(_ request: PushRequest) async throws -> PushResponse { try await base.push(request) }

    /// Returns the position of the other remote.
    ///
    /// - Throws: The errors of the other remote.
    public func position() async throws -> SyncCursor? { try await base.position() }

    /// Returns the notifications of the other remote.
    public func notifications() -> AsyncStream<SyncCursor?> { base.notifications() }
}
