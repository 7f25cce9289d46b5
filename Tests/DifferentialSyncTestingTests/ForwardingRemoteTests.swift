import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import Testing

/// A service that accepts no push.
private struct BusyService: ForwardingRemote {
    let base: SyncService

    func push(_ request: PushRequest) async throws -> PushResponse { throw RemoteError.throttled(after: 60) }
}

struct ForwardingRemoteTests {
    @Test(.timeLimit(.minutes(1))) func eachCallThatIsNotChangedReachesTheOtherRemote() async throws {
        let schema = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        let (phone, server) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
        let service = SyncService(server, account: "ada", makeName: { "epoch" })
        try await phone.synchronize(with: service)
        let remote = BusyService(base: service)
        var notifications = remote.notifications().makeAsyncIterator()
        for (key, store) in [(1, server), (2, phone)] as [(Value, InMemoryAdapter)] {
            var changes = ChangeSet()
            try changes.put(Record("Note", in: schema, ["id": key]))
            try await store.commit(changes)
        }
        #expect(try await phone.synchronize(with: remote).failure == .throttled(after: 60))
        #expect(try await phone.read { try $0.count(Query("Note")) } == 2)
        #expect(try await server.read { try $0.count(Query("Note")) } == 1)
        let position = try #require(try await service.position())
        #expect(try await remote.position() == position)
        let notification = try #require(await notifications.next())
        #expect(notification?.epoch == "epoch")
    }
}
