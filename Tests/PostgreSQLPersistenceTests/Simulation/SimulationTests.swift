import DifferentialSyncTesting
import PostgreSQLPersistence
import PostgreSQLTestSupport
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// Devices and a service whose store is in PostgreSQL live through edits and every fault.
@Suite(.needsPostgreSQL) struct SimulationTests {
    @Test func devicesAgreeAndLoseNothingOverAServiceInPostgreSQL() async throws {
        let cluster = try TestCluster.shared
        let pool = try PostgreSQLPool(cluster.connection)
        var simulator = StoreSimulator(schema: try SimulatedSchemas.work(), policies: SimulatedSchemas.policies)
        simulator.growth = SimulatedSchemas.growth
        simulator.scopes = SimulatedSchemas.scopes
        simulator.makeFiles = { SimulatedFiles.postgreSQL(cluster, pool) }
        let seeds = environmentSeed.map { $0..<($0 + 1) } ?? 0..<48
        let events = await withTaskGroup(of: [SimulationEvent: Int].self) { [simulator] group in
            for part in 0..<3 as Range<UInt64> {
                group.addTask {
                    var events: [SimulationEvent: Int] = [:]
                    for seed in seeds where seed % 3 == part {
                        var script = SimulationScript(seed: seed, for: simulator)
                        // The store of the service.
                        script.files = [0]
                        let run = await simulator.run(script)
                        #expect(run.faults.isEmpty, "seed \(seed): \(run)")
                        events.merge(run.events, uniquingKeysWith: +)
                    }
                    return events
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        let expected: [SimulationEvent] = [.serviceStoreFailure, .reopenedFile, .restoredService, .schemaChange]
        for event in expected where seeds.count > 1 { #expect(events[event, default: 0] > 0, "\(event)") }
        await pool.close()
    }
}
