import SQLitePersistence
import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

/// A store that is suspended with its app, while an extension goes on with the same file.
@Suite struct SuspendedStoreTests {
    private let folder = TemporaryFolder()

    private func open() async throws -> SQLiteAdapter {
        try await SQLiteAdapter.open(at: folder.file(), schema: PhotoWorld.schema())
    }

    @Test func resultsAndTheCoordinatorReceiveWhatOthersHaveWrittenMeanwhile() async throws {
        let (mine, other) = (try await open(), try await open())
        let world = try PhotoWorld(mine)
        let coordinator = world.coordinator()
        await world.start(coordinator)
        var counts = mine.counts(of: Query("Photo")).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        await mine.suspend()
        for number in 1...3 { try await world.addPhoto(Int64(number), in: other) }
        try await mine.resume()
        #expect(try await counts.next() == 3)
        await world.pass(.seconds(6), coordinator)
        #expect(try await world.serverCount() == 3)
        await coordinator.stop()
        await mine.close()
        await other.close()
    }

    @Test func cycleAndEditThatWaitAreMadeAfterTheResumption() async throws {
        let (mine, other) = (try await open(), try await open())
        let world = try PhotoWorld(mine)
        let coordinator = world.coordinator()
        await world.start(coordinator)
        await mine.suspend()
        await coordinator.syncNow()
        let edit = Task { try await world.addPhoto(1) }
        for number in 2...20 { try await world.addPhoto(Int64(number), in: other) }
        try await mine.resume()
        try await edit.value
        #expect(try await mine.read { try $0.count(Query("Photo")) } == 20)
        await world.sync(coordinator)
        #expect(try await world.serverCount() == 20)
        await coordinator.stop()
        await mine.close()
        await other.close()
    }
}
