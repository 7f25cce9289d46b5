import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import Testing

/// Scripts that have found faults of the library.
struct FoundFaultTests {
    /// Runs steps before and after an exchange of everything between two devices.
    private func check(
        policies: Int, limit: Int = 100, scopes: [Int] = [], _ before: [SimulationOperation],
        _ after: [SimulationOperation]
    ) async throws {
        var script = SimulationScript(
            policies: policies, pageRecords: limit, pushRecords: limit, scopes: scopes, operations: before)
        for device in [0, 1] {
            script.operations.append(.begin(device: device))
            for _ in 0..<12 { script.operations.append(.deliver(message: 0)) }
        }
        script.operations += after
        let run = try await StoreSimulatorTests.simulator().run(script)
        #expect(run.faults.isEmpty, "\(run)")
    }

    /// Folder 4 in folder 2 was deleted with it, while another device has put a task into folder 4.
    @Test(arguments: 0..<4) func aRecordComesBackWithTheParentThatItWasDeletedWith(policies: Int) async throws {
        let before: [SimulationOperation] = [
            .insert(device: 0, entity: 6, number: 2), .insert(device: 0, entity: 6, number: 4),
        ]
        let after: [SimulationOperation] = [
            .insert(device: 0, entity: 1, number: 7), .delete(device: 1, record: 0),
        ]
        try await check(policies: policies, before, after)
    }

    /// Two records that a new task refers to were deleted meanwhile: one ends its reference, one denies its deletion.
    @Test(arguments: 0..<4) func aRecordThatRefersToTwoDeletedOnesWaitsForBoth(policies: Int) async throws {
        let before: [SimulationOperation] = [
            .insert(device: 0, entity: 5, number: 1), .insert(device: 0, entity: 0, number: 2),
            .insert(device: 0, entity: 3, number: 4),
        ]
        let after: [SimulationOperation] = [
            .delete(device: 0, record: 1), .insert(device: 1, entity: 1, number: 7), .delete(device: 0, record: 1),
        ]
        try await check(policies: policies, limit: 2, before, after)
    }

    /// The service was restored, and a tag was deleted that another device gives to a task.
    @Test(arguments: 0..<4) func aComparisonLeavesWhatTheServiceHasDeletedToThePolicy(policies: Int) async throws {
        let before: [SimulationOperation] = [
            .insert(device: 0, entity: 2, number: 4), .insert(device: 0, entity: 1, number: 7),
        ]
        let after: [SimulationOperation] = [
            .backUpService, .restoreService, .connect(device: 1, record: 1, relationship: 0, to: 0),
            .delete(device: 0, record: 1),
        ]
        try await check(policies: policies, before, after)
    }

    /// A tag was deleted before the push that inserts it had a response, and the device has taken another scope.
    @Test(arguments: 0..<4) func aDeletionOfWhatIsInFlightOutlivesAChangeOfTheScope(policies: Int) async throws {
        let after: [SimulationOperation] = [
            .insert(device: 0, entity: 2, number: 4), .begin(device: 0), .deliver(message: 0), .deliver(message: 0),
            .changeScope(device: 0, to: 1), .delete(device: 0, record: 0),
        ]
        try await check(policies: policies, scopes: [0], [], after)
    }

    /// A folder waits for its parent, which was deleted here, and the device takes a scope without both.
    @Test(arguments: 0..<4) func whatWaitsIsForgottenWithTheScope(policies: Int) async throws {
        let before: [SimulationOperation] = [.insert(device: 0, entity: 6, number: 5)]
        let after: [SimulationOperation] =
            [
                .insert(device: 0, entity: 6, number: 7), .delete(device: 1, record: 0), .begin(device: 0),
            ] + Array(repeating: .deliver(message: 0), count: 6) + [
                .begin(device: 1), .deliver(message: 0), .deliver(message: 0), .deliver(message: 0),
                .deliver(message: 0),
                .changeScope(device: 1, to: 1),
            ]
        try await check(policies: policies, scopes: [0], before, after)
    }
}
