import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// What an app that simulates its own devices and service sets and reads.
struct PublicUseTests {
    /// Deliveries that are enough for a cycle.
    private static func cycle(_ device: Int) -> [SimulationOperation] {
        [.begin(device: device)] + Array(repeating: .deliver(message: 0), count: 12)
    }

    @Test func appMakesTheServiceOfASimulation() async throws {
        let (services, refusals) = (Locked<[SimulatedService]>([]), Locked(0))
        var simulator = StoreSimulator(schema: try SimulatedSchemas.work()) { service in
            services.withLock { $0.append(service) }
            let review = Review { _, _ in
                guard service.refuses() else { return .accept }
                refusals.withLock { $0 += 1 }
                return .refuse(code: "closed", reason: "the service accepts no changes")
            }
            return SyncService(
                service.store, account: service.account, limits: service.limits, scopes: service.scopes,
                review: review, makeName: service.makeName)
        }
        simulator.policies = [SyncPolicies(.localWins)]
        simulator.scopes = SimulatedSchemas.scopes
        let script = SimulationScript(
            pageRecords: 2, pushRecords: 1, scopes: [0, 1],
            operations: [.refuse(true), .insert(device: 0, entity: 2, number: 1)] + Self.cycle(0))
        let run = await simulator.run(script)
        #expect(run.faults.isEmpty, "\(run)")
        #expect(refusals.current > 0)
        let service = try #require(services.current.first)
        #expect(service.limits.pageRecords == 2 && service.limits.pushRecords == 1)
        #expect(service.scopes.contains(SimulatedSchemas.scopes[0]))
    }

    @Test func appBeginsTheEpochOfARestoredService() async throws {
        let accounts = Locked<[String]>([])
        var simulator = StoreSimulator(schema: try SimulatedSchemas.notes())
        simulator.schema = try simulator.schema.adding([
            Entity("Memo") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("text", .string)
            }
        ])
        simulator.beginEpoch = { service in
            accounts.withLock { $0.append(service.account) }
            try await service.makeSyncService().beginEpoch()
        }
        let run = await simulator.run(
            SimulationScript(
                operations: [.backUpService, .insert(device: 0, entity: 1, number: 1)] + Self.cycle(0)
                    + [.restoreService]))
        #expect(run.faults.isEmpty, "\(run)")
        #expect(accounts.current.count == 1)
        #expect(run.trace.contains { $0.contains("Memo") }, "\(run)")
    }

    @Test func scriptOfASeedFitsItsSimulator() throws {
        let simulator = try StoreSimulatorTests.simulator()
        for seed in 0..<50 as Range<UInt64> {
            let script = SimulationScript(seed: seed, for: simulator)
            #expect(simulator.policies.indices.contains(script.policies))
            #expect(script.pageRecords > 0 && script.pushRecords > 0)
            #expect((script.hasRelay ? 3...4 : 2...4).contains(script.devices))
            #expect(!script.hasRelay || script.scopes.isEmpty)
        }
    }

    @Test func failureHasItsSeedAndAShortenedScript() async throws {
        let sound = StoreSimulator(schema: try SimulatedSchemas.work(), policies: SimulatedSchemas.policies)
        let simulator = PlantedBug.pageWithoutCursor.planted(in: sound)
        let error = await #expect(throws: SimulationFailure.self) { try await simulator.check(seeds: 0..<200) }
        let failure = try #require(error)
        let (seed, fault) = (try #require(failure.seed), try #require(failure.run.faults.first))
        #expect("\(fault)" == "\(fault.rule): \(fault.text)")
        let script = SimulationScript(seed: seed, for: simulator)
        let shortened = await simulator.shortened(script, breaking: fault.rule)
        #expect(shortened == failure.run.script)
        #expect(shortened.operations.count < script.operations.count)
    }

    @Test func explorationVisitsMoreStatesWithMoreCycles() async throws {
        let simulator = StoreSimulator(
            schema: try SimulatedSchemas.notes(), policies: [SyncPolicies(.localWins)])
        var exploration = StoreExploration(simulator, start: SimulationScript(operations: []), edits: [])
        exploration.edits = [.insert(device: 0, entity: 0, number: 1)]
        #expect(exploration.mostCycles == 1)
        let once = await exploration.run()
        exploration.mostCycles = 2
        let twice = await exploration.run()
        for result in [once, twice] {
            #expect(result.failure == nil && result.isComplete, "\(result)")
            // Each state but the first is reached by a step.
            #expect(result.stepCount >= result.stateCount - 1)
            #expect(result.restCount > 0 && result.restCount <= result.stateCount)
        }
        #expect(twice.stateCount > once.stateCount)
    }
}
