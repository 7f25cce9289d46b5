import DifferentialSyncTesting
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// The changes of others that wait while a processor processes records.
@Suite(.timeLimit(.minutes(5))) struct WaitingChangesTests {
    private let world: PhotoWorld
    private let gate = AsyncStream<Void>.makeStream()
    private let steps = Locked<[String]>([])
    private let upload: TestProcessor

    /// A processor that receives the changes after the other one.
    private let show = TestProcessor("show", nil)

    init() throws {
        world = try PhotoWorld()
        upload = TestProcessor(
            "upload", .newPhotos,
            { [gate, steps] records, call in
                steps.withLock { $0.append("batch \(call)") }
                if call == 1 { for await _ in gate.stream { break } }
                return .addresses(records)
            },
            onReceive: { [steps] in steps.withLock { $0.append("receive") } })
    }

    /// Starts a coordinator, and waits until the first batch is processed.
    private func start() async -> SyncCoordinator {
        var settings = CoordinatorSettings()
        settings.processorBatch = 1
        let coordinator = world.coordinator([upload, show], settings: settings)
        await coordinator.start()
        while steps.current.isEmpty { await Task.yield() }
        return coordinator
    }

    /// Begins a cycle, and waits until its last change has reached the processors.
    private func sync(_ coordinator: SyncCoordinator, receiving id: Int64) async {
        await coordinator.syncNow()
        while show.receivedIDs.last != RecordID("Photo", .integer(id)) { await advance() }
    }

    /// Lets a short time pass for which something waits.
    private func advance() async {
        world.clock.advanceToNextDeadline(within: .seconds(1))
        await Task.yield()
    }

    @Test func changesOfOthersAreReceivedBetweenBatches() async throws {
        for id in 1...2 { try await world.addPhoto(Int64(id)) }
        let coordinator = await start()
        try await world.addPhoto(3, in: world.server)
        await sync(coordinator, receiving: 3)
        #expect(steps.current == ["batch 1"])
        gate.continuation.yield()
        await world.settle(coordinator)
        #expect(steps.current == ["batch 1", "receive", "batch 2", "batch 3"])
        #expect(upload.receivedIDs == [RecordID("Photo", 3)])
        await coordinator.stop()
    }

    @Test func theChangesThatWaitAreLimited() async throws {
        try await world.addPhoto(1)
        let coordinator = await start()
        let schema = try PhotoWorld.schema()
        try await world.server.commit(
            (10..<11_000).reduce(into: ChangeSet()) { changes, id in
                changes.put(try Record("Photo", in: schema, ["id": .integer(Int64(id)), "address": "there"]))
            })
        await coordinator.syncNow()
        while try await world.photo(10_999) == nil { await advance() }
        try await world.addPhoto(20_000, in: world.server)
        await sync(coordinator, receiving: 20_000)
        gate.continuation.yield()
        await world.settle(coordinator)
        #expect(upload.receivedIDs.last == RecordID("Photo", 20_000))
        #expect(upload.receivedIDs.count <= 10_000)
        #expect(world.lines.current.count { $0.hasPrefix("upload: dropped ") } == 1)
        await coordinator.stop()
    }
}
