import StoreSync
import SyncPersistence

/// The remote of one account: opens the account's store for each message, and observes what becomes of it.
struct AccountRemote: Remote {
    let account: AccountName
    let stores: AccountStores
    let hub: ChangeHub
    let activity: Activity
    let makeService: @Sendable (any PersistenceAdapter, AccountName) -> SyncService
    /// The changes for a request that waits.
    let changes: AsyncStream<SyncCursor?>

    private var name: String { account.storageName }

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        try await run { try await $0.handshake(request) }
    }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        let response = try await run { try await $0.pull(request) }
        activity.pulled(by: request.device, of: account, isComplete: !response.hasMore)
        return response
    }

    func push(_ request: PushRequest) async throws -> PushResponse {
        let response = try await run { try await $0.push(request) }
        activity.pushed(by: request.device, of: account, response.outcomes)
        if response.outcomes.contains(where: \.isAccepted) { hub.publish(name) }
        return response
    }

    func notifications() -> AsyncStream<SyncCursor?> { changes }

    func position() async throws -> SyncCursor? {
        // An account without a store has no history, and gets none by waiting.
        guard await stores.exists(name) else { return nil }
        return try await run { try await $0.position() }
    }

    private func run<Response: Sendable>(
        _ body: @Sendable (SyncService) async throws -> Response
    ) async throws -> Response {
        do {
            return try await stores.use(name) { store in try await body(makeService(store, account)) }
        } catch let error as PersistenceError where Self.passingCodes.contains(error.code.description) {
            activity.failedForNow(error)
            throw RemoteError.later(after: 1)
        }
    }

    /// The errors after which the same request may succeed.
    ///
    /// Its push has a name, so it is not made twice.
    private static let passingCodes: Set = [
        "cannotConnect", "closed", "connectionLost", "full", "locked", "readOnly", "unknownOutcome",
    ]
}

extension PushResponse.Outcome {
    /// Whether the change is stored.
    var isAccepted: Bool { if case .accepted = self { true } else { false } }
}
