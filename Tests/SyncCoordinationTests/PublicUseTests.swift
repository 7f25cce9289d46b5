import DifferentialSyncTesting
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// What an app sets and reads of the module's values.
@Suite(.timeLimit(.minutes(5))) struct PublicUseTests {
    private let world: PhotoWorld

    init() throws { world = try PhotoWorld() }

    /// A processor that reads the store and the remote when it is prepared.
    private struct Reader: ChangeProcessor {
        let name = "reader"
        let photoCount = Locked<Int?>(nil)
        let account = Locked<String?>(nil)

        var work: ProcessorWork? { nil }

        func setUp(in context: ProcessorContext) async throws {
            let count = try await context.store.read { try $0.count(Query("Photo")) }
            photoCount.exchange(with: count)
            let request = HandshakeRequest(device: "reader", cursor: nil, lastPush: nil, entities: [:])
            account.exchange(with: try await context.remote.handshake(request).account)
        }
    }

    @Test func processorReadsTheStoreAndTheRemoteOfItsCoordinator() async throws {
        for id in 1...3 { try await world.addPhoto(Int64(id)) }
        let reader = Reader()
        let coordinator = world.coordinator([reader])
        await world.start(coordinator)
        #expect(reader.photoCount.current == 3)
        #expect(reader.account.current == "ada")
        await coordinator.stop()
    }

    @Test func workMayBeChanged() async throws {
        try await world.addPhoto(1)
        try await world.addPhoto(2)
        var work = ProcessorWork("Album")
        #expect(work.entity == "Album" && work.filter == nil && !work.precedesSync)
        work.entity = "Photo"
        work.filter = Field("id") == 2
        work.precedesSync = true
        let processor = TestProcessor("upload", work)
        let coordinator = world.coordinator([processor])
        await world.start(coordinator)
        #expect(Set(processor.batches) == [[RecordID("Photo", 2)]])
        // The other photo waits for the processor.
        #expect(try await world.server.read { try $0.keys(of: "Photo") } == [1])
        await coordinator.stop()
    }

    @Test func batchHasAsManyRecordsAsTheSettingsAllow() async throws {
        for id in 1...5 { try await world.addPhoto(Int64(id)) }
        var settings = CoordinatorSettings()
        settings.processorBatch = 2
        let processor = TestProcessor("upload", .newPhotos) { records, _ in .addresses(records) }
        let coordinator = world.coordinator([processor], settings: settings)
        await world.start(coordinator)
        #expect(processor.batches.map(\.count) == [2, 2, 1])
        await coordinator.stop()
    }

    @Test func cycleAndBatchEndAfterTheTimesOfTheSettings() async throws {
        var settings = CoordinatorSettings()
        settings.cycleTimeout = .seconds(7)
        settings.processorTimeout = .seconds(5)
        try await world.addPhoto(1)
        world.remote.hold()
        let (started, gate) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let processor = TestProcessor("upload", .newPhotos) { _, _ in
            started.continuation.yield()
            for await _ in gate.stream {}
            throw CancellationError()
        }
        let coordinator = world.coordinator([processor], settings: settings)
        await coordinator.start()
        await world.remote.waitForRequests(1)
        for await _ in started.stream { break }
        await world.clock.waitForSleepers()
        #expect(await coordinator.counters.failures == 0)
        world.clock.advance(by: .seconds(5))
        await world.until { await coordinator.counters.failures == 1 }
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(2))
        await world.until { await coordinator.counters.failures == 2 }
        #expect(await coordinator.counters.cycles == 1)
        world.remote.release()
        await coordinator.stop()
    }

    @Test func delaysGrowByTheFactorOfTheSchedule() async throws {
        var settings = CoordinatorSettings()
        settings.retries = RetrySchedule(first: .seconds(2), longest: .seconds(300), jitter: 0)
        #expect(settings.retries.factor == 2)
        settings.retries.factor = 1
        world.remote.failAlways(RemoteError.later())
        let coordinator = world.coordinator(settings: settings)
        await world.start(coordinator)
        let count = await coordinator.counters.cycles
        for _ in 0..<10 { await world.pass(.seconds(2), coordinator) }
        #expect(await coordinator.counters.cycles == count + 10)
        await coordinator.stop()
    }

    @Test @MainActor func observedValueKeepsTheErrorThatEndedItsObservation() async throws {
        let count = ObservedValue(world.store.counts(of: Query("Nothing")))
        #expect(count.error == nil)
        await count.observe()
        #expect((count.error as? PersistenceError)?.code == .unknownName)
        #expect(count.value == nil)
    }
}

extension PhotoWorld {
    /// Waits until a condition is met.
    fileprivate func until(_ condition: () async -> Bool) async {
        while await !condition() { await Task.yield() }
    }
}
