import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// What a caller learns while the whole store is synchronized.
@Suite struct ProgressTests {
    private let phone: Device
    private let server: any PersistenceAdapter
    private let service: SyncService

    init() throws {
        phone = try Device("phone")
        (server, service) = try Planner.service(limits: SyncLimits(pageRecords: 3, pushRecords: 3))
    }

    /// Synchronizes the phone, and returns the steps that it reports.
    private func steps(with remote: some Remote) async throws -> [StoreProgress] {
        let steps = Locked<[StoreProgress]>([])
        let outcome = try await phone.store.synchronize(
            with: remote, progress: { step in steps.withLock { $0.append(step) } },
            makeName: Planner.names("phone"))
        #expect(outcome.isSynced)
        return steps.current
    }

    private func insertTags(_ ids: ClosedRange<Int64>, on device: Device) async throws {
        try await device.edit { changes, schema in
            for id in ids { try changes.put(Record("Tag", in: schema, ["id": .integer(id)])) }
        }
    }

    @Test func pushesTellHowManyChangesWereAcceptedAndHowManyFollow() async throws {
        try await insertTags(1...8, on: phone)
        let steps = try await steps(with: service)
        // Each push is stored before it is sent, together with the answer to the one before.
        #expect(steps.map(\.pushedCount).filter { $0 > 0 } == [3, 6, 8])
        #expect(steps.map(\.unsentCount).filter { $0 > 0 } == [5, 2])
        #expect(steps.last?.unsentCount == 0)
    }

    @Test func pagesTellHowManyChangesWereStoredAndHowManyFollow() async throws {
        let laptop = try Device("laptop")
        try await insertTags(1...8, on: laptop)
        try await laptop.sync(with: service)
        let steps = try await steps(with: service)
        #expect(steps.last?.pulledCount == 8 && steps.last?.remainingCount == 0)
        #expect(steps.map(\.pulledCount) == steps.map(\.pulledCount).sorted())
        // Together, both are at least what there is.
        #expect(steps.allSatisfy { $0.pulledCount == 0 || $0.pulledCount + $0.remainingCount == 8 })
        #expect(steps.contains { $0.remainingCount > 0 })
    }

    @Test(arguments: [Int.min, -5, .max])
    func numbersThatNoServiceShouldSendCanBeAddedUp(remaining: Int) async throws {
        let laptop = try Device("laptop")
        try await insertTags(1...8, on: laptop)
        try await laptop.sync(with: service)
        var remote = ScriptedRemote(service)
        remote.page = { page, _ in page.remaining = remaining }
        for step in try await steps(with: remote) {
            #expect(step.remainingCount >= 0 && step.pulledCount + step.remainingCount >= 0)
        }
    }

    @Test func aStoreWithoutChangesReportsNone() async throws {
        try await phone.sync(with: service)
        let steps = try await steps(with: service)
        #expect(steps.allSatisfy { $0.pulledCount + $0.pushedCount + $0.remainingCount + $0.unsentCount == 0 })
        #expect(!steps.isEmpty)
    }
}
