import DifferentialSync
import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence
import Testing

/// Two devices, a service, and a list with an item that belongs to it: every order of edits, messages and faults.
struct StoreExplorationTests {
    private let schema = try! Schema {
        Entity("List") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("name", .string)
            Relationship("items", toMany: "Item", inverse: "list", deleteRule: .cascade)
        }
        Entity("Item") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string)
            Relationship("list", to: "List", inverse: "items")
        }
    }

    /// Both devices have the list 1 with the item 3.
    private static let start = SimulationScript(
        pageRecords: 1,
        operations: [.insert(device: 0, entity: 0, number: 1), .insert(device: 0, entity: 1, number: 3)]
            + [0, 1].flatMap { [.begin(device: $0)] + Array(repeating: .deliver(message: 0), count: 12) })

    private static let list = 0
    private static let item = 1

    private func exploration(_ policy: ConflictPolicy<Record>, _ edits: [SimulationOperation]) -> StoreExploration {
        StoreExploration(
            StoreSimulator(schema: schema, policies: [SyncPolicies(policy)]), start: Self.start, edits: edits)
    }

    /// With `DIFFSYNC_EXPLORATION`, all states with at most so many faults are visited; otherwise the first with one.
    @Test(arguments: ["localWins", "keepEdits", "leaveOpen"])
    func everyOrderOfFewEditsAndFaultsEndsInAgreement(_ name: String) async throws {
        let policies: [String: ConflictPolicy<Record>] = [
            "localWins": .localWins, "keepEdits": .keepEdits(otherwise: .remoteWins), "leaveOpen": .leaveOpen,
        ]
        var exploration = exploration(
            try #require(policies[name]),
            [
                .update(device: 0, record: Self.item, number: 5), .delete(device: 1, record: Self.list),
                .update(device: 1, record: Self.item, number: 7),
            ])
        exploration.faults = [
            .lose(message: 0), .duplicate(message: 0), .crash(device: 0), .fail(device: 1, at: .afterCommit),
            .failService(at: .beforeCommit), .failService(at: .afterCommit), .prune(service: 0), .backUp(device: 1),
            .restore(device: 1),
        ]
        let faults = ProcessInfo.processInfo.environment["DIFFSYNC_EXPLORATION"].flatMap { Int($0) }
        exploration.mostFaults = faults ?? 1
        if faults == nil { exploration.mostStates = 1_000 }
        let start = ContinuousClock.now
        let result = await exploration.run()
        print("explored with \(name): \(result) in \(ContinuousClock.now - start)")
        #expect(result.failure == nil, "\(result)")
        #expect(result.stateCount > 500)
        #expect(result.isComplete == (faults != nil))
    }

    /// Without faults, each order is visited.
    @Test func everyOrderWithoutFaultsEndsInAgreement() async {
        let exploration = exploration(
            .localWins, [.update(device: 0, record: Self.item, number: 5), .delete(device: 1, record: Self.list)])
        let result = await exploration.run()
        print("explored without faults: \(result)")
        #expect(result.isComplete)
        #expect(result.failure == nil, "\(result)")
    }

    /// The edits and the fault that show a planted bug.
    private static let edits: [PlantedBug: (edits: [SimulationOperation], faults: [SimulationOperation])] = [
        .noStoredAnswer: (
            [.update(device: 1, record: item, number: 5), .update(device: 0, record: item, number: 7)],
            [.lose(message: 0)]
        ),
        .oneSequenceForAPush: (
            [.update(device: 0, record: list, number: 5), .update(device: 0, record: item, number: 7)], []
        ),
        .baseIgnored: (
            [.update(device: 0, record: item, number: 5), .update(device: 1, record: item, number: 7)], []
        ),
        .imageOfFlightNotKept: (
            [.update(device: 0, record: item, number: 5), .update(device: 0, record: item, number: 7)], []
        ),
        .tombstonesPrunedEarly: ([.delete(device: 1, record: item)], []),
        .scopeLeak: ([], []),
        .accountLeak: ([], [.changeAccount(device: 0, isOther: true)]),
        .pageWithoutCursor: (
            [.update(device: 0, record: list, number: 5), .update(device: 0, record: item, number: 7)], []
        ),
        .cascadeWithoutCheck: (
            [.update(device: 0, record: item, number: 5), .delete(device: 1, record: list)], []
        ),
        .acknowledgementBeforeCommit: (
            [.update(device: 0, record: item, number: 5)], [.failService(at: .beforeCommit)]
        ),
    ]

    @Test(arguments: PlantedBug.allCases)
    func theExplorationFindsEachPlantedBugByAShortestScript(_ bug: PlantedBug) async throws {
        let (edits, faults) = try #require(Self.edits[bug])
        var exploration = exploration(.localWins, edits)
        if bug == .scopeLeak {
            exploration.simulator.scopes = [SyncScope("lists", entities: ["List"])]
            // The second device has not pulled yet.
            exploration.start.scopes = [0, 1]
            exploration.start.operations.removeLast(13)
        }
        exploration.faults = faults
        exploration.mostStates = 20_000
        let sound = exploration
        exploration.simulator = bug.planted(in: exploration.simulator)
        let result = await exploration.run()
        let run = try #require(result.failure, "\(result)")
        print("\(bug): \(result.depth) steps, \(result.stateCount) states, \(run.faults)")
        #expect(!run.faults.isEmpty)
        #expect(result.depth <= 20)
        // Without the bug, nothing is found among as many states.
        var same = sound
        same.mostStates = result.stateCount
        #expect(await same.run().failure == nil)
    }
}
