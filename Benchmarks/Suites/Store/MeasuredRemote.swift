import Foundation
import StoreSync

/// A service in the same process that counts the bytes of the messages, as if they were sent.
actor MeasuredRemote: Remote {
    private let service: SyncService

    /// The bytes of the requests and responses by kind.
    private(set) var bytes: [String: Int] = [:]

    /// The number of requests and responses.
    private(set) var messageCount = 0

    init(_ service: SyncService) { self.service = service }

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        let response = try await service.handshake(request)
        count(request, response, "handshakes")
        return response
    }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        let response = try await service.pull(request)
        count(request, response, "pulls")
        return response
    }

    func push(_ request: PushRequest) async throws -> PushResponse {
        let response = try await service.push(request)
        count(request, response, "pushes")
        return response
    }

    private func count(_ request: some SyncMessage, _ response: some SyncMessage, _ kind: String) {
        bytes[kind, default: 0] += request.data.count + response.data.count
        messageCount += 2
    }
}
