import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// Which notifications of a remote begin a cycle.
@Suite(.timeLimit(.minutes(5))) struct NotificationTests {
    private let world: PhotoWorld
    private let coordinator: SyncCoordinator

    init() async throws {
        world = try PhotoWorld(limits: SyncLimits(pushRecords: 500))
        world.remote.notify()
        try await world.addPhoto(1)
        coordinator = world.coordinator()
        await world.start(coordinator)
    }

    /// Waits until everything that has happened is synchronized, and the coordinator has handled all notifications.
    private func settle() async throws {
        var count: Int
        repeat {
            count = world.remote.requests.count
            await world.settle(coordinator)
            try await world.remote.waitForNotifications()
            await world.settle(coordinator)
        } while world.remote.requests.count > count
    }

    /// Returns the requests that an action leads to.
    private func requests(after action: () async throws -> Void) async throws -> [String] {
        let count = world.remote.requests.count
        try await action()
        await world.pass(.seconds(6), coordinator)
        try await settle()
        return Array(world.remote.requests.dropFirst(count))
    }

    @Test func theNotificationOfAnOwnPushBeginsNoCycle() async throws {
        for id in 2..<6 {
            let requests = try await requests { try await world.addPhoto(Int64(id)) }
            // The pull is that of the push before, whose page has the proof that both ends are equal.
            #expect(requests == ["handshake", "pull", "push"])
        }
        #expect(try await world.serverCount() == 5)
        await coordinator.stop()
    }

    @Test func aPushOfSeveralMessagesBeginsNoCycle() async throws {
        let requests = try await requests {
            // One commit: of several ones, some could be received after the cycle that sends them, and begin another.
            try await world.store.commit(
                (10..<700).reduce(into: ChangeSet()) { changes, id in
                    changes.put(try Record("Photo", in: PhotoWorld.schema(), ["id": .integer(id)]))
                })
        }
        #expect(requests.count { $0 == "handshake" } == 1 && requests.count { $0 == "push" } == 2)
        await coordinator.stop()
    }

    @Test func theChangeOfAnotherDeviceBeginsACycle() async throws {
        let tablet = InMemoryAdapter(schema: try PhotoWorld.schema())
        let service = SyncService(world.server, account: "ada", makeName: { "epoch 1" })
        for id in 20..<23 {
            let requests = try await requests {
                try await world.addPhoto(Int64(id), in: tablet)
                try await tablet.synchronize(with: service, makeName: { "tablet \(id)" })
            }
            #expect(requests.prefix(2) == ["handshake", "pull"])
            #expect(try await world.photo(Int64(id)) != nil)
        }
        await coordinator.stop()
    }

    @Test func aChangeDuringAnOwnPushBeginsACycle() async throws {
        world.remote.hold()
        let count = world.remote.requests.count
        try await world.addPhoto(30)
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(1))
        await world.remote.waitForRequests(count + 1)
        try await world.addPhoto(31, in: world.server)
        world.remote.release()
        try await settle()
        #expect(try await world.photo(31) != nil)
        #expect(try await world.serverCount() == 3)
        await coordinator.stop()
    }

    @Test func aPositionInAnotherHistoryBeginsACycle() {
        var state = CoordinatorState(settings: CoordinatorSettings())
        var generator = SeededGenerator(seed: 1)
        let moment = Moment(elapsed: .zero, date: Date(timeIntervalSinceReferenceDate: 0))
        func take(_ event: CoordinatorState.Event) { _ = state.handle(event, at: moment, using: &generator) }
        take(.started)
        take(.notified(SyncCursor(epoch: "b", sequence: 1)))
        take(.ended(lane: 0, run: 1, .cycle(StoreOutcome())))
        #expect(state.nextWake != nil, "nothing is known of the history")
    }
}
