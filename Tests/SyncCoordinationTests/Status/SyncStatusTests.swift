import DifferentialSyncTesting
import SyncCoordination
import SyncPersistence
import Testing

/// What an app shows of a coordinator.
@Suite(.timeLimit(.minutes(5))) struct SyncStatusTests {
    private static let review = Review { change, _ in
        change.new?["title"] == "secret title" ? .refuse(code: "secret", reason: "a secret title") : .accept
    }

    @Test func refusedChangesNeedAttentionUntilTheyAreReleased() async throws {
        let world = try PhotoWorld(review: Self.review)
        try await world.addPhoto(1, "secret title")
        let coordinator = world.coordinator()
        await world.start(coordinator)
        #expect(await coordinator.currentStatus == .attention(conflicts: 0, refused: 1))
        try await world.setPhoto(1, ["title": "fine"])
        await world.pass(.seconds(6), coordinator)
        guard case .idle = await coordinator.currentStatus else { throw Unexpected() }
        await coordinator.stop()
    }

    @Test func aReleasedRefusalIsSentAgainByItself() async throws {
        let world = try PhotoWorld(review: Self.review)
        try await world.addPhoto(1, "secret title")
        let coordinator = world.coordinator()
        await world.start(coordinator)
        let count = world.remote.requests.count { $0 == "push" }
        try await world.store.releaseRefused(RecordID("Photo", 1))
        await world.pass(.seconds(6), coordinator)
        #expect(world.remote.requests.count { $0 == "push" } == count + 1)
        await coordinator.stop()
    }

    @Test func aResolvedConflictNeedsNoAttention() async throws {
        let world = try PhotoWorld()
        try await world.addPhoto(1)
        let coordinator = world.coordinator()
        await world.start(coordinator)
        try await world.setPhoto(1, ["title": "mine"])
        try await world.setPhoto(1, ["title": "theirs"], in: world.server)
        await world.sync(coordinator)
        #expect(await coordinator.currentStatus == .attention(conflicts: 1, refused: 0))
        let conflict = try #require(try await world.store.openConflicts.first)
        try await world.store.resolve(conflict, with: .remote)
        await world.pass(.seconds(6), coordinator)
        guard case .idle = await coordinator.currentStatus else { throw Unexpected() }
        await coordinator.stop()
    }

    @Test func theLogNamesNoValuesKeysAndReasons() async throws {
        let world = try PhotoWorld(review: Self.review)
        try await world.addPhoto(777, "secret title")
        let coordinator = world.coordinator()
        await world.start(coordinator)
        world.remote.fail(RemoteError.incompatible("a secret body"))
        await world.sync(coordinator)
        await coordinator.stop()
        let lines = world.lines.current
        let ended = "cycle ended: 0 pulled, 0 pushed, 0 open conflicts, 1 refused, 0 pending, 0 not ready, 0 waiting"
        #expect(Array(lines.prefix(4)) == ["cycle began", ended, "cycle began", ended])
        #expect(lines.last?.hasPrefix("cycle: incompatible, retry in ") == true)
        #expect(!world.lines.current.joined().contains("secret") && !world.lines.current.joined().contains("777"))
    }

    @Test @MainActor func viewsObserveTheStatus() async throws {
        let world = try PhotoWorld()
        let coordinator = world.coordinator()
        let observed = ObservedSyncStatus(of: coordinator)
        #expect(observed.status == .stopped)
        let task = Task { await observed.observe() }
        await world.start(coordinator)
        while true {
            if case .idle = observed.status { break }
            await Task.yield()
        }
        await coordinator.stop()
        while observed.status != .stopped { await Task.yield() }
        task.cancel()
        await task.value
    }
}
