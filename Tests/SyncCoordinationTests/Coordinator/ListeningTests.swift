import DifferentialSyncTesting
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// When a coordinator receives the notifications of a remote.
@Suite struct ListeningTests {
    /// Something that keeps cycles from beginning.
    enum Interruption: CaseIterable, Sendable { case suspension, inactivity, unreachability }

    private let world: PhotoWorld

    init() throws {
        world = try PhotoWorld()
        world.remote.notifyByHand()
    }

    /// Lets short times pass until a condition is met.
    private func settle(_ coordinator: SyncCoordinator, until isMet: () -> Bool) async {
        while !isMet() && !Task.isCancelled { await world.settle(coordinator) }
    }

    /// Starts a coordinator, and waits until it has synchronized and receives notifications.
    private func start(_ coordinator: SyncCoordinator) async throws {
        try await world.addPhoto(1, in: world.server)
        await world.start(coordinator)
        await settle(coordinator) { world.remote.openStreamCount == 1 }
        #expect(try await world.photo(1) != nil)
        #expect(world.remote.cycleCount == 1)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Interruption.allCases)
    func noNotificationsAreReceivedDuringAnInterruption(interruption: Interruption) async throws {
        let coordinator = world.coordinator()
        func signal(_ canBegin: Bool) async {
            switch interruption {
            case .suspension: if canBegin { await coordinator.resume() } else { await coordinator.suspend() }
            case .inactivity: world.activity.continuation.yield(canBegin)
            case .unreachability: world.reachability.continuation.yield(canBegin)
            }
        }
        try await start(coordinator)
        await signal(false)
        await settle(coordinator) { world.remote.openStreamCount == 0 }
        #expect(world.remote.cycleCount == 1)
        try await world.addPhoto(2, in: world.server)
        await signal(true)
        await settle(coordinator) { world.remote.openStreamCount == 1 && world.remote.cycleCount == 2 }
        #expect(try await world.photo(2) != nil)
        #expect(world.remote.cycleCount == 2 && world.remote.streamCount == 2)
        await coordinator.stop()
        await settle(coordinator) { world.remote.openStreamCount == 0 }
    }
}
