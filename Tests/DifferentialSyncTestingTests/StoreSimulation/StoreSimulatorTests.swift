import DifferentialSync
import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence
import Testing

/// Devices and a service live through edits of related records and every fault.
///
/// `DIFFSYNC_SIMULATIONS` is the number of runs, and `DIFFSYNC_SEED` the seed of a single one.
struct StoreSimulatorTests {
    static func simulator() throws -> StoreSimulator {
        var simulator = StoreSimulator(schema: try SimulatedSchemas.work(), policies: SimulatedSchemas.policies)
        simulator.growth = SimulatedSchemas.growth
        simulator.scopes = SimulatedSchemas.scopes
        simulator.makeFiles = { try SimulatedFiles.sqlite() }
        return simulator
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    private static let parts: UInt64 = 8

    /// How often each kind of event has happened in each part that has ended.
    private static let results = Locked<[[SimulationEvent: Int]]>([])

    @Test(arguments: 0..<parts) func devicesAgreeAndLoseNothingUnderEveryFault(part: UInt64) async throws {
        let simulator = try Self.simulator()
        if let seed = Self.number("DIFFSYNC_SEED") {
            if part == 0 { try await simulator.check(seeds: seed..<(seed + 1)) }
            return
        }
        let count = Self.number("DIFFSYNC_SIMULATIONS") ?? 2_000
        let events = try await simulator.check(
            seeds: (part * count / Self.parts)..<((part + 1) * count / Self.parts))
        let all = Self.results.withLock { results in
            results.append(events)
            return results.count == Self.parts ? results : nil
        }
        guard let all else { return }
        let total = all.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        print("events: \(total.map { "\($0.key): \($0.value)" }.sorted())")
        // Each kind of fault really occurs.
        for event in SimulationEvent.allCases where count >= 2_000 {
            #expect(total[event, default: 0] > 0, "\(event)")
        }
    }

    @Test func oneSeedGivesOneTrace() async throws {
        let simulator = try Self.simulator()
        for seed in 0..<20 as Range<UInt64> {
            let script = SimulationScript(seed: seed, for: simulator)
            #expect(script == SimulationScript(seed: seed, for: simulator))
            let (first, second) = (await simulator.run(script), await simulator.run(script))
            #expect(first.trace == second.trace)
        }
    }

    @Test func scriptsAreReadAsTheyArePrinted() throws {
        let simulator = try Self.simulator()
        for seed in 0..<50 as Range<UInt64> {
            let script = SimulationScript(seed: seed, for: simulator, length: 100)
            #expect(try SimulationScript(json: script.json) == script)
        }
        #expect(throws: DecodingError.self) { try SimulationScript(json: "{}") }
    }

    /// The second device takes another scope, while a conflict blocks its deletion at first.
    @Test func changesThatWereBlockedAreSentBeforeAnotherScopeIsTaken() async throws {
        let script = #"""
            {"devices":2,"files":[],"hasRelay":false,"operations":[
            {"insert":{"device":0,"entity":7,"number":2}},{"insert":{"device":0,"entity":2,"number":3}},
            {"begin":{"device":0}},{"deliver":{"message":0}},{"deliver":{"message":0}},
            {"deliver":{"message":0}},{"deliver":{"message":0}},{"begin":{"device":1}},
            {"deliver":{"message":0}},{"deliver":{"message":0}},{"deliver":{"message":0}},
            {"deliver":{"message":0}},{"deliver":{"message":0}},{"deliver":{"message":0}},
            {"deliver":{"message":2}},{"deliver":{"message":3}},{"update":{"device":0,"number":5,"record":0}},
            {"begin":{"device":0}},{"deliver":{"message":0}},{"deliver":{"message":0}},
            {"insert":{"device":1,"entity":6,"number":6}},
            {"connect":{"device":1,"record":1,"relationship":5,"to":0}},{"deliver":{"message":3}},
            {"deliver":{"message":3}},{"deliver":{"message":1}},{"deliver":{"message":0}},
            {"connect":{"device":0,"record":1,"relationship":4,"to":0}},{"begin":{"device":0}},
            {"changeScope":{"device":1,"to":1}},{"begin":{"device":1}},{"deliver":{"message":0}},
            {"deliver":{"message":0}},{"deliver":{"message":0}},{"deliver":{"message":0}},
            {"deliver":{"message":0}},{"deliver":{"message":0}},{"deliver":{"message":0}},
            {"deliver":{"message":0}},{"delete":{"device":1,"record":2}}
            ],"pageRecords":100,"policies":1,"pushRecords":100,"scopes":[0,0]}
            """#
        let run = await (try Self.simulator()).run(try SimulationScript(json: script))
        #expect(run.faults.isEmpty, "\(run)")
    }

    /// A device moves a folder and a task, and deletes the folder that had them.
    ///
    /// The move of the folder is refused.
    @Test func aDeletionWaitsForAMoveThatIsRefused() async throws {
        let script = #"""
            {"devices":1,"files":[],"hasRelay":false,"operations":[
            {"insert":{"device":0,"entity":0,"number":1}},{"insert":{"device":0,"entity":1,"number":2}},
            {"insert":{"device":0,"entity":6,"number":4}},{"begin":{"device":0}},{"deliver":{"message":0}},
            {"deliver":{"message":0}},{"deliver":{"message":0}},{"deliver":{"message":0}},
            {"deliver":{"message":0}},{"refuse":{"_0":true}},
            {"connect":{"device":0,"record":1,"relationship":3,"to":1}},
            {"connect":{"device":0,"record":2,"relationship":0,"to":1}},{"delete":{"device":0,"record":0}},
            {"deliver":{"message":0}},{"deliver":{"message":0}}
            ],"pageRecords":100,"policies":1,"pushRecords":100,"scopes":[]}
            """#
        let run = await (try Self.simulator()).run(try SimulationScript(json: script))
        #expect(run.faults.isEmpty, "\(run)")
    }

    /// The service is restored to a copy without the record, whose deletion it had accepted, while a page still brings it.
    @Test func whatARestoredServiceHasForgottenMayComeBack() async throws {
        let script = #"""
            {"devices":2,"files":[],"hasRelay":false,"operations":[
            {"insert":{"device":1,"entity":6,"number":1}},{"backUpService":{}},{"begin":{"device":1}},
            {"deliver":{"message":0}},{"deliver":{"message":0}},{"deliver":{"message":0}},
            {"begin":{"device":0}},{"deliver":{"message":0}},{"deliver":{"message":0}},
            {"deliver":{"message":2}},{"deliver":{"message":2}},{"delete":{"device":1,"record":0}},
            {"deliver":{"message":0}},{"deliver":{"message":0}},{"deliver":{"message":0}},{"restoreService":{}}
            ],"pageRecords":100,"policies":0,"pushRecords":100,"scopes":[]}
            """#
        let run = await (try Self.simulator()).run(try SimulationScript(json: script))
        #expect(run.faults.isEmpty, "\(run)")
    }

    @Test func numbersThatAreTooLargeBeginAgain() async throws {
        let simulator = try Self.simulator()
        let run = await simulator.run(
            SimulationScript(
                devices: 0, policies: -1, hasRelay: true, scopes: [-1], files: [.min],
                operations: [
                    .insert(device: -3, entity: 9_999, number: -1), .update(device: 5, record: -7, number: .max),
                    .delete(device: .min, record: .max), .begin(device: 1), .deliver(message: -9),
                    .resolve(device: 9, conflict: -1, by: .local), .discard(device: 1, record: 7),
                    .throttle(requests: -1), .prune(service: -1), .changeScope(device: -1, to: -1),
                ]))
        #expect(run.faults.isEmpty, "\(run)")
    }
}
