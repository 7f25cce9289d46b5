import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// Devices that synchronize a part of the account's records.
@Suite(.needsServiceStore) struct ScopedDeviceTests: PlannerSuite {
    let shared: SharedPlanner

    init() throws {
        shared = try SharedPlanner(
            scopes: [SyncScope("all"), SyncScope("open", where: ["Task": Field("isDone") == false])])
    }

    /// The laptop has three tasks, of which one is done, and the phone the open ones.
    private func share() async throws {
        try await laptop.edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 1]))
            for id in 1...3 {
                let number = Value.integer(Int64(id))
                try changes.put(Record("Task", in: schema, ["id": number, "isDone": .bool(id == 3), "project": 1]))
            }
        }
        try await laptop.sync(with: service, scope: "all")
        try await phone.sync(with: service, scope: "open")
    }

    private func tasks(of device: Device) async throws -> [Value] {
        try await device.store.read { try $0.keys(of: "Task") }
    }

    @Test func recordsOutsideOfTheScopeDoNotArrive() async throws {
        try await share()
        #expect(try await tasks(of: phone) == [1, 2])
        #expect(try await phone.sync(with: service, scope: "open").isSynced)
    }

    @Test func aRecordThatLeavesTheScopeLeavesTheDeviceAndIsNotDeleted() async throws {
        try await share()
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 1), ["isDone": true]) }
        try await laptop.sync(with: service, scope: "all")
        let outcome = try await phone.sync(with: service, scope: "open")
        #expect(outcome.left == [RecordID("Task", 1)])
        #expect(try await tasks(of: phone) == [2])
        #expect(try await laptop.sync(with: service, scope: "all").isSynced)
        #expect(try await tasks(of: laptop) == [1, 2, 3])
    }

    @Test func aDeletionThatIsNotSentIsListedUntilItIsDismissed() async throws {
        try await share()
        try await laptop.edit { changes, _ in
            for id in [1, 2] as [Value] { changes.update(RecordID("Task", id), ["isDone": true]) }
        }
        try await laptop.sync(with: service, scope: "all")
        try await phone.edit { changes, _ in changes.delete(RecordID("Task", 1)) }
        // The outcomes are those of processes that have ended before they have shown them.
        for _ in 1...2 { try await phone.sync(with: service, scope: "open") }
        let inbox = try await phone.store.read { try $0.inbox }
        #expect(inbox.unsentDeletions == [RecordID("Task", 1)] && inbox.isEmpty)
        try await phone.store.dismissUnsentDeletions(of: inbox.unsentDeletions)
        #expect(try await phone.store.read { try $0.inbox.unsentDeletions } == [])
    }

    @Test func aDeletionOfARecordThatLeavesTheScopeIsNotSentAndIsReported() async throws {
        try await share()
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 1), ["isDone": true]) }
        try await laptop.sync(with: service, scope: "all")
        try await phone.edit { changes, _ in changes.delete(RecordID("Task", 1)) }
        let outcome = try await phone.sync(with: service, scope: "open")
        #expect(outcome.left == [RecordID("Task", 1)])
        #expect(outcome.isSynced)
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 1), ["isDone": false]) }
        try await laptop.sync(with: service, scope: "all")
        #expect(try await phone.sync(with: service, scope: "open").left == [])
        #expect(try await Set(tasks(of: phone)) == [1, 2])
    }

    @Test func whatWasChangedInTheFormerScopeIsSentBeforeAnotherOneBegins() async throws {
        try await share()
        try await laptop.edit { changes, _ in changes.delete(RecordID("Task", 3)) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 2), ["isDone": true]) }
        let outcome = try await laptop.sync(with: service, scope: "open")
        #expect(outcome.pushedCount == 2)
        #expect(try await tasks(of: laptop) == [1])
        try await phone.sync(with: service, scope: "all")
        #expect(try await tasks(of: phone) == [1, 2])
    }

    @Test func whatIsChangedBeforeAnotherScopeIsTakenIsSentInTheFormerOne() async throws {
        try await share()
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 2), ["isDone": true]) }
        let isFirst = Locked(true)
        let remote = InterruptedRemote(
            base: service,
            onHandshake: { [laptop] request in
                let isEdited = isFirst.withLock { isFirst in
                    defer { if request.scope == "open" { isFirst = false } }
                    return isFirst && request.scope == "open"
                }
                if isEdited { try await laptop.edit { changes, _ in changes.delete(RecordID("Task", 3)) } }
            })
        try await laptop.sync(with: remote, scope: "open")
        #expect(!isFirst.current)
        #expect(try await tasks(of: laptop) == [1])
        #expect(try await server.read { try $0.keys(of: "Task") } == [1, 2])
    }

    @Test(arguments: [false, true])
    func whatIsChangedWhilePagesOfAnotherScopeArriveIsSentInTheFormerOne(isDeleted: Bool) async throws {
        try await share()
        let pulls = Locked(0)
        let remote = InterruptedRemote(
            base: service,
            onPull: { [laptop] in
                pulls.withLock { $0 += 1 }
                if pulls.current > 1 { return }
                try await laptop.edit { changes, _ in
                    if isDeleted {
                        changes.delete(RecordID("Task", 3))
                    } else {
                        changes.update(RecordID("Task", 3), ["title": "Paint"])
                    }
                }
                throw RemoteError.later()
            })
        #expect(try await laptop.sync(with: remote, scope: "open").failure == .later())
        #expect(try await laptop.sync(with: remote, scope: "open").isSynced)
        #expect(try await tasks(of: laptop) == [1, 2])
        let served = try await server.read { try $0.record(RecordID("Task", 3)) }
        #expect(isDeleted ? served == nil : served?["title"] == "Paint")
    }

    @Test func aFormerScopeIsRememberedAfterATokenHasExpired() async throws {
        try await share()
        let pulls = Locked(0)
        let remote = InterruptedRemote(
            base: service,
            onHandshake: { _ in if pulls.current == 1 { throw RemoteError.unauthorized } },
            onPull: { [laptop] in
                pulls.withLock { $0 += 1 }
                if pulls.current == 1 {
                    try await laptop.edit { changes, _ in changes.delete(RecordID("Task", 3)) }
                }
            })
        #expect(try await laptop.sync(with: remote, scope: "open").failure == .unauthorized)
        #expect(try await laptop.sync(with: service, scope: "open").isSynced)
        #expect(try await server.read { try $0.keys(of: "Task") } == [1, 2])
    }

    @Test func changesThatNeverEndAreSentByTheNextCycle() async throws {
        try await share()
        let (scope, count) = (Locked<String?>(nil), Locked(0))
        let remote = InterruptedRemote(
            base: service, onHandshake: { request in scope.withLock { $0 = request.scope } },
            onPull: { [laptop] in
                if scope.current != "open" { return }
                count.withLock { $0 += 1 }
                let title = Value.string("\(count.current)")
                try await laptop.edit { changes, _ in changes.update(RecordID("Task", 3), ["title": title]) }
            })
        #expect(try await laptop.sync(with: remote, scope: "open").failure == .later())
        #expect(try await laptop.sync(with: service, scope: "open").isSynced)
        #expect(try await tasks(of: laptop) == [1, 2])
        #expect(try await server.read { try $0.record(RecordID("Task", 3)) }?["title"] == .string("\(count.current)"))
    }

    @Test func recordsThatARestoredServiceHasLostAreSentAgainBeforeAnotherScopeBegins() async throws {
        try await share()
        let copy = InMemoryAdapter(schema: try Planner.schema())
        for device in [laptop, phone] { #expect(try await device.sync(with: service, scope: "all").isSynced) }
        // The service was restored from a backup without any record.
        let restored = SyncService(
            copy, account: "ada", scopes: [SyncScope("all"), SyncScope("open")], makeName: Planner.names("restored"))
        try await restored.beginEpoch()
        #expect(try await phone.sync(with: restored, scope: "open").isSynced)
        #expect(try await tasks(of: phone) == [1, 2, 3])
        #expect(try await copy.read { try $0.keys(of: "Task") } == [1, 2, 3])
    }

    @Test func aScopeOfAnotherAccountIsNoFormerScope() async throws {
        try await share()
        let other = SyncService(
            ServiceStores.make(try Planner.schema()), account: "bob", scopes: [SyncScope("all"), SyncScope("open")],
            makeName: Planner.names("epoch"))
        let (scopes, pulls) = (Locked<[String?]>([]), Locked(0))
        let remote = InterruptedRemote(
            base: other, onHandshake: { request in scopes.withLock { $0.append(request.scope) } },
            onPull: { [laptop] in
                pulls.withLock { $0 += 1 }
                if pulls.current > 1 { return }
                try await laptop.edit { changes, _ in changes.update(RecordID("Task", 3), ["title": "Paint"]) }
            })
        let outcome = try await laptop.store.synchronize(with: remote, scope: "open", choose: { _ in .merge })
        #expect(outcome.isSynced)
        // Only the response to the first handshake names the account.
        #expect(!scopes.current.dropFirst().contains("all"))
    }

    @Test func aRefusedChangeDoesNotKeepADeviceFromAnotherScope() async throws {
        try await share()
        let review = Review { change, _ in change.new == nil ? .refuse(code: "kept", reason: "It is kept.") : .accept }
        let strict = SyncService(
            server, account: "ada",
            scopes: [SyncScope("all"), SyncScope("open", where: ["Task": Field("isDone") == false])], review: review,
            makeName: Planner.names("epoch"))
        try await laptop.edit { changes, _ in changes.delete(RecordID("Task", 3)) }
        let pulls = Locked(0)
        let remote = InterruptedRemote(base: strict, onPull: { pulls.withLock { $0 += 1 } })
        try await laptop.sync(with: remote, scope: "open")
        #expect(try await tasks(of: laptop) == [1, 2])
        #expect(pulls.current < 5)
        #expect(try await server.read { try $0.keys(of: "Task") } == [1, 2, 3])
    }

    @Test(arguments: [60, nil])
    func whatTheServicePostponesIsSentBeforeAnotherScopeIsTaken(seconds: Int?) async throws {
        try await share()
        let review = Review { change, _ in change.new == nil ? .later(after: seconds) : .accept }
        let busy = SyncService(
            server, account: "ada", scopes: [SyncScope("all"), SyncScope("open")], review: review,
            makeName: Planner.names("epoch"))
        try await laptop.edit { changes, _ in changes.delete(RecordID("Task", 3)) }
        let outcome = try await laptop.sync(with: busy, scope: "open")
        #expect(outcome.pending == [RecordID("Task", 3)] && outcome.retryAfter == seconds)
        // It was not tried again and again.
        #expect(outcome.failure == nil)
        try await laptop.sync(with: service, scope: "open")
        #expect(try await server.read { try $0.keys(of: "Task") } == [1, 2])
    }

    /// The second scope no longer exists when the device takes a third one.
    @Test func theScopeBeforeOneThatNoLongerExistsIsRemembered() async throws {
        try await share()
        let remote = InterruptedRemote(
            base: service,
            onPull: { [laptop] in
                try await laptop.edit { changes, _ in changes.delete(RecordID("Task", 3)) }
                throw RemoteError.later()
            })
        #expect(try await laptop.sync(with: remote, scope: "open").failure == .later())
        let later = SyncService(
            server, account: "ada",
            scopes: [SyncScope("all"), SyncScope("still open", where: ["Task": Field("isDone") == false])],
            makeName: Planner.names("epoch"))
        #expect(try await laptop.sync(with: later, scope: "still open").isSynced)
        #expect(try await server.read { try $0.keys(of: "Task") } == [1, 2])
    }

    /// The phone takes another scope, goes back because of a change, and makes a second one on the way.
    @Test(arguments: [false, true])
    func aChangeOnTheWayBackToTheFormerScopeIsNotForgottenInSilence(isDeleted: Bool) async throws {
        try await share()
        let scoped = SyncService(
            server, account: "ada",
            scopes: [
                SyncScope("open", where: ["Task": Field("isDone") == false]),
                SyncScope("done", where: ["Task": Field("isDone") == true]),
            ], makeName: Planner.names("epoch"))
        let edits = Locked(0)
        let remote = InterruptedRemote(
            base: scoped,
            onPull: { [phone] in
                let isBack = try await phone.store.read { try $0.record(RecordID("Task", 3)) != nil }
                let edit = edits.withLock { edits in
                    if edits < (isBack ? 2 : 1) { edits += 1 } else { return 0 }
                    return edits
                }
                try await phone.edit { changes, _ in
                    if edit == 1 { changes.update(RecordID("Task", 1), ["title": "Saw"]) }
                    if edit == 2 && isDeleted { changes.delete(RecordID("Task", 3)) }
                    if edit == 2 && !isDeleted { changes.update(RecordID("Task", 3), ["title": "Paint"]) }
                }
            })
        let outcome = try await phone.sync(with: remote, scope: "done")
        #expect(edits.current == 2)
        #expect(try await server.read { try $0.record(RecordID("Task", 1)) }?["title"] == "Saw")
        #expect(try await tasks(of: phone) == [3])
        #expect(outcome.left == (isDeleted ? [RecordID("Task", 3)] : []))
        let served = try await server.read { try $0.record(RecordID("Task", 3)) }
        #expect(served?["title"] == (isDeleted ? .null : "Paint"))
    }

    /// The scope of the tasks has no projects, so that it does not take a task to another one.
    @Test func whatAScopeBlocksIsSentInAnotherOne() async throws {
        try await share()
        let scoped = SyncService(
            server, account: "ada", scopes: [SyncScope("all"), SyncScope("tasks", entities: ["Task"])],
            makeName: Planner.names("epoch"))
        try await laptop.edit { changes, schema in try changes.put(Record("Project", in: schema, ["id": 2])) }
        #expect(try await laptop.sync(with: scoped, scope: "tasks").isSynced)
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 1), ["project": 2]) }
        #expect(try await laptop.sync(with: scoped, scope: "tasks").pending == [RecordID("Task", 1)])
        #expect(try await laptop.sync(with: scoped, scope: "all").isSynced)
        #expect(try await server.read { try $0.record(RecordID("Task", 1))?["project"] } == 2)
    }

    /// A new project is no part of the tasks' scope: a task of it waits, and is sent in the scope of both.
    @Test func whatRefersToARecordOutsideTheScopeWaits() async throws {
        try await share()
        let scoped = SyncService(
            server, account: "ada", scopes: [SyncScope("all"), SyncScope("tasks", entities: ["Task"])],
            makeName: Planner.names("epoch"))
        #expect(try await laptop.sync(with: scoped, scope: "tasks").isSynced)
        try await laptop.edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 2]))
            try changes.put(Record("Task", in: schema, ["id": 4, "project": 2]))
        }
        let outcome = try await laptop.sync(with: scoped, scope: "tasks")
        #expect(outcome.pending == [RecordID("Task", 4)] && outcome.refused == [])
        #expect(try await laptop.sync(with: scoped, scope: "all").isSynced)
        #expect(try await server.read { try $0.record(RecordID("Task", 4))?["project"] } == 2)
    }

    /// A scope without projects is no service that has lost their values.
    @Test func anEditToTheDefaultArrivesAfterAScopeWithoutTheEntity() async throws {
        try await share()
        let scoped = SyncService(
            server, account: "ada", scopes: [SyncScope("all"), SyncScope("tasks", entities: ["Task"])],
            makeName: Planner.names("epoch"))
        try await laptop.edit { changes, _ in changes.update(RecordID("Project", 1), ["name": "house"]) }
        for scope in ["all", "tasks"] { try await laptop.sync(with: scoped, scope: scope) }
        let tablet = try Device("tablet")
        try await tablet.sync(with: scoped, scope: "all")
        let unnamed = try #require(tablet.store.schema["Project"]).slots.first { $0.name == "name" }?.defaultValue
        try await tablet.edit { changes, _ in changes.update(RecordID("Project", 1), ["name": unnamed ?? .null]) }
        try await tablet.sync(with: scoped, scope: "all")
        let outcome = try await laptop.sync(with: scoped, scope: "all")
        #expect(outcome.isSynced && outcome.trace.pushedCount == 0)
        #expect(try await laptop.value("Project", 1, "name") == unnamed)
    }

    @Test func aDeviceThatChangesItsScopeCountsOnce() async throws {
        try await share()
        let scoped = SyncService(
            server, account: "ada", scopes: [SyncScope("all"), SyncScope("tasks", entities: ["Task"])], deviceLimit: 3,
            makeName: Planner.names("epoch"))
        for scope in ["tasks", "all", "tasks", "all"] {
            #expect(try await laptop.sync(with: scoped, scope: scope).isSynced)
        }
        #expect(try await scoped.devices().count == 2)
    }

    @Test func aScopeThatNoLongerExistsIsLeftAtOnce() async throws {
        try await share()
        let other = SyncService(
            server, account: "ada", scopes: [SyncScope("everything")], makeName: Planner.names("epoch"))
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 2), ["isDone": true]) }
        #expect(try await laptop.sync(with: other, scope: "everything").isSynced)
        try await phone.sync(with: other, scope: "everything")
        #expect(try await phone.store.read { try $0.record(RecordID("Task", 2))?["isDone"] } == true)
    }

    @Test func aDeviceWithAnotherScopeGetsWhatThatHasAndDeletesNothing() async throws {
        try await share()
        #expect(try await phone.sync(with: service, scope: "all").isSynced)
        #expect(try await tasks(of: phone).count == 3)
        #expect(try await phone.sync(with: service, scope: "open").isSynced)
        #expect(try await tasks(of: phone) == [1, 2])
        #expect(try await laptop.sync(with: service, scope: "all").isSynced)
        #expect(try await tasks(of: laptop) == [1, 2, 3])
    }
}

/// A remote before whose handshakes or pulls something else happens.
private struct InterruptedRemote: ForwardingRemote {
    let base: SyncService
    var onHandshake: @Sendable (HandshakeRequest) async throws -> Void = { _ in }
    var onPull: @Sendable () async throws -> Void = {}

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        try await onHandshake(request)
        return try await base.handshake(request)
    }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        try await onPull()
        return try await base.pull(request)
    }
}
