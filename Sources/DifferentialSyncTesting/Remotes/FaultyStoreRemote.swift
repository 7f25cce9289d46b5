public import StoreSync

/// A remote of whole stores behind a transport that loses messages.
///
/// It is for the remotes of `StoreSync` and of a coordinator, as ``FaultyRemote`` is for those of collections:
///
/// ```swift
/// let remote = FaultyStoreRemote(service) { request in
///     if case .push = request { .answerLost } else { .delivered }
/// }
/// ```
///
/// A cycle ends with `RemoteError.later` when a message is lost, and the next cycle continues.
public struct FaultyStoreRemote<Base: Remote>: Remote {
    private let base: Base
    private let deliver: @Sendable (StoreRequest) async throws -> Delivery

    /// Creates a remote behind a transport.
    ///
    /// - Parameters:
    ///   - base: The remote.
    ///   - deliver: Decides what happens to a request and its answer. It is called before the request arrives, so its
    ///     own effects occur while the request is in flight. The device receives the errors that it throws, such as a
    ///     `RemoteError`.
    public init(_ base: Base, deliver: @escaping @Sendable (StoreRequest) async throws -> Delivery) {
        self.base = base
        self.deliver = deliver
    }

    /// Introduces a device.
    ///
    /// - Throws: ``LostMessage``, and the errors of the remote.
    public func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        try await deliver(.handshake(request)).carry { try await base.handshake(request) }
    }

    /// Returns a page of what others have changed.
    ///
    /// - Throws: ``LostMessage``, and the errors of the remote.
    public func pull(_ request: PullRequest) async throws -> PullResponse {
        try await deliver(.pull(request)).carry { try await base.pull(request) }
    }

    /// Makes a device's changes.
    ///
    /// - Throws: ``LostMessage``, and the errors of the remote.
    public func push(_ request: PushRequest) async throws -> PushResponse {
        try await deliver(.push(request)).carry { try await base.push(request) }
    }

    /// Returns the position of the remote.
    public func position() async throws -> SyncCursor? { try await base.position() }

    /// Returns the notifications of the remote, and loses none of them.
    public func notifications() -> AsyncStream<SyncCursor?> { base.notifications() }
}

/// A request of a device to a remote of whole stores.
public enum StoreRequest: Hashable, Sendable {
    /// The introduction of the device, with which each cycle begins.
    case handshake(HandshakeRequest)
    /// The request for a page of what others have changed.
    case pull(PullRequest)
    /// The changes of the device.
    case push(PushRequest)
}
