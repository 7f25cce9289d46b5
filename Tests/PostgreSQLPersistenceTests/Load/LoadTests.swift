import DifferentialSyncTesting
import TestSupport
import Testing

/// Many devices in processes of their own, which synchronize with servers over one database.
///
/// `DIFFSYNC_FULL_SCALE=1` runs 200 devices for 60 seconds, and `DIFFSYNC_LOAD_SECONDS=n` for n seconds.
@Suite(.needsPostgreSQL) struct LoadTests {
    @Test func everyEditIsStoredOnceAlthoughServersAreKilledAndTheDatabaseRestarts() async throws {
        let size = LoadSize.chosen()
        let run = try LoadRun(size, seed: SeededGenerator.testSeed(11))
        try await run.run()
        let counts = run.counts
        #expect(counts.kills >= size.kills && counts.restarts == 1)
        #expect(counts.edits > size.devices)
        print(
            "load: \(size.servers) servers, \(size.devices) devices, \(counts.edits) edits in \(counts.cycles) cycles, "
                + "\(counts.failures) failed ones, \(counts.kills) kills, \(counts.cuts) cuts of all connections of a server, "
                + "\(counts.restarts) restart of the database")
    }
}
