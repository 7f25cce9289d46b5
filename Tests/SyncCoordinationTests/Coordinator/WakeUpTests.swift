import DifferentialSyncTesting
import SQLitePersistence
import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

/// Commits of another adapter, as another process has one, to the same file, also while the store is suspended.
@Suite(.timeLimit(.minutes(5))) struct WakeUpTests {
    private let folder: TemporaryFolder
    private let path: String

    init() {
        folder = TemporaryFolder()
        path = folder.path + "/store.sqlite"
    }

    private func open() async throws -> SQLiteAdapter {
        try await SQLiteAdapter.open(at: path, schema: PhotoWorld.schema())
    }

    /// Runs a test of two stores of one file, with a started coordinator of the first one.
    private func withStores(
        _ body: (_ mine: SQLiteAdapter, _ other: SQLiteAdapter, PhotoWorld, SyncCoordinator) async throws -> Void
    ) async throws {
        let (mine, other) = (try await open(), try await open())
        let world = try PhotoWorld(mine)
        let coordinator = world.coordinator()
        await world.start(coordinator)
        try await body(mine, other, world, coordinator)
        await coordinator.stop()
        await mine.close()
        await other.close()
    }

    @Test func anObserverReceivesACommitOfAnotherProcessAfterARefresh() async throws {
        let (mine, other) = (try await open(), try await open())
        let world = try PhotoWorld(mine)
        var counts = mine.counts(of: Query("Photo")).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        for id in 1...3 {
            // One commit leaves no gap, several ones do.
            for number in 1...id { try await world.addPhoto(Int64(10 * id + number), in: other) }
            try await mine.refresh()
            try await mine.refresh()
            #expect(try await counts.next() == id * (id + 1) / 2)
        }
        // A commit of its own after one of the other process.
        try await world.addPhoto(1, in: other)
        try await world.addPhoto(2)
        #expect(try await counts.next() == 8)
        await mine.close()
        #expect(try await counts.next() == nil)
        await other.close()
    }

    @Test func aRefreshWithoutACommitPublishesNothing() async throws {
        let store = try await open()
        let world = try PhotoWorld(store)
        try await world.addPhoto(1)
        var commits = store.commits().makeAsyncIterator()
        try await store.refresh()
        try await world.addPhoto(2)
        #expect(await commits.next()?.inserted == [RecordID("Photo", 2)])
        await store.close()
        await #expect(throws: PersistenceError.self) { try await store.refresh() }
    }

    @Test func aStoreThatIsReadOnlyReceivesCommitsToo() async throws {
        let writer = try await open()
        var options = SQLiteAdapter.Options()
        options.isReadOnly = true
        let reader = try await SQLiteAdapter.open(existing: path, options: options)
        let world = try PhotoWorld(writer)
        var commits = reader.commits().makeAsyncIterator()
        try await world.addPhoto(1)
        try await reader.refresh()
        let commit = await commits.next()
        #expect(commit?.isOfOthers == true && commit?.changes.isEmpty == true && commit?.isEmpty == false)
        await writer.close()
        await reader.close()
    }

    @Test func aCoordinatorSendsWhatAnotherProcessHasWritten() async throws {
        try await withStores { _, other, world, coordinator in
            try await world.addPhoto(1, in: other)
            world.wakeUps.continuation.yield()
            await world.pass(.seconds(6), coordinator)
            #expect(try await world.serverCount() == 1)
            let count = world.remote.requests.count
            for _ in 1...3 {
                world.wakeUps.continuation.yield()
                await world.settle(coordinator)
            }
            #expect(world.remote.requests.count == count, "nothing was written since")
        }
    }

    @Test func anAppThatBecomesActiveShowsWhatItsExtensionHasWritten() async throws {
        try await withStores { mine, other, world, _ in
            var counts = mine.counts(of: Query("Photo")).makeAsyncIterator()
            #expect(try await counts.next() == 0)
            world.activity.continuation.yield(false)
            try await world.addPhoto(1, in: other)
            world.activity.continuation.yield(true)
            #expect(try await counts.next() == 1)
        }
    }

    @Test func resultsAndTheCoordinatorReceiveWhatOthersHaveWrittenMeanwhile() async throws {
        try await withStores { mine, other, world, coordinator in
            var counts = mine.counts(of: Query("Photo")).makeAsyncIterator()
            #expect(try await counts.next() == 0)
            await mine.suspend()
            for number in 1...3 { try await world.addPhoto(Int64(number), in: other) }
            try await mine.resume()
            #expect(try await counts.next() == 3)
            await world.pass(.seconds(6), coordinator)
            #expect(try await world.serverCount() == 3)
        }
    }

    @Test func cycleAndEditThatWaitAreMadeAfterTheResumption() async throws {
        try await withStores { mine, other, world, coordinator in
            await mine.suspend()
            await coordinator.syncNow()
            let edit = Task { try await world.addPhoto(1) }
            for number in 2...20 { try await world.addPhoto(Int64(number), in: other) }
            try await mine.resume()
            try await edit.value
            #expect(try await mine.read { try $0.count(Query("Photo")) } == 20)
            await world.sync(coordinator)
            #expect(try await world.serverCount() == 20)
        }
    }
}
