import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import Testing

struct StoreSimulationExamples {
    private let schema = try! Schema {
        Entity("Note") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("text", .string)
        }
    }

    @Test func simulator() async throws {
        let simulator = StoreSimulator(schema: schema, policies: [SyncPolicies(.localWins)])
        try await simulator.check(seeds: 0..<100)
    }

    @Test func simulatorOfAService() async throws {
        var simulator = StoreSimulator(schema: schema, policies: [SyncPolicies(.localWins), SyncPolicies()])
        simulator.makeRemote = { service in
            SyncService(service.store, account: service.account, limits: service.limits, makeName: service.makeName)
        }
        try await simulator.check(seeds: 0..<20)
    }

    @Test func script() async throws {
        let simulator = StoreSimulator(schema: schema)
        let text = SimulationScript(operations: [.insert(device: 0, entity: 0, number: 1), .begin(device: 0)]).json
        let run = await simulator.run(try SimulationScript(json: text))
        print(run)
        #expect(run.faults.isEmpty)
    }

    @Test func exploration() async throws {
        let simulator = StoreSimulator(schema: schema)
        let deliveries = Array(repeating: SimulationOperation.deliver(message: 0), count: 8)
        let start = SimulationScript(
            operations: [.insert(device: 0, entity: 0, number: 1), .begin(device: 0)] + deliveries
                + [.begin(device: 1)] + deliveries)
        let edits: [SimulationOperation] = [.update(device: 0, record: 0, number: 5), .delete(device: 1, record: 0)]
        var exploration = StoreExploration(simulator, start: start, edits: edits)
        exploration.faults = [.lose(message: 0), .crash(device: 0)]
        let result = await exploration.run()
        #expect(result.isComplete)
        #expect(result.failure == nil)
    }
}
