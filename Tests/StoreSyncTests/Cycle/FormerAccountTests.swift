import DifferentialSyncTesting
import StoreSync
import Testing

/// What is left of an account, or of a history, after the store was merged with another one.
@Suite struct FormerAccountTests: PlannerSuite {
    let shared: SharedPlanner

    init() throws { shared = try SharedPlanner() }

    /// Returns a service over an empty store.
    private func another(_ account: String, epoch: String = "other") throws -> SyncService {
        SyncService(InMemoryAdapter(schema: try Planner.schema()), account: account, makeName: Planner.names(epoch))
    }

    private func merge(_ remote: some Remote) async throws -> StoreOutcome {
        try await phone.store.synchronize(
            with: remote, choose: { _ in .merge }, makeName: Planner.names("later phone"))
    }

    /// The first service refuses the tag 1 of the phone.
    private func refuse() async throws {
        let review = Review { change, _ in
            change.new?.entity == "Tag" ? .refuse(code: "tag", reason: "no tags") : .accept
        }
        let strict = SyncService(server, account: "ada", review: review, makeName: Planner.names("epoch"))
        try await phone.edit { changes, schema in
            try changes.put(Record("Tag", in: schema, ["id": 1, "name": "spring"]))
        }
        #expect(try await phone.sync(with: strict).refused.map(\.code) == ["tag"])
    }

    @Test(arguments: ["ada", "eve"])
    func anotherAccountOrHistoryReceivesWhatTheFirstOneHasRefused(account: String) async throws {
        try await refuse()
        let outcome = try await merge(another(account))
        #expect(outcome.isSynced && outcome.pushedCount == 1, "\(outcome)")
    }

    @Test(arguments: ["ada", "eve"])
    func anotherAccountOrHistoryHasNoUnreadableRecordOfTheFirstOne(account: String) async throws {
        try await phone.sync(with: service)
        var remote = ScriptedRemote(service)
        remote.greeting = { $0.sequence += 1 }
        remote.page = { page, request in
            let values = ValueObject(names: ["id", "name"], values: [7, true])
            page.entries = [PullResponse.Entry(RecordID("Project", 7), .present(values))]
            page.cursor = SyncCursor(epoch: request.cursor.epoch, sequence: request.cursor.sequence + 1)
            (page.hasMore, page.fingerprint) = (false, nil)
        }
        #expect(try await phone.sync(with: remote).unreadable.count == 1)
        #expect(try await merge(another(account)).isSynced)
    }

    @Test(arguments: [false, true])
    func anotherAccountReceivesTheEditsOfOpenConflicts(isDeletedThere: Bool) async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Tag", in: schema, ["id": 1, "name": "spring"]))
        }
        for device in [phone, laptop] { try await device.sync(with: service) }
        try await phone.edit { changes, _ in changes.update(RecordID("Tag", 1), ["name": "mine"]) }
        try await laptop.edit { changes, _ in
            if isDeletedThere {
                changes.delete(RecordID("Tag", 1))
            } else {
                changes.update(RecordID("Tag", 1), ["name": "theirs"])
            }
        }
        try await laptop.sync(with: service)
        #expect(try await phone.sync(with: service).conflicts.count { $0.isOpen } == 1)
        let eve = try another("eve")
        #expect(try await merge(eve).isSynced)
        #expect(try await phone.store.read { try $0.inbox.isEmpty })
        let tablet = try Device("tablet")
        try await tablet.sync(with: eve)
        #expect(try await tablet.value("Tag", 1, "name") == "mine")
    }

    @Test func anotherAccountHasNoWaitingRecordOfTheFirstOne() async throws {
        try await phone.sync(with: service)
        var remote = ScriptedRemote(service)
        remote.greeting = { $0.sequence += 1 }
        remote.page = { page, request in
            let values = ValueObject(names: ["id", "project"], values: [7, 99])
            page.entries = [PullResponse.Entry(RecordID("Task", 7), .present(values))]
            page.cursor = SyncCursor(epoch: request.cursor.epoch, sequence: request.cursor.sequence + 1)
            (page.hasMore, page.fingerprint) = (false, nil)
        }
        #expect(try await phone.sync(with: remote).waiting == [RecordID("Task", 7)])
        #expect(try await merge(another("eve")).isSynced)
    }
}
