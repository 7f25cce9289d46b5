import DifferentialSyncTesting
import SyncCoordination
import SyncPersistence
import Testing

/// Coordinators of two devices whose remote no longer matches.
@Suite(.timeLimit(.minutes(5))) struct MismatchTests {
    private let world: PhotoWorld
    private let tablet: InMemoryAdapter

    init() throws {
        world = try PhotoWorld()
        tablet = InMemoryAdapter(schema: try PhotoWorld.schema())
    }

    /// Synchronizes both devices, and adds a photo to the first one that is not sent.
    private func share() async throws {
        try await world.addPhoto(1)
        for store in [world.store, tablet] {
            let coordinator = world.coordinator(store: store, named: "\(store.schema.shapes.count)")
            await world.start(coordinator)
            await coordinator.stop()
        }
        try await world.addPhoto(2)
    }

    /// Lets the remote answer for another account, which has a photo.
    private func becomeEve() async throws -> InMemoryAdapter {
        let other = InMemoryAdapter(schema: try PhotoWorld.schema())
        let service = SyncService(other, account: "eve", makeName: { "epoch of eve" })
        let device = InMemoryAdapter(schema: try PhotoWorld.schema())
        try await world.addPhoto(9, in: device)
        try await device.synchronize(with: service, makeName: { "device of eve" })
        world.remote.become(service)
        return other
    }

    private func keys(of store: any PersistenceAdapter) async throws -> [Value] {
        try await store.read { try $0.keys(of: "Photo") }.sorted { "\($0)" < "\($1)" }
    }

    private let mismatch = RemoteMismatch.account(store: "ada", remote: "eve")

    @Test func anotherAccountIsKeptApartWithoutAHandler() async throws {
        try await share()
        let coordinator = world.coordinator()
        let other = try await becomeEve()
        var events = await coordinator.events().makeAsyncIterator()
        await world.start(coordinator)
        #expect(await coordinator.currentStatus == .waiting(until: nil, .mismatch(mismatch)))
        try await world.addPhoto(3)
        await world.settle(coordinator)
        await world.sync(coordinator)
        #expect(try await keys(of: other) == [9])
        #expect(try await keys(of: world.store) == [1, 2, 3])
        while let event = await events.next() {
            guard case .mismatch(let found, let choice) = event else { continue }
            #expect(found == mismatch && choice == .keepApart)
            break
        }
        #expect(world.lines.current.contains("mismatch: another account, kept apart"))
        await coordinator.stop()
    }

    @Test func aPersonMayTakeLongToChoose() async throws {
        try await share()
        let answer = AsyncStream<RemoteMismatch.Choice>.makeStream()
        let count = Locked(0)
        let coordinator = world.coordinator(choose: { _ in
            count.withLock { $0 += 1 }
            for await choice in answer.stream { return choice }
            return .keepApart
        })
        let other = try await becomeEve()
        var statuses = await coordinator.statuses().makeAsyncIterator()
        await coordinator.start()
        while let status = await statuses.next() { if case .waiting(nil, .mismatch) = status { break } }
        world.clock.advance(by: .seconds(86_400))
        await coordinator.syncNow()
        #expect(await coordinator.currentStatus == .waiting(until: nil, .mismatch(mismatch)))
        #expect(try await keys(of: other) == [9])
        answer.continuation.yield(.merge)
        await world.settle(coordinator)
        #expect(count.current == 1)
        #expect(try await keys(of: other) == [1, 2, 9])
        #expect(try await keys(of: world.store) == [1, 2, 9])
        #expect(try await keys(of: world.server) == [1])
        await coordinator.stop()
    }

    @Test func aStoppedCoordinatorWaitsForNoChoice() async throws {
        try await share()
        let coordinator = world.coordinator(choose: { _ in
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return .keepApart
        })
        _ = try await becomeEve()
        var statuses = await coordinator.statuses().makeAsyncIterator()
        await coordinator.start()
        while let status = await statuses.next() { if case .waiting(nil, .mismatch) = status { break } }
        await coordinator.stop()
        await coordinator.waitUntilIdle()
        #expect(await coordinator.currentStatus == .stopped)
    }

    /// The person signs in to the former account again before the choice has had an effect.
    @Test func aChoiceWithoutEffectIsForgottenOnceTheAccountIsTheFormerOne() async throws {
        try await share()
        let count = Locked(0)
        let (remote, ada) = (world.remote, SyncService(world.server, account: "ada", makeName: { "epoch" }))
        let coordinator = world.coordinator(choose: { _ in
            if count.withLock({
                $0 += 1; return $0
            }) > 1 {
                return .keepApart
            }
            remote.become(ada)
            return .drop
        })
        _ = try await becomeEve()
        await world.start(coordinator)
        await world.settle(coordinator)
        #expect(try await keys(of: world.store) == [1, 2])
        try await world.addPhoto(3)
        _ = try await becomeEve()
        await world.sync(coordinator)
        #expect(try await keys(of: world.store) == [1, 2, 3])
        #expect(count.current == 2)
        await coordinator.stop()
    }

    @Test func aChoiceToDropReplacesTheRecords() async throws {
        try await share()
        let coordinator = world.coordinator(choose: { _ in .drop })
        let other = try await becomeEve()
        await world.start(coordinator)
        #expect(try await keys(of: world.store) == [9])
        #expect(try await keys(of: other) == [9])
        await coordinator.stop()
    }

    @Test func aHistoryAndAHorizonAreMergedWithoutAHandler() async throws {
        try await share()
        let service = SyncService(
            InMemoryAdapter(schema: try PhotoWorld.schema()), account: "ada", makeName: { "later epoch" })
        world.remote.become(service)
        let (first, second) = (world.coordinator(), world.coordinator(store: tablet, named: "tablet"))
        for coordinator in [first, second] { await world.start(coordinator) }
        #expect(try await keys(of: tablet) == [1, 2])
        var changes = ChangeSet()
        changes.delete(RecordID("Photo", 1))
        try await tablet.commit(changes)
        await world.sync(second)
        try await service.prune(through: 1_000)
        try await world.addPhoto(3)
        await world.sync(first)
        await world.sync(second)
        for store in [world.store, tablet] { #expect(try await keys(of: store) == [2, 3]) }
        let lines = world.lines.current.filter { $0.hasPrefix("mismatch") }
        #expect(lines.contains("mismatch: another history, merged"))
        #expect(lines.contains("mismatch: a passed horizon, merged"))
        for coordinator in [first, second] { await coordinator.stop() }
    }

    /// Lets the remote answer with a schema that has no addresses of photos.
    private func becomeOlder() throws -> InMemoryAdapter {
        let older = InMemoryAdapter(schema: try PhotoWorld.schema(hasAddresses: false))
        world.remote.become(SyncService(older, account: "ada", makeName: { "older epoch" }))
        return older
    }

    @Test func valuesThatAnOlderRemoteHasNoPlaceForStayWithoutAHandler() async throws {
        let older = try becomeOlder()
        try await world.addPhoto(1)
        try await world.setPhoto(1, ["address": "here"])
        let coordinator = world.coordinator()
        await world.start(coordinator)
        #expect(try await keys(of: older) == [1])
        #expect(try await world.photo(1)?["address"] == "here")
        #expect(world.lines.current.contains { $0.hasPrefix("mismatch: another schema") })
        // After an update of the remote, the value is sent.
        let server = world.server
        try await server.commit(
            await older.read { try $0.records(Query("Photo")) }.reduce(into: ChangeSet()) { changes, photo in
                try changes.put(Record("Photo", in: PhotoWorld.schema(), ["id": photo["id"], "title": photo["title"]]))
            })
        world.remote.become(SyncService(server, account: "ada", makeName: { "newer epoch" }))
        await world.sync(coordinator)
        #expect(try await world.photo(1, in: server)?["address"] == "here")
        await coordinator.stop()
    }

    @Test func anOlderRemoteIsKeptApartWhenTheAppWantsIt() async throws {
        let older = try becomeOlder()
        try await world.addPhoto(1)
        let coordinator = world.coordinator(choose: { _ in .keepApart })
        await world.start(coordinator)
        let missing = RemoteMismatch.schema(missing: ["Photo": ["address"], "Panorama": ["address"]])
        #expect(await coordinator.currentStatus == .waiting(until: nil, .mismatch(missing)))
        #expect(try await keys(of: older) == [])
        #expect(try await keys(of: world.store) == [1])
        await coordinator.stop()
    }
}
