import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// What the state of a store's synchronization tells before, during and after a cycle.
@Suite struct StoreSyncStateTests: PlannerSuite {
    let shared: SharedPlanner
    private let project = RecordID("Project", 1)

    init() throws { shared = try SharedPlanner() }

    private func share() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 1, "name": "garden"]))
            try changes.put(Record("Task", in: schema, ["id": 1, "title": "dig", "project": 1]))
            try changes.put(Record("Task", in: schema, ["id": 2, "title": "sow", "project": 1]))
        }
        for device in [phone, laptop, phone] { try await device.sync(with: service) }
    }

    @Test func aNewStoreHasNothingToTell() async throws {
        let state = try await phone.store.syncState
        #expect(state.device == nil && state.account == nil && state.cursor == nil && state.pushNumber == 0)
        #expect(state.isSettled)
    }

    @Test func localChangesArePendingByEntityUntilACycleHasSentThem() async throws {
        try await share()
        let synced = try await phone.store.syncState
        #expect(synced.isSettled)
        #expect(synced.device == "phone 1" && synced.account == "ada" && synced.scope == nil && synced.pushNumber == 1)
        #expect(synced.cursor?.epoch == "epoch 1")
        try await phone.edit { changes, _ in
            changes.update(RecordID("Project", 1), ["name": "yard"])
            changes.update(RecordID("Task", 1), ["title": "dig deep"])
            changes.delete(RecordID("Task", 2))
        }
        let state = try await phone.store.syncState
        #expect(state.pendingCounts == ["Project": 1, "Task": 2])
        #expect(!state.isSettled)
        try await phone.sync(with: service)
        #expect(try await phone.store.syncState.isSettled)
        #expect(try await phone.store.syncState.pushNumber == 3, "deletions are a push of their own")
    }

    @Test func recordsOfAPushWithoutAResponseAreInFlightAndNotPending() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "dig deep"]) }
        #expect(try await phone.sync(with: Unanswering(base: service)).failure != nil)
        var state = try await phone.store.syncState
        #expect(state.inFlight == [RecordID("Task", 1)] && state.pendingCounts == [:] && !state.isSettled)
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "dig deeper"]) }
        state = try await phone.store.syncState
        #expect(state.inFlight == [RecordID("Task", 1)] && state.pendingCounts == ["Task": 1])
    }

    @Test func anOpenConflictIsNotPending() async throws {
        try await share()
        for (device, name) in [(phone, "yard"), (laptop, "field")] {
            try await device.edit { changes, _ in
                changes.update(RecordID("Project", 1), ["name": .string(name)])
            }
            try await device.sync(with: service)
        }
        let state = try await laptop.store.syncState
        #expect(state.openConflicts.map(\.id) == [project] && state.pendingCounts == [:] && !state.isSettled)
        #expect(try await laptop.store.openConflicts == state.openConflicts)
    }

    @Test func aRefusedChangeHasItsReasonUntilItIsEdited() async throws {
        let review = Review { change, _ in
            change.new?["title"] == "" ? .refuse(code: "title", reason: "a task needs a title") : .accept
        }
        try await share()
        let strict = SyncService(server, account: "ada", review: review, makeName: Planner.names("other"))
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": ""]) }
        try await phone.sync(with: strict)
        var state = try await phone.store.syncState
        #expect(state.refused.map(\.reason) == ["a task needs a title"] && state.pendingCounts == [:])
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "dig"]) }
        state = try await phone.store.syncState
        #expect(state.refused == [])
    }

    @Test func recordsOfTheRemoteThatCannotBeStoredYetAreListed() async throws {
        let values = ValueObject(names: ["id", "title", "isDone", "project"], values: [5, "dig", .null, 9])
        let wrong = ValueObject(names: ["id", "name"], values: [7, true])
        let page = Page(entries: [
            PullResponse.Entry(RecordID("Task", 5), .present(values)),
            PullResponse.Entry(RecordID("Project", 7), .present(wrong)),
        ])
        try await phone.sync(with: page)
        let state = try await phone.store.syncState
        #expect(state.waiting == [RecordID("Task", 5)])
        #expect(state.unreadable.map(\.id) == [RecordID("Project", 7)])
        #expect(state.cursor == SyncCursor(epoch: "e", sequence: 2) && !state.isSettled)
    }
}

/// A remote that answers no push.
private struct Unanswering: ForwardingRemote {
    let base: SyncService

    func push(_ request: PushRequest) async throws -> PushResponse { throw RemoteError.later() }
}

/// A remote with one page.
private struct Page: Remote {
    let entries: [PullResponse.Entry]

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        HandshakeResponse(account: "ada", epoch: "e", sequence: 2)
    }
    func pull(_ request: PullRequest) async throws -> PullResponse {
        PullResponse(entries: entries, cursor: SyncCursor(epoch: "e", sequence: 2), hasMore: false)
    }
    func push(_ request: PushRequest) async throws -> PushResponse { throw RemoteError.later() }
}
