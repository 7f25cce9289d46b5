import StoreSync

/// What a message loses.
enum MessageLoss { case request, answer }

/// A service whose messages are lost, or come after something else has happened.
struct FaultyService: Remote {
    let service: SyncService
    let fault: @Sendable () async throws -> MessageLoss?

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        try await perform { try await service.handshake(request) }
    }
    func pull(_ request: PullRequest) async throws -> PullResponse {
        try await perform { try await service.pull(request) }
    }
    func push(_ request: PushRequest) async throws -> PushResponse {
        try await perform { try await service.push(request) }
    }

    private func perform<Response>(_ answer: () async throws -> Response) async throws -> Response {
        let loss = try await fault()
        if loss == .request { throw RemoteError.later() }
        let response = try await answer()
        // An edit may be made here too, before the answer arrives.
        if try await fault() == .answer || loss == .answer { throw RemoteError.later() }
        return response
    }
}
