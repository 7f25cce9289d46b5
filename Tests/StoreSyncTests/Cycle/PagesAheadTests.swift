import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// Pages that are fetched while others are stored.
@Suite struct PagesAheadTests {
    private let phone: Device
    private let server: Device
    private let service: SyncService
    private let tags = 1...20 as ClosedRange<Int64>

    init() throws {
        let limits = SyncLimits(pageRecords: 3, pushRecords: 30, bytes: 100_000)
        let (store, service) = try Planner.service(limits: limits)
        (phone, server, self.service) = (try Device("phone"), try Device("server", store), service)
    }

    /// A service that keeps the positions of pulls, and does not answer after some of them.
    private struct CountedRemote: ForwardingRemote {
        let base: SyncService
        var answeredPulls = Int.max
        let positions = Locked<[Int64]>([])

        func pull(_ request: PullRequest) async throws -> PullResponse {
            let count = positions.withLock { positions in
                positions.append(request.cursor.sequence)
                return positions.count
            }
            if count > answeredPulls { throw RemoteError.later() }
            return try await base.pull(request)
        }
    }

    private func name(_ device: Device, _ place: Value) async throws {
        let tags = tags
        try await device.edit { changes, schema in
            for id in tags { try changes.put(Record("Tag", in: schema, ["id": .integer(id), "name": place])) }
        }
    }

    @Test func eachPageIsFetchedOnce() async throws {
        try await name(server, "there")
        let remote = CountedRemote(base: service)
        let outcome = try await phone.sync(with: remote)
        #expect(outcome.isSynced && outcome.pulledCount == 20 && outcome.isVerified == true)
        let positions = remote.positions.withLock { $0 }
        #expect(positions.count == 7 && positions == Set(positions).sorted())
    }

    @Test func pagesBeforeAMissingOneAreStored() async throws {
        try await name(server, "there")
        let outcome = try await phone.sync(with: CountedRemote(base: service, answeredPulls: 5))
        #expect(outcome.failure == .later() && outcome.pulledCount == 15)
        #expect(try await phone.store.read { try $0.count(Query("Tag")) } == 15)
        #expect(try await phone.sync(with: service).pulledCount == 5)
    }

    @Test func conflictsOfManyPagesAreEachReportedOnce() async throws {
        try await name(server, "before")
        try await phone.sync(with: service)
        try await name(server, "there")
        try await name(phone, "here")
        let outcome = try await phone.sync(with: CountedRemote(base: service))
        #expect(outcome.conflicts.map(\.id.key) == tags.map(Value.integer))
        let resolved = try await phone.sync(with: CountedRemote(base: service), SyncPolicies(.localWins))
        #expect(resolved.isSynced)
        #expect(try await server.value("Tag", 20, "name") == "here")
    }
}
