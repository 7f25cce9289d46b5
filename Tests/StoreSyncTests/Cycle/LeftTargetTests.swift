import DifferentialSync
import StoreSync
import Testing

/// A project that leaves a scope, and to which tasks in the scope refer.
@Suite(.needsServiceStore) struct LeftTargetTests: PlannerSuite {
    let shared: SharedPlanner

    private static let policies = [
        SyncPolicies(.localWins), SyncPolicies(.remoteWins), SyncPolicies(.leaveOpen),
    ]

    init() throws {
        shared = try SharedPlanner(
            scopes: [SyncScope("all"), SyncScope("cheap", where: ["Project": Field("budget") < 100])])
    }

    /// The phone has a project with a task, and the project then becomes too expensive for its scope.
    private func share(_ policies: SyncPolicies) async throws {
        try await laptop.edit { changes, schema in
            for id in [1, 2] as [Value] { try changes.put(Record("Project", in: schema, ["id": id, "budget": 50])) }
            try changes.put(Record("Task", in: schema, ["id": 1, "project": 1]))
        }
        try await laptop.sync(with: service, scope: "all")
        try await sync(policies)
        try await setBudget(500)
    }

    private func setBudget(_ budget: Value) async throws {
        try await laptop.edit { changes, _ in changes.update(RecordID("Project", 1), ["budget": budget]) }
        try await laptop.sync(with: service, scope: "all")
    }

    @discardableResult
    private func sync(_ policies: SyncPolicies) async throws -> StoreOutcome {
        try await phone.sync(with: service, policies, scope: "cheap")
    }

    @Test(arguments: policies) func itStaysAndThereIsNothingToDecide(_ policies: SyncPolicies) async throws {
        try await share(policies)
        for _ in 1...2 {
            let outcome = try await sync(policies)
            #expect(outcome.conflicts.isEmpty && outcome.waiting == [RecordID("Project", 1)])
        }
        let state = try await phone.store.syncState
        #expect(state.openConflicts.isEmpty && state.waiting == [RecordID("Project", 1)])
        #expect(try await phone.store.syncState(of: RecordID("Project", 1)) == .pending)
        #expect(try await phone.value("Task", 1, "project") == 1)
    }

    @Test(arguments: policies) func editsOfItsTasksAreSent(_ policies: SyncPolicies) async throws {
        try await share(policies)
        try await sync(policies)
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "weed"]) }
        let outcome = try await sync(policies)
        #expect(outcome.pushedCount == 1 && outcome.conflicts.isEmpty && outcome.pending.isEmpty)
        try await laptop.sync(with: service, scope: "all")
        #expect(try await laptop.value("Task", 1, "title") == "weed")
    }

    @Test(arguments: policies) func itTakesTheRemotesValuesWhenItReturns(_ policies: SyncPolicies) async throws {
        try await share(policies)
        try await sync(policies)
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "weed"]) }
        try await sync(policies)
        try await setBudget(60)
        let outcome = try await sync(policies)
        #expect(outcome.isSynced && outcome.conflicts.isEmpty)
        #expect(try await phone.value("Project", 1, "budget") == 60)
    }

    @Test(arguments: policies) func itLeavesWithItsLastTask(_ policies: SyncPolicies) async throws {
        try await share(policies)
        try await sync(policies)
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["project": 2]) }
        for _ in 1...2 { try await sync(policies) }
        #expect(try await sync(policies).isSynced)
        #expect(try await phone.record("Project", 1) == nil)
        try await laptop.sync(with: service, scope: "all")
        #expect(try await laptop.value("Task", 1, "project") == 2)
        #expect(try await laptop.value("Project", 1, "budget") == 500)
    }

    /// The phone keeps its edit when the project leaves, and the service accepts no project outside the scope.
    @Test func refusedEditIsSentAgainWhenTheProjectReturns() async throws {
        try await laptop.edit { changes, schema in try changes.put(Record("Project", in: schema, ["id": 1])) }
        try await setBudget(50)
        try await sync(SyncPolicies(.localWins))
        try await setBudget(500)
        try await phone.edit { changes, _ in changes.update(RecordID("Project", 1), ["name": "shed"]) }
        #expect(try await sync(SyncPolicies(.localWins)).refused.map(\.id) == [RecordID("Project", 1)])
        try await setBudget(50)
        #expect(try await sync(SyncPolicies(.localWins)).isSynced)
        try await laptop.sync(with: service, scope: "all")
        #expect(try await laptop.value("Project", 1, "name") == "shed")
    }
}
