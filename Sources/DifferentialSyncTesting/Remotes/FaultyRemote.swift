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

    /// Creates a remote behind a transport.
    ///
    /// - Parameters:
    ///   - base: The remote.
    ///   - deliver: Decides what happens to a request and its answer. It is called before the request arrives, so its
    ///     own effects occur while the request is in flight. The device receives the errors that it throws.
    public init(
        _ base: Base, deliver: @escaping @Sendable (RemoteRequest<Base.Element>) async throws -> Delivery
    ) {
        self.base = base
        self.deliver = deliver
    }

    /// The account of the remote.
    public var account: String { base.account }

    /// Whether the remote accepts a repeated push.
    public var recognizesPushes: Bool { base.recognizesPushes }

    /// Returns the outcome of a push.
    ///
    /// - Throws: ``LostMessage``, and the errors of the remote.
    public func status(of pushID: String) async throws -> PushStatus<Base.Element> {
        try await deliver(.status(of: pushID)).carry { try await base.status(of: pushID) }
    }

    /// Returns the changes since a version.
    ///
    /// - Throws: ``LostMessage``, and the errors of the remote.
    public func pull(since version: RemoteVersion?) async throws -> Pull<Base.Element, Base.Key> {
        try await deliver(.pull(since: version)).carry { try await base.pull(since: version) }
    }

    /// Sends a push.
    ///
    /// - Throws: ``LostMessage``, and the errors of the remote.
    public func push(_ push: Push<Base.Element>) async throws -> PushAnswer<Base.Element> {
        try await deliver(.push(push)).carry { try await base.push(push) }
    }
}

/// A request of a device to a remote.
public enum RemoteRequest<Element: Equatable & Sendable>: Equatable, Sendable {
    /// The outcome of a push.
    case status(of: String)
    /// The changes since a version.
    case pull(since: RemoteVersion?)
    /// To accept a push.
    case push(Push<Element>)
}

/// The error of a request or an answer that was lost.
public struct LostMessage: Error, Hashable, CustomStringConvertible {
    /// The message that was lost.
    public let delivery: Delivery

    init(_ delivery: Delivery) {
        self.delivery = delivery
    }

    /// The message that was lost.
    public var description: String { delivery == .requestLost ? "the request was lost" : "the answer was lost" }
}

extension Delivery {
    /// Lets a request arrive and returns its answer, unless one of the two is lost.
    ///
    /// - Throws: ``LostMessage``, and the errors of the receiver.
    func carry<Answer>(_ arrive: () async throws -> Answer) async throws -> Answer {
        if self == .requestLost { throw LostMessage(self) }
        let answer = try await arrive()
        if self == .answerLost { throw LostMessage(self) }
        return answer
    }
}
