import DifferentialSyncTesting
import StoreSync
import TestSupport
import Testing

/// Devices whose service answers their pushes as no service should.
@Suite struct AdversarialAnswerTests {
    /// Answers to pushes, by name.
    static let answers: [String: @Sendable (PushRequest) throws -> PushResponse] = [
        "another name": { PushResponse(name: PushName(number: $0.name.number, name: "x"), outcomes: accepted($0)) },
        "another number": {
            PushResponse(name: PushName(number: $0.name.number + 1, name: $0.name.name), outcomes: accepted($0))
        },
        "too few outcomes": { PushResponse(name: $0.name, outcomes: accepted($0).dropLast()) },
        "too many outcomes": { PushResponse(name: $0.name, outcomes: accepted($0) + [.accepted()]) },
        "no outcomes": { PushResponse(name: $0.name, outcomes: []) },
        "always a conflict": { PushResponse(name: $0.name, outcomes: $0.mutations.map { _ in .conflict }) },
        "always later": { PushResponse(name: $0.name, outcomes: $0.mutations.map { _ in .later(after: -1) }) },
        "blocked by itself": { PushResponse(name: $0.name, outcomes: $0.mutations.map { .blocked(by: $0.id) }) },
        "blocked by nothing": {
            PushResponse(name: $0.name, outcomes: $0.mutations.map { _ in .blocked(by: RecordID("None", [])) })
        },
        "refused": {
            PushResponse(name: $0.name, outcomes: $0.mutations.map { _ in .refused(code: "", reason: "\u{0}") })
        },
        "unauthorized": { PushResponse(name: $0.name, outcomes: $0.mutations.map { _ in .unauthorized }) },
        "handshake needed": { _ in throw RemoteError.handshakeNeeded("") },
    ]

    private static func accepted(_ request: PushRequest) -> [PushResponse.Outcome] {
        request.mutations.map { _ in .accepted() }
    }

    private let world = ServiceWorld()
    private let store = InMemoryAdapter(schema: ServiceWorld.schema)
    private let names = Planner.names("device")

    @discardableResult
    private func sync(with remote: some Remote) async throws -> StoreSync.StoreOutcome {
        try await store.synchronize(with: remote, policies: SyncPolicies(.localWins), makeName: names)
    }

    /// The device knows two tasks, edits one and adds a tag.
    private func prepare() async throws {
        try await world.edit { changes in
            for id in 1...3 as ClosedRange<Int64> {
                try changes.put(Record("Task", in: ServiceWorld.schema, ["id": .integer(id), "title": "theirs"]))
            }
        }
        try await sync(with: world.service)
        var changes = ChangeSet()
        changes.update(RecordID("Task", 1), ["title": "mine"])
        try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": "blue", "color": "mine"]))
        changes.delete(RecordID("Task", 3))
        try await store.commit(changes)
    }

    @Test(arguments: answers.keys.sorted())
    func answersThatNoServiceShouldSendHarmNothing(name: String) async throws {
        try await prepare()
        var remote = ScriptedRemote(world.service)
        remote.answer = Self.answers[name]
        for _ in 1...2 {
            do {
                let outcome = try await sync(with: remote)
                #expect(!outcome.isSynced, "\(outcome)")
            } catch {
                #expect(error is RemoteError)
            }
        }
        #expect(remote.requestCount.withLock { $0 } < 60)
        for refused in try await store.refusedRecords { try await store.releaseRefused(refused.id) }
        _ = try await sync(with: world.service)
        let outcome = try await sync(with: world.service)
        #expect(outcome.isSynced, "\(outcome)")
        #expect(try await world.record("Task", 1)?["title"] == "mine")
        #expect(try await world.record("Tag", "blue")?["color"] == "mine")
        #expect(try await world.record("Task", 3) == nil)
    }

    /// Amendments that do not fit, by name.
    static let amendments: [String: PushResponse.Outcome] = [
        "wrong types": .accepted(amended: ValueObject(["title": 1, "color": 2, "isDone": "x"])),
        "unknown names": .accepted(amended: ValueObject(["none": 1, "sync.place": 3])),
        "broken reference": .accepted(amended: ValueObject(["project": 99, "parent": 98])),
        "key as a value": .accepted(amended: ValueObject(["id": 2, "name": "red"])),
        "key of a wrong type": .accepted(key: [1, [2]]),
        "key of null": .accepted(key: .null),
        "key that is not a number": .accepted(key: .double(.nan)),
        "key of another record": .accepted(key: 2),
        "another key": .accepted(key: "green"),
        "both": .accepted(amended: ValueObject(["title": "amended", "color": .array([])]), key: 77),
    ]

    @Test(arguments: amendments.keys.sorted())
    func amendmentsThatNoServiceShouldMakeHarmNothing(name: String) async throws {
        try await prepare()
        var edit = ChangeSet()
        edit.update(RecordID("Task", 2), ["title": "also mine", "isDone": true])
        try await store.commit(edit)
        var remote = ScriptedRemote(world.service)
        let outcome = try #require(Self.amendments[name])
        remote.answer = { PushResponse(name: $0.name, outcomes: $0.mutations.map { _ in outcome }) }
        for _ in 1...2 { try await sync(with: remote) }
        #expect(remote.requestCount.withLock { $0 } < 30)
        // What was edited since is still a local change, and is sent.
        var changes = ChangeSet()
        try changes.put(Record("Task", in: ServiceWorld.schema, ["id": 50, "title": "later"]))
        try await store.commit(changes)
        try await sync(with: world.service)
        #expect(try await world.record("Task", 50)?["title"] == "later")
    }

    @Test func keyOfARecordWithLocalChangesKeepsTheseChanges() async throws {
        try await world.edit { changes in
            try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": "red", "color": "theirs"]))
        }
        try await sync(with: world.service)
        var changes = ChangeSet()
        try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": "blue", "color": "sent"]))
        try await store.commit(changes)
        var remote = ScriptedRemote(world.service)
        let store = store
        remote.answer = { PushResponse(name: $0.name, outcomes: $0.mutations.map { _ in .accepted(key: "red") }) }
        let cycle = EditingRemote(base: remote) {
            var edit = ChangeSet()
            edit.update(RecordID("Tag", "red"), ["color": "mine"])
            try await store.commit(edit)
        }
        try await sync(with: cycle)
        #expect(try await store.read { try $0.record(RecordID("Tag", "red")) }?["color"] == "mine")
        try await sync(with: world.service)
        #expect(try await world.record("Tag", "red")?["color"] == "mine")
    }

    @Test func neitherOfTwoEditsIsLostIfAKeyMakesOneRecordOfTwo() async throws {
        try await world.edit { changes in
            try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": "red", "color": "theirs"]))
        }
        try await sync(with: world.service)
        var changes = ChangeSet()
        try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": "blue", "color": "sent"]))
        try await store.commit(changes)
        var remote = ScriptedRemote(world.service)
        let store = store
        remote.answer = { PushResponse(name: $0.name, outcomes: $0.mutations.map { _ in .accepted(key: "red") }) }
        let cycle = EditingRemote(base: remote) {
            var edit = ChangeSet()
            edit.update(RecordID("Tag", "red"), ["color": "mine"])
            edit.update(RecordID("Tag", "blue"), ["color": "mine too"])
            try await store.commit(edit)
        }
        try await sync(with: cycle)
        #expect(try await store.read { try $0.record(RecordID("Tag", "red")) }?["color"] == "mine")
        #expect(try await store.read { try $0.record(RecordID("Tag", "blue")) }?["color"] == "mine too")
        #expect(try await store.refusedRecords.map(\.id) == [RecordID("Tag", "blue")])
        // Once both are alike, the service's key makes one record of them.
        var edit = ChangeSet()
        edit.update(RecordID("Tag", "red"), ["color": "mine too"])
        try await store.commit(edit)
        try await store.releaseRefused(RecordID("Tag", "blue"))
        try await sync(with: remote)
        #expect(try await store.read { try $0.record(RecordID("Tag", "blue")) } == nil)
        #expect(try await store.read { try $0.record(RecordID("Tag", "red")) }?["color"] == "mine too")
        #expect(try await store.refusedRecords.isEmpty)
    }

    /// A remote that lets the app edit before it answers the first push.
    private struct EditingRemote: ForwardingRemote {
        let base: ScriptedRemote
        let edit: @Sendable () async throws -> Void
        let hasEdited = Locked(false)

        func push(_ request: PushRequest) async throws -> PushResponse {
            if hasEdited.exchange(with: true) { return try await base.service.push(request) }
            try await edit()
            return try await base.push(request)
        }
    }
}
