import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

/// Coordinators with connections of their own to one file, as those of two processes.
@Suite struct SharedFileTests {
    private let temporary = TemporaryFolder()
    private let world: PhotoWorld

    init() throws { world = try PhotoWorld() }

    /// A process: its connection to the file, its connection to the service, and its coordinator.
    private struct Process {
        let store: SQLiteAdapter
        let remote: ScriptedRemote
        let coordinator: SyncCoordinator
    }

    private func process(_ name: String) async throws -> Process {
        let store = try await SQLiteAdapter.open(at: temporary.file(), schema: PhotoWorld.schema())
        let remote = ScriptedRemote(SyncService(world.server, account: "ada", makeName: { "epoch" }))
        let coordinator = SyncCoordinator(
            of: store, with: remote, clock: world.clock, generator: SeededGenerator(seed: 3),
            date: { Date(timeIntervalSinceReferenceDate: 0) }, makeName: countedNames(name))
        return Process(store: store, remote: remote, coordinator: coordinator)
    }

    /// Waits for the next failure of a coordinator; returns its reason.
    private func failure(_ events: AsyncStream<SyncEvent>) async -> WaitReason? {
        for await event in events { if case .failed(nil, let reason, _) = event { return reason } }
        return nil
    }

    @Test(arguments: 1...3) func aCycleThatAnotherProcessHasContinuedStoresNothingMore(request: Int) async throws {
        let (first, second) = (try await process("first"), try await process("second"))
        try await world.addPhoto(1, in: first.store)
        // The handshake, the pull and the push of the first process wait, one in each run of the test.
        let events = await first.coordinator.events()
        first.remote.hold(after: request - 1)
        await first.coordinator.start()
        await first.remote.waitForRequests(request)
        try await world.addPhoto(2, in: second.store)
        #expect(await second.coordinator.syncOnce(within: .seconds(30)))
        let fingerprint = try await first.store.read { try $0.fingerprint() }
        first.remote.release()
        #expect(await failure(events) == .busy)
        #expect(try await first.store.read { try $0.fingerprint() } == fingerprint)
        #expect(try await world.server.read { try $0.count(Query("Photo")) } == 2)
        // The next cycle of the first process finds that nothing is left to do.
        await world.sync(first.coordinator)
        for id in 1...2 as ClosedRange<Int64> {
            #expect(try await first.store.syncState(of: RecordID("Photo", .integer(id))) == .synced)
        }
        #expect(second.remote.requests.count { $0 == "push" } >= 1)
        #expect(try await world.server.read { try $0.historySequence } == 2, "each record was stored once")
        await first.coordinator.stop()
        await first.store.close()
        await second.store.close()
    }
}
