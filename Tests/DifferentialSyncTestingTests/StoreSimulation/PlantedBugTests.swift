import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import Testing

/// The simulation finds each planted bug in random scripts, and the exploration by a shortest script.
struct PlantedStoreBugTests {
    @Test(arguments: PlantedBug.allCases)
    func eachPlantedBugIsFoundWithin200Runs(_ bug: PlantedBug) async throws {
        var sound = StoreSimulator(schema: try SimulatedSchemas.work(), policies: SimulatedSchemas.policies)
        // Other bugs are found sooner by devices that share everything.
        if bug == .scopeLeak { sound.scopes = SimulatedSchemas.scopes }
        let simulator = bug.planted(in: sound)
        let failure = await #expect(throws: SimulationFailure.self) { try await simulator.check(seeds: 0..<200) }
        let run = try #require(failure?.run)
        // The script alone shows the bug, and without the bug it breaks no rule.
        let replayed = await simulator.run(try SimulationScript(json: run.script.json))
        #expect(replayed.faults == run.faults)
        #expect(replayed.trace == run.trace)
        #expect(await sound.run(run.script).faults.isEmpty)
    }
}
