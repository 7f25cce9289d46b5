import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// A push under way that exceeds limits which the service has lowered since.
@Suite struct LoweredLimitsTests {
    private let phone: Device
    private let server: any PersistenceAdapter
    private let service: SyncService

    init() throws {
        phone = try Device("phone")
        (server, service) = try Planner.service()
    }

    /// Returns the service with lower limits.
    private func lowered(_ limits: SyncLimits) -> SyncService {
        SyncService(server, account: "ada", limits: limits, makeName: Planner.names("epoch"))
    }

    /// Sends 50 tags, the first with a long name, in a push that does not arrive; returns the push.
    private func losePush() async throws -> PushRequest {
        try await phone.sync(with: service)
        try await phone.edit { changes, schema in
            for id in 0..<50 {
                let name = String(repeating: "long ", count: id == 0 ? 100 : 1)
                try changes.put(Record("Tag", in: schema, ["id": .integer(Int64(id)), "name": .string(name)]))
            }
        }
        let sent = Locked<PushRequest?>(nil)
        var remote = ScriptedRemote(service)
        remote.onPush = { push in sent.withLock { $0 = push } }
        remote.answer = { _ in throw RemoteError.later() }
        #expect(try await phone.sync(with: remote).failure == .later())
        return try #require(sent.current)
    }

    @Test(arguments: [
        SyncLimits(pushRecords: 3), SyncLimits(pushBytes: 600), SyncLimits(pushRecords: 20, pushBytes: 600),
    ])
    func smallerPushesTakeItsPlace(limits: SyncLimits) async throws {
        _ = try await losePush()
        let outcome = try await phone.sync(with: lowered(limits))
        #expect(outcome.isSynced && outcome.pushedCount == 50, "\(outcome)")
    }

    @Test func aRecordThatIsTooLargeNowIsRefusedAndTheOthersAreSent() async throws {
        _ = try await losePush()
        let outcome = try await phone.sync(with: lowered(SyncLimits(bytes: 300)))
        #expect(outcome.refused.map(\.id) == [RecordID("Tag", 0)] && outcome.pushedCount == 49, "\(outcome)")
        #expect(try await phone.sync(with: service).isSynced)
    }

    @Test func aPushThatArrivesAfterItWasGivenUpLosesNothing() async throws {
        let push = try await losePush()
        try await phone.edit { changes, _ in
            changes.update(RecordID("Tag", 1), ["name": "edited"])
            changes.delete(RecordID("Tag", 2))
        }
        let lowered = lowered(SyncLimits(pushRecords: 3))
        var remote = ScriptedRemote(lowered)
        remote.answer = { _ in throw RemoteError.later() }
        try await phone.sync(with: remote)
        _ = try await service.push(push)
        for _ in 1...2 { try await phone.sync(with: lowered, SyncPolicies(.localWins)) }
        #expect(try await phone.sync(with: lowered).isSynced)
        let tags = try await server.read { try $0.records(Query("Tag")) }
        #expect(tags.count == 49)
        #expect(tags.contains { $0["name"] == "edited" } && !tags.contains { $0["id"] == 2 })
    }

    @Test func aPushThatTheServiceHasMadeIsNotGivenUp() async throws {
        try await phone.edit { changes, schema in
            for id in 0..<50 { try changes.put(Record("Tag", in: schema, ["id": .integer(Int64(id))])) }
        }
        var remote = ScriptedRemote(service)
        remote.losesAnswers = true
        try await phone.sync(with: remote)
        let outcome = try await phone.sync(with: lowered(SyncLimits(pushRecords: 3)))
        #expect(outcome.isSynced && outcome.pushedCount == 50 && outcome.pulledCount == 0)
    }

    /// A push of small changes is short, and the service reads as many large records as it has room for.
    @Test func smallChangesOfLargeRecordsAreSentInOneCycle() async throws {
        let limits = SyncLimits(bytes: 10_000)
        let names = (0..<40).map { Value.string(String(repeating: "long ", count: 1_000) + "\($0)") }
        try await phone.edit { changes, schema in
            for (id, name) in names.enumerated() {
                try changes.put(Record("Tag", in: schema, ["id": .integer(Int64(id)), "name": name]))
            }
        }
        #expect(try await phone.sync(with: lowered(limits)).isSynced)
        try await phone.edit { changes, _ in for id in 0..<40 { changes.delete(RecordID("Tag", .integer(Int64(id)))) } }
        let outcome = try await phone.sync(with: lowered(limits))
        #expect(outcome.isSynced && outcome.pushedCount == 40)
        #expect(try await server.read { try $0.count(Query("Tag")) } == 0)
    }

    /// The first push has room for refused changes alone.
    @Test func changesAfterRefusedOnesAreSentInTheSameCycle() async throws {
        let refusing = SyncService(
            server, account: "ada", limits: SyncLimits(bytes: 10_000),
            review: Review { change, _ in
                guard case .integer(let id) = change.mutation.id.key, id < 20, change.old != nil else { return .accept }
                return .refuse(code: "no", reason: "a reason")
            }, makeName: Planner.names("epoch"))
        let names = (0..<40).map { Value.string(String(repeating: "long ", count: 1_000) + "\($0)") }
        try await phone.edit { changes, schema in
            for (id, name) in names.enumerated() {
                try changes.put(Record("Tag", in: schema, ["id": .integer(Int64(id)), "name": name]))
            }
        }
        #expect(try await phone.sync(with: refusing).isSynced)
        try await phone.edit { changes, _ in for id in 0..<40 { changes.delete(RecordID("Tag", .integer(Int64(id)))) } }
        let outcome = try await phone.sync(with: refusing)
        #expect(outcome.refused.count == 20 && outcome.pending.isEmpty && outcome.pushedCount == 20)
    }
}
