import DifferentialSyncTesting
import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

/// A coordinator with a store and a service, in virtual time.
@Suite(.timeLimit(.minutes(5))) struct SyncCoordinatorTests {
    private let world: PhotoWorld

    init() throws { world = try PhotoWorld() }

    @Test func aStartSynchronizesInBothDirections() async throws {
        try await world.addPhoto(1)
        try await world.addPhoto(2, in: world.server)
        let coordinator = world.coordinator()
        #expect(await coordinator.currentStatus == .stopped)
        await world.start(coordinator)
        #expect(try await world.serverCount() == 2)
        #expect(try await world.photo(2) != nil)
        guard case .idle(_?) = await coordinator.currentStatus else { throw Unexpected() }
        #expect(await coordinator.counters.pulled == 1)
        #expect(await coordinator.counters.pushed == 1)
        await coordinator.stop()
        #expect(await coordinator.currentStatus == .stopped)
    }

    @Test func anEditIsSentByItself() async throws {
        let coordinator = world.coordinator()
        await world.start(coordinator)
        try await world.addPhoto(1)
        try await world.addPhoto(2)
        #expect(try await world.serverCount() == 0)
        await world.pass(.seconds(1), coordinator)
        #expect(try await world.serverCount() == 2)
        await coordinator.stop()
    }

    @Test func theChangesOfACycleBeginNoOther() async throws {
        for id in 0..<20 { try await world.addPhoto(Int64(id), in: world.server) }
        let coordinator = world.coordinator()
        await world.start(coordinator)
        #expect(world.remote.cycleCount == 1)
        // The coordinator receives this commit after those of the cycle.
        try await world.addPhoto(100)
        await world.pass(.seconds(6), coordinator)
        #expect(world.remote.cycleCount == 2)
        await coordinator.stop()
    }

    @Test func aNotificationOfTheRemoteBeginsACycle() async throws {
        world.remote.notify()
        let coordinator = world.coordinator()
        await world.start(coordinator)
        try await world.addPhoto(1, in: world.server)
        await world.pass(.seconds(6), coordinator)
        #expect(try await world.photo(1) != nil)
        await coordinator.stop()
    }

    @Test func notificationsThatHaveEndedComeAgainAfterACycle() async throws {
        let coordinator = world.coordinator()
        await world.start(coordinator)
        // Until now, the stream of notifications has ended at once.
        world.remote.notify()
        await world.sync(coordinator)
        try await world.addPhoto(1, in: world.server)
        await world.pass(.seconds(6), coordinator)
        #expect(try await world.photo(1) != nil)
        await coordinator.stop()
    }

    @Test func aFailingServerIsNotAskedMoreOftenBecauseOfTyping() async throws {
        let coordinator = world.coordinator()
        await world.start(coordinator)
        world.remote.failAlways(RemoteError.later())
        for second in 0..<600 {
            try await world.addPhoto(Int64(second))
            await world.pass(.seconds(1), coordinator)
        }
        #expect(world.remote.cycleCount < 14, "twice, then 2, 4, 8 … seconds apart")
        guard case .waiting(_?, .unavailable) = await coordinator.currentStatus else { throw Unexpected() }
        world.remote.failAlways(nil)
        await world.pass(.seconds(300), coordinator)
        #expect(try await world.serverCount() == 600)
        await coordinator.stop()
    }

    @Test func theTimeThatTheServerWantsIsWaitedFor() async throws {
        try await world.addPhoto(1)
        world.remote.fail(RemoteError.throttled(after: 60))
        let coordinator = world.coordinator()
        await world.start(coordinator)
        await world.sync(coordinator)
        await world.pass(.seconds(59), coordinator)
        #expect(world.remote.cycleCount == 1)
        await world.pass(.seconds(7), coordinator)
        #expect(try await world.serverCount() == 1)
        await coordinator.stop()
    }

    @Test func aTokenIsRenewedOnce() async throws {
        try await world.addPhoto(1)
        world.remote.failAlways(RemoteError.unauthorized)
        let renewals = Locked(0)
        let coordinator = world.coordinator(renew: {
            renewals.withLock { $0 += 1 }
            return true
        })
        await world.start(coordinator)
        #expect(renewals.current == 1 && world.remote.cycleCount == 2)
        #expect(await coordinator.currentStatus == .waiting(until: nil, .unauthorized))
        world.remote.failAlways(nil)
        await world.sync(coordinator)
        #expect(try await world.serverCount() == 1)
        await coordinator.stop()
    }

    @Test func theStreamsOfTheAppDecideWhenItBegins() async throws {
        let coordinator = world.coordinator()
        var statuses = await coordinator.statuses().makeAsyncIterator()
        await world.start(coordinator)
        world.reachability.continuation.yield(false)
        world.activity.continuation.yield(true)
        try await world.addPhoto(1)
        while let status = await statuses.next() { if status == .waiting(until: nil, .offline) { break } }
        #expect(try await world.serverCount() == 0)
        world.reachability.continuation.yield(true)
        while let status = await statuses.next() { if case .syncing = status { break } }
        await world.settle(coordinator)
        #expect(try await world.serverCount() == 1)
        await coordinator.stop()
    }

    @Test func aSuspendedCoordinatorContinuesWhenItIsResumed() async throws {
        let coordinator = world.coordinator()
        await coordinator.suspend()
        try await world.addPhoto(1)
        await world.start(coordinator)
        #expect(await coordinator.currentStatus == .suspended)
        #expect(world.remote.requests.isEmpty)
        await coordinator.resume()
        await world.settle(coordinator)
        #expect(try await world.serverCount() == 1)
        await coordinator.stop()
    }

    @Test func aStopWaitsForTheCancelledCycleAndAStartContinues() async throws {
        try await world.addPhoto(1)
        world.remote.hold()
        let coordinator = world.coordinator()
        await coordinator.start()
        await world.remote.waitForRequests(1)
        await coordinator.stop()
        #expect(await coordinator.currentStatus == .stopped)
        world.remote.release()
        await world.start(coordinator)
        #expect(try await world.serverCount() == 1)
        await coordinator.stop()
    }

    @Test func aRemoteThatNeverAnswersBlocksNothingForGood() async throws {
        try await world.addPhoto(1)
        world.remote.hold(ignoringCancellation: true)
        let coordinator = world.coordinator()
        await coordinator.start()
        var events = await coordinator.events().makeAsyncIterator()
        await world.remote.waitForRequests(1)
        let advancing = Task {
            while !Task.isCancelled {
                world.clock.advance(by: .seconds(10))
                await Task.yield()
            }
        }
        while let event = await events.next() { if case .failed(nil, .timedOut, _?) = event { break } }
        advancing.cancel()
        await advancing.value
        world.remote.release()
        await world.sync(coordinator)
        #expect(try await world.serverCount() == 1)
        await coordinator.stop()
    }

    @Test func aBoundedRunWorksWithoutAStart() async throws {
        try await world.addPhoto(1)
        let coordinator = world.coordinator()
        #expect(await coordinator.syncOnce(within: .seconds(30)))
        #expect(try await world.serverCount() == 1)
        #expect(await coordinator.currentStatus == .stopped)
        #expect(world.clock.now.elapsed == .zero)
    }

    @Test func aBoundedRunEndsBeforeItsTime() async throws {
        try await world.addPhoto(1)
        world.remote.hold()
        let coordinator = world.coordinator()
        let run = Task { await coordinator.syncOnce(within: .seconds(30)) }
        await world.remote.waitForRequests(1)
        // The bounded run and the cycle have a timer each.
        await world.clock.waitForSleepers(2)
        world.clock.advance(by: .seconds(27))
        #expect(await run.value == false)
        world.remote.release()
        #expect(await coordinator.syncOnce(within: .seconds(30)))
        #expect(try await world.serverCount() == 1)
    }

    @Test func twoCoordinatorsOfOneStoreWaitForEachOther() async throws {
        for id in 0..<10 { try await world.addPhoto(Int64(id)) }
        let (first, second) = (world.coordinator(named: "a"), world.coordinator(named: "b"))
        await first.start()
        await second.start()
        for _ in 0..<20 {
            await world.settle(first)
            await world.settle(second)
            await first.syncNow()
            await second.syncNow()
            world.clock.advance(by: .seconds(40))
        }
        await world.sync(first)
        #expect(try await world.serverCount() == 10)
        #expect(try await world.store.syncState(of: RecordID("Photo", 3)) == .synced)
        await first.stop()
        await second.stop()
    }

    @Test func aClosedStoreEndsTheCycles() async throws {
        let coordinator = world.coordinator()
        await world.start(coordinator)
        await world.store.close()
        await world.sync(coordinator)
        guard case .waiting(nil, .store) = await coordinator.currentStatus else { throw Unexpected() }
        await coordinator.stop()
    }

    @Test func anyTaskMayCallACoordinator() async throws {
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let (running, most) = (Locked(0), Locked(0))
        let counting = TestProcessor("count", ProcessorWork("Photo", where: !Field("address").isNull)) { _, _ in
            let count = running.next()
            most.withLock { $0 = max($0, count) }
            await Task.yield()
            running.withLock { $0 -= 1 }
            return [:]
        }
        let coordinator = world.coordinator([processor, counting])
        // The compiler checks that the state of the actor is reached on the actor alone.
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    await coordinator.start()
                    try? await world.addPhoto(Int64(number))
                    await coordinator.syncNow()
                    world.activity.continuation.yield(number.isMultiple(of: 2))
                    if number.isMultiple(of: 10) { await coordinator.suspend() }
                    await coordinator.resume()
                }
            }
        }
        world.activity.continuation.yield(true)
        await world.sync(coordinator)
        await world.sync(coordinator)
        #expect(try await world.serverCount() == 100)
        #expect(most.current == 1 && processor.batches.joined().count == 100)
        await coordinator.stop()
    }

    @Test func aLostResponseCreatesNoSecondRecord() async throws {
        for id in 1...3 { try await world.addPhoto(Int64(id)) }
        world.remote.loseResponses(2)
        let first = world.coordinator()
        await world.start(first)
        #expect(try await world.serverCount() == 3)
        #expect(try await world.store.syncState(of: RecordID("Photo", 1)) == .inFlight)
        // The process ends, and the next one resumes from the store.
        await first.stop()
        let second = world.coordinator()
        await world.start(second)
        #expect(try await world.serverCount() == 3)
        #expect(try await world.store.syncState(of: RecordID("Photo", 1)) == .synced)
        await second.stop()
    }

    @Test func anEditDuringACycleIsSentByTheNext() async throws {
        try await world.addPhoto(1)
        world.remote.hold()
        let coordinator = world.coordinator()
        await coordinator.start()
        await world.remote.waitForRequests(1)
        try await world.setPhoto(1, ["title": "b"])
        world.remote.release()
        await world.sync(coordinator)
        #expect(try await world.photo(1, in: world.server)?["title"] == "b")
        #expect(try await world.store.syncState(of: RecordID("Photo", 1)) == .synced)
        await coordinator.stop()
    }

    @Test func newRecordsArriveAfterThoseThatTheyReferTo() async throws {
        let world = try PhotoWorld(limits: SyncLimits(pushRecords: 1))
        var changes = ChangeSet()
        for id in 1...5 as ClosedRange<Int64> {
            let values: [String: Value] = ["id": .integer(id), "title": "a", "album": .integer(id)]
            changes.put(try Record("Photo", in: PhotoWorld.schema(), values))
        }
        for id in 1...5 as ClosedRange<Int64> {
            changes.put(try Record("Album", in: PhotoWorld.schema(), ["id": .integer(id)]))
        }
        try await world.store.commit(changes)
        let coordinator = world.coordinator()
        await world.start(coordinator)
        #expect(try await world.serverCount() == 5)
        #expect(world.remote.requests.count { $0 == "push" } == 10, "no record was sent twice")
        #expect(world.remote.cycleCount == 1)
        await coordinator.stop()
    }

    @Test func progressAndCountersAreReported() async throws {
        let world = try PhotoWorld(limits: SyncLimits(pageRecords: 10))
        for id in 0..<40 { try await world.addPhoto(Int64(id), in: world.server) }
        let coordinator = world.coordinator()
        // The second page waits, after the handshake and the first one.
        world.remote.hold(after: 2)
        var statuses = await coordinator.statuses().makeAsyncIterator()
        await coordinator.start()
        while let status = await statuses.next(), status != .syncing(fraction: 0.25) {}
        #expect(await coordinator.currentStatus == .syncing(fraction: 0.25))
        world.remote.release()
        await world.settle(coordinator)
        #expect(await coordinator.counters.pulled == 40)
        #expect(world.lines.current.contains { $0.contains("40 pulled") })
        await coordinator.stop()
    }
}

/// A status or an event that a test does not expect.
struct Unexpected: Error {}

extension SyncCoordinator {
    /// The present status.
    var currentStatus: SyncStatus? {
        get async {
            var statuses = statuses().makeAsyncIterator()
            return await statuses.next()
        }
    }
}
