public import DifferentialSync
public import SyncPersistence

/// A remote behind a transport that loses messages.
///
/// ```swift
/// let remote = FaultyRemote(server) { request in
///     if case .push = request { .answerLost } else { .delivered }
/// }
/// ```
public struct FaultyRemote<Base: RemoteCollection>: RemoteCollection {
    private let base: Base
    private let deliver: @Sendable (RemoteRequest<Base.Element>) async throws -> Delivery

    /// A remote behind a transport.
    ///
    /// - Parameters:
    ///   - base: The remote.
    ///   - deliver: What happens to a request and its answer. It is asked before the request arrives, so what it does
    ///     happens while the request is under way; what it throws is thrown to the device.
    public init(
        _ base: Base, deliver: @escaping @Sendable (RemoteRequest<Base.Element>) async throws -> Delivery
    ) {
        self.base = base
        self.deliver = deliver
    }

    /// The account of the remote.
    public var account: String { base.account }

    /// What has become of a push.
    ///
    /// - Throws: ``LostMessage``, and what the remote throws.
    public func status(of pushID: String) async throws -> PushStatus<Base.Element> {
        try await send(.status(of: pushID)) { try await base.status(of: pushID) }
    }

    /// What has changed since a version.
    ///
    /// - Throws: ``LostMessage``, and what the remote throws.
    public func pull(since version: RemoteVersion?) async throws -> Pull<Base.Element, Base.Key> {
        try await send(.pull(since: version)) { try await base.pull(since: version) }
    }

    /// Pushes.
    ///
    /// - Throws: ``LostMessage``, and what the remote throws.
    public func push(_ push: Push<Base.Element>) async throws -> PushAnswer<Base.Element> {
        try await send(.push(push)) { try await base.push(push) }
    }

    private func send<Answer>(
        _ request: RemoteRequest<Base.Element>, _ arrive: () async throws -> Answer
    ) async throws -> Answer {
        let delivery = try await deliver(request)
        if delivery == .requestLost { throw LostMessage(delivery) }
        let answer = try await arrive()
        if delivery == .answerLost { throw LostMessage(delivery) }
        return answer
    }
}

/// What a device asks of a remote.
public enum RemoteRequest<Element: Equatable & Sendable>: Equatable, Sendable {
    /// What has become of a push.
    case status(of: String)
    /// What has changed since a version.
    case pull(since: RemoteVersion?)
    /// To take a push.
    case push(Push<Element>)
}

/// A request or an answer has not arrived.
public struct LostMessage: Error, Hashable, CustomStringConvertible {
    /// What was lost.
    public let delivery: Delivery

    init(_ delivery: Delivery) {
        self.delivery = delivery
    }

    /// What was lost.
    public var description: String { delivery == .requestLost ? "the request was lost" : "the answer was lost" }
}
