import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import Testing

/// A remote of whole stores that loses messages.
struct FaultyStoreRemoteTests {
    private let phone: InMemoryAdapter
    private let server: InMemoryAdapter
    private let service: SyncService

    init() throws {
        let schema = try Schema {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
            }
        }
        (phone, server) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
        service = SyncService(server, account: "ada", makeName: { "epoch" })
    }

    private func put(_ id: Value, in store: InMemoryAdapter) async throws {
        var changes = ChangeSet()
        try changes.put(Record("Note", in: store.schema, ["id": id, "text": "milk"]))
        try await store.commit(changes)
    }

    private func serverCount() async throws -> Int { try await server.read { try $0.count(Query("Note")) } }

    @Test(arguments: [Delivery.delivered, .requestLost, .answerLost])
    func onlyALostAnswerLeavesThePushMadeAndTheNextCycleKnows(delivery: Delivery) async throws {
        try await put(1, in: phone)
        let remote = FaultyStoreRemote(service) { request in
            if case .push = request { delivery } else { .delivered }
        }
        let outcome = try await phone.synchronize(with: remote)
        let failure: RemoteError? = delivery == .delivered ? nil : .later()
        #expect(outcome.failure == failure)
        #expect(try await serverCount() == (delivery == .requestLost ? 0 : 1))
        let state = try await phone.syncState
        #expect(state.isSettled == (delivery == .delivered))
        #expect(state.inFlight == (delivery == .delivered ? [] : [RecordID("Note", 1)]))

        let requests = Locked<[StoreRequest]>([])
        let calm = FaultyStoreRemote(service) { request in
            requests.withLock { $0.append(request) }
            return .delivered
        }
        #expect(try await phone.synchronize(with: calm).isSynced)
        #expect(try await phone.syncState.isSettled)
        #expect(try await serverCount() == 1)
        let pushes = requests.current.count { if case .push = $0 { true } else { false } }
        #expect(pushes == (delivery == .requestLost ? 1 : 0))
    }

    @Test func deviceReceivesTheErrorsOfTheTransport() async throws {
        try await put(1, in: phone)
        let remote = FaultyStoreRemote(service) { request in
            if case .pull = request { throw RemoteError.throttled(after: 60) }
            return .delivered
        }
        let outcome = try await phone.synchronize(with: remote)
        #expect(outcome.failure == .throttled(after: 60))
        #expect(try await serverCount() == 0)
        #expect(try await phone.synchronize(with: service).isSynced)
    }

    @Test func requestsReachTheRemoteUnchangedUnlessTheyAreLost() async throws {
        let request = HandshakeRequest(device: "phone", cursor: nil, lastPush: nil, entities: ["Note": ["id", "text"]])
        let remote = FaultyStoreRemote(service) { sent in
            #expect(sent == .handshake(request))
            return .delivered
        }
        #expect(try await remote.handshake(request).epoch == "epoch")

        let cursor = SyncCursor(epoch: "epoch", sequence: 0)
        let silent = FaultyStoreRemote(service) { _ in .requestLost }
        let error = try await #require(throws: LostMessage.self) {
            try await silent.pull(PullRequest(device: "phone", cursor: cursor))
        }
        #expect(error.delivery == .requestLost)
    }

    @Test(.timeLimit(.minutes(1))) func notificationsOfTheRemoteArrive() async throws {
        try await phone.synchronize(with: service)
        let remote = FaultyStoreRemote(service) { _ in .requestLost }
        var notifications = remote.notifications().makeAsyncIterator()
        try await put(1, in: server)
        let cursor = try #require(await notifications.next())
        #expect(cursor?.epoch == "epoch")
    }
}
