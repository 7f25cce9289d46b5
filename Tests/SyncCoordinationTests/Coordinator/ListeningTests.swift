import DifferentialSyncTesting
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// When a coordinator receives the notifications of a remote, and what it does when they end.
@Suite(.timeLimit(.minutes(5))) struct ListeningTests {
    /// Something that keeps cycles from beginning.
    enum Interruption: CaseIterable, Sendable { case suspension, inactivity, unreachability }

    private let world: PhotoWorld

    /// A position that a coordinator knows after its first cycle.
    private let known = SyncCursor(epoch: "epoch 1", sequence: 0)

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

    @Test func aCycleFollowsTheEndOfTheNotifications() async throws {
        let coordinator = world.coordinator()
        try await start(coordinator)
        world.remote.notify(of: known)
        world.remote.endNotifications()
        await settle(coordinator) { world.remote.cycleCount == 2 && world.remote.openStreamCount == 1 }
        #expect(world.remote.cycleCount == 2 && world.remote.streamCount == 2)
        await coordinator.stop()
    }

    @Test func theEndOfTheNotificationsRenewsTheAuthorization() async throws {
        let (remote, renewals) = (world.remote, Locked(0))
        let coordinator = world.coordinator(renew: {
            remote.failAlways(nil)
            renewals.withLock { $0 += 1 }
            return true
        })
        try await start(coordinator)
        remote.failAlways(RemoteError.unauthorized)
        remote.notify(of: known)
        remote.endNotifications()
        await settle(coordinator) { remote.openStreamCount == 1 && remote.streamCount == 2 }
        #expect(renewals.current == 1)
        await coordinator.stop()
    }

    @Test(arguments: [true, false])
    func notificationsThatEndBeforeTheFirstBeginNoCycle(isInACycle: Bool) async throws {
        let coordinator = world.coordinator()
        try await start(coordinator)
        var cycleCount = 1
        if isInACycle {
            let requestCount = world.remote.requests.count
            world.remote.hold()
            await coordinator.syncNow()
            await world.remote.waitForRequests(requestCount + 1)
            cycleCount += 1
        }
        world.remote.endNotifications()
        // The coordinator usually notices the end meanwhile. If that began a cycle, it would follow now.
        for _ in 0..<20 { await Task.yield() }
        world.remote.release()
        await world.settle(coordinator)
        #expect(world.remote.cycleCount == cycleCount)
        // A cycle begins another stream only if the coordinator has noticed the end of the first one.
        while world.remote.streamCount == 1 && !Task.isCancelled {
            await world.sync(coordinator)
            cycleCount += 1
        }
        await world.settle(coordinator)
        #expect(world.remote.cycleCount == cycleCount && world.remote.streamCount == 2)
        await coordinator.stop()
    }

    @Test func aCycleFollowsTheEndOfALaterStreamWithoutNotifications() async throws {
        let coordinator = world.coordinator()
        try await start(coordinator)
        world.remote.notify(of: nil)
        await settle(coordinator) { world.remote.cycleCount == 2 }
        await coordinator.suspend()
        await settle(coordinator) { world.remote.openStreamCount == 0 }
        await coordinator.resume()
        await settle(coordinator) { world.remote.openStreamCount == 1 && world.remote.cycleCount == 3 }
        world.remote.endNotifications()
        await settle(coordinator) { world.remote.openStreamCount == 1 && world.remote.cycleCount == 4 }
        #expect(world.remote.cycleCount == 4 && world.remote.streamCount == 3)
        await coordinator.stop()
    }

    @Test func notificationsThatKeepEndingBeginFewerAndFewerCycles() async throws {
        let coordinator = world.coordinator()
        world.remote.endEachStream(after: known)
        await world.start(coordinator)
        for _ in 0..<60 {
            world.clock.advance(by: .seconds(1))
            await world.settle(coordinator)
        }
        #expect(world.remote.cycleCount < 15)
        // The pause ends, and the next cycle finds what has changed meanwhile.
        try await world.addPhoto(1, in: world.server)
        while try await world.photo(1) == nil, !Task.isCancelled { await world.pass(.seconds(10), coordinator) }
        #expect(try await world.photo(1) != nil)
        await coordinator.stop()
    }

    @Test(arguments: Interruption.allCases)
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
