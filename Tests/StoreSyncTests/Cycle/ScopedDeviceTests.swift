import DifferentialSync
import StoreSync
import Testing

/// Devices that synchronize a part of the account's records.
@Suite(.needsServiceStore) struct ScopedDeviceTests {
    private let phone: Device
    private let laptop: Device
    private let server: any PersistenceAdapter
    private let service: SyncService

    init() throws {
        (phone, laptop) = (try Device("phone"), try Device("laptop"))
        server = ServiceStores.make(try Planner.schema())
        service = SyncService(
            server, account: "ada",
            scopes: [SyncScope("all"), SyncScope("open", where: ["Task": Field("isDone") == false])],
            makeName: Planner.names("epoch"))
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
            service: service,
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
            service: service,
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
            service: service,
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
            service: service, onHandshake: { request in scope.withLock { $0 = request.scope } },
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

    @Test func aScopeOfAnotherAccountIsNoFormerScope() async throws {
        try await share()
        let other = SyncService(
            ServiceStores.make(try Planner.schema()), account: "bob", scopes: [SyncScope("all"), SyncScope("open")],
            makeName: Planner.names("epoch"))
        let (scopes, pulls) = (Locked<[String?]>([]), Locked(0))
        let remote = InterruptedRemote(
            service: other, onHandshake: { request in scopes.withLock { $0.append(request.scope) } },
            onPull: { [laptop] in
                pulls.withLock { $0 += 1 }
                if pulls.current > 1 { return }
                try await laptop.edit { changes, _ in changes.update(RecordID("Task", 3), ["title": "Paint"]) }
            })
        let outcome = try await laptop.store.synchronize(with: remote, scope: "open", choose: { _ in .merge })
        #expect(outcome.isSynced)
        #expect(!scopes.current.contains("all"))
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
        let remote = InterruptedRemote(service: strict, onPull: { pulls.withLock { $0 += 1 } })
        try await laptop.sync(with: remote, scope: "open")
        #expect(try await tasks(of: laptop) == [1, 2])
        #expect(pulls.current < 5)
        #expect(try await server.read { try $0.keys(of: "Task") } == [1, 2, 3])
    }

    @Test func whatTheServicePostponesIsSentBeforeAnotherScopeIsTaken() async throws {
        try await share()
        let review = Review { change, _ in change.new == nil ? .later(after: 60) : .accept }
        let busy = SyncService(
            server, account: "ada", scopes: [SyncScope("all"), SyncScope("open")], review: review,
            makeName: Planner.names("epoch"))
        try await laptop.edit { changes, _ in changes.delete(RecordID("Task", 3)) }
        let outcome = try await laptop.sync(with: busy, scope: "open")
        #expect(outcome.pending == [RecordID("Task", 3)] && outcome.retryAfter == 60)
        try await laptop.sync(with: service, scope: "open")
        #expect(try await server.read { try $0.keys(of: "Task") } == [1, 2])
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
private struct InterruptedRemote: Remote {
    let service: SyncService
    var onHandshake: @Sendable (HandshakeRequest) async throws -> Void = { _ in }
    var onPull: @Sendable () async throws -> Void = {}

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        try await onHandshake(request)
        return try await service.handshake(request)
    }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        try await onPull()
        return try await service.pull(request)
    }

    func push(_ request: PushRequest) async throws -> PushResponse { try await service.push(request) }
}
