import DifferentialSyncTesting
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// Runs within a time, and errors that look like a cancellation.
@Suite(.timeLimit(.minutes(5))) struct BoundedRunTests {
    private let world: PhotoWorld

    init() throws { world = try PhotoWorld() }

    @Test func aBoundedRunSendsWhatItsProcessorsHaveMade() async throws {
        try await world.addPhoto(1)
        let work = ProcessorWork("Photo", where: Field("address").isNull, precedesSync: true)
        let upload = TestProcessor("upload", work) { records, _ in
            var outcomes: [RecordID: ProcessorOutcome] = [:]
            for record in records { outcomes[record.id] = .update(["address": "a"]) }
            return outcomes
        }
        #expect(await world.coordinator([upload]).syncOnce(within: .seconds(30)))
        #expect(upload.batches == [[RecordID("Photo", 1)]])
        #expect(try await world.photo(1, in: world.server)?["address"] == "a")
    }

    @Test func aBoundedRunReturnsInTimeWhileTheAppIsActive() async throws {
        let coordinator = world.coordinator()
        await world.start(coordinator)
        world.remote.hold()
        try await world.addPhoto(1)
        let count = world.remote.requests.count
        let run = Task { await coordinator.syncOnce(within: .seconds(30)) }
        await world.remote.waitForRequests(count + 1)
        await world.clock.waitForSleepers(2)
        world.clock.advance(by: .seconds(27))
        await world.clock.waitForSleepers(2)
        world.clock.advance(by: .seconds(3))
        #expect(await run.value == false)
        world.remote.release()
        await world.settle(coordinator)
        #expect(try await world.serverCount() == 1)
        await coordinator.stop()
    }

    @Test func theCancellationOfTheCallerEndsABoundedRun() async throws {
        try await world.addPhoto(1)
        let coordinator = world.coordinator()
        world.remote.hold()
        let run = Task { await coordinator.syncOnce(within: .seconds(30)) }
        await world.remote.waitForRequests(1)
        run.cancel()
        #expect(await run.value == false)
        #expect(await coordinator.currentStatus == .stopped)
        world.remote.release()
        #expect(await coordinator.syncOnce(within: .seconds(30)))
        #expect(try await world.serverCount() == 1)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await coordinator.syncOnce(within: .seconds(30))
        }
        _ = await cancelled.value
        #expect(await coordinator.currentStatus == .stopped)
    }

    @Test func theCancellationOfTheCallerEndsTheWaitWhileTheAppIsActive() async throws {
        let coordinator = world.coordinator()
        await world.start(coordinator)
        world.remote.hold()
        try await world.addPhoto(1)
        let count = world.remote.requests.count
        let run = Task { await coordinator.syncOnce(within: .seconds(30)) }
        await world.remote.waitForRequests(count + 1)
        run.cancel()
        #expect(await run.value == false)
        // The cycle goes on.
        world.remote.release()
        await world.settle(coordinator)
        #expect(try await world.serverCount() == 1)
        await coordinator.stop()
    }

    @Test func aCancellationOfSomethingElseIsAFailureWithADelay() async throws {
        world.remote.failAlways(CancellationError())
        let coordinator = world.coordinator()
        await world.start(coordinator)
        #expect(world.remote.cycleCount == 1)
        #expect(world.lines.current.contains { $0.hasPrefix("cycle: CancellationError, retry in") })
        world.remote.failAlways(nil)
        await world.sync(coordinator)
        guard case .idle(_?) = await coordinator.currentStatus else { throw Unexpected() }
        await coordinator.stop()
    }

    @Test func aProcessorWhoseWorkIsCancelledElsewhereIsCalledAgainAfterADelay() async throws {
        try await world.addPhoto(1)
        let work = ProcessorWork("Photo", where: Field("address").isNull)
        let times = Locked<[Duration]>([])
        let upload = TestProcessor("upload", work) { [clock = world.clock] _, _ in
            times.withLock { $0.append(clock.now.elapsed) }
            throw CancellationError()
        }
        let coordinator = world.coordinator([upload])
        await coordinator.start()
        while times.current.count < 2 && !Task.isCancelled {
            world.clock.advanceToNextDeadline(within: .seconds(2))
            await Task.yield()
        }
        #expect(world.lines.current.contains { $0.hasPrefix("upload: CancellationError") })
        let calls = times.current
        // The first delay is random, between one and two seconds.
        #expect(calls.count >= 2 && calls[1] - calls[0] >= .seconds(1))
        await coordinator.stop()
    }
}
