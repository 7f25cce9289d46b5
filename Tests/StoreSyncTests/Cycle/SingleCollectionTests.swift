import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// Cycles of single collections beside that of the whole store.
@Suite struct SingleCollectionTests {
    @Test func aCollectionOfASynchronizedStoreHasNoCycleOfItsOwn() async throws {
        let phone = try Device("phone")
        try await phone.sync(with: Planner.service().service)
        let tags = try await phone.store.recordCollection(of: "Tag")
        let remote = SimulatedRemoteServer<Record, Value>(primaryKey: \.key)
        await #expect {
            try await tags.synchronize(with: remote, policy: .localWins)
        } throws: {
            ($0 as? CycleError)?.code == .wholeStore
        }
    }

    /// Its conflicts are those of the whole store.
    @Test func aCollectionOfASynchronizedStoreCannotBeStopped() async throws {
        let phone = try Device("phone")
        try await phone.sync(with: Planner.service().service)
        let tags = try await phone.store.recordCollection(of: "Tag")
        await #expect {
            try await tags.stopSynchronizing()
        } throws: {
            ($0 as? CycleError)?.code == .wholeStore
        }
    }

    /// The store is that of an app that has synchronized its tags alone, for the user before.
    private func phoneWithTags(of account: String) async throws -> Device {
        let phone = try Device("phone")
        let tags = try await phone.store.recordCollection(of: "Tag")
        let remote = SimulatedRemoteServer<Record, Value>(account: account, primaryKey: \.key)
        try await phone.edit { changes, schema in
            try changes.put(Record("Tag", in: schema, ["id": 1, "name": "spring"]))
        }
        try await tags.synchronize(with: remote, policy: .localWins)
        return phone
    }

    @Test func recordsOfACollectionAreNotSentToAnotherAccountWithoutAChoice() async throws {
        let phone = try await phoneWithTags(of: "eve")
        let (server, service) = try Planner.service()
        let mismatch = RemoteMismatch.account(store: "eve", remote: "ada")
        await #expect(throws: KeptApartError(mismatch: mismatch)) { try await phone.sync(with: service) }
        #expect(try await server.read { try $0.records(Query("Tag")).isEmpty })
        #expect(try await phone.store.syncState.account == nil)
        let outcome = try await phone.store.synchronize(
            with: service, choose: { _ in .merge }, makeName: Planner.names("later phone"))
        #expect(outcome.isSynced)
        #expect(try await server.read { try $0.records(Query("Tag")).count } == 1)
        #expect(try await phone.sync(with: service).isSynced)
    }

    @Test func recordsOfACollectionAreSentToItsAccount() async throws {
        let phone = try await phoneWithTags(of: "ada")
        let (server, service) = try Planner.service()
        #expect(try await phone.sync(with: service).isSynced)
        #expect(try await server.read { try $0.records(Query("Tag")).count } == 1)
    }
}
