import DifferentialSyncTesting
import StoreSync
import TestSupport

/// A service whose responses a test changes, and whose requests it counts.
struct ScriptedRemote: Remote {
    let service: SyncService

    /// Changes the response to a handshake.
    var greeting: @Sendable (inout HandshakeResponse) -> Void = { _ in }

    /// Changes a page.
    var page: @Sendable (inout PullResponse, PullRequest) -> Void = { _, _ in }

    /// Changes the response to a push, which the service may not have received.
    var answer: (@Sendable (PushRequest) throws -> PushResponse)?

    /// Called with each push.
    var onPush: @Sendable (PushRequest) -> Void = { _ in }

    /// Whether the answers to pushes do not arrive.
    var losesAnswers = false

    /// How many requests the remote has received.
    let requestCount = Locked(0)

    init(_ service: SyncService) { self.service = service }

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        try count()
        var response = try await service.handshake(request)
        greeting(&response)
        return response
    }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        try count()
        var response = try await service.pull(request)
        page(&response, request)
        return response
    }

    func push(_ request: PushRequest) async throws -> PushResponse {
        try count()
        onPush(request)
        if let answer { return try answer(request) }
        let response = try await service.push(request)
        if losesAnswers { throw RemoteError.later() }
        return response
    }

    /// Ends a cycle that does not end by itself.
    private func count() throws {
        if requestCount.next() > 1_000 { throw TooManyRequests() }
    }
}

/// The error for a cycle that sends requests without an end.
struct TooManyRequests: Error {}
