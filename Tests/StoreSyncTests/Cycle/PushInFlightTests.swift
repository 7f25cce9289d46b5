import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import Testing

/// What a store keeps of a push that has no response yet.
@Suite struct PushInFlightTests {
    /// A device whose push of 100 tags and two areas has reached the service, without a response.
    private struct World {
        let device: Device
        let service: SyncService

        init() async throws {
            device = try Device("phone")
            service = try Planner.service().service
            try await device.edit { changes, schema in
                try changes.put(Record("Area", in: schema, ["id": 2, "parent": 1]))
                try changes.put(Record("Area", in: schema, ["id": 1]))
                for id in 0..<100 {
                    try changes.put(Record("Tag", in: schema, ["id": .integer(Int64(id)), "name": "a tag"]))
                }
            }
            var remote = ScriptedRemote(service)
            remote.losesAnswers = true
            #expect(try await device.sync(with: remote).failure == .later())
        }

        var rows: [Record] {
            get async throws { try await device.store.read { try $0.records(Query("sync.inFlight")) } }
        }

        func name(_ id: Value, in store: any PersistenceAdapter) async throws -> Value? {
            try await store.read { try $0.record(RecordID("Tag", id))?["name"] }
        }
    }

    @Test func keysOfAnEntityAreOneRow() async throws {
        let world = try await World()
        #expect(try await world.rows.count == 2)
        #expect(try await world.device.store.syncState.inFlight.count == 102)
        #expect(try await world.device.sync(with: world.service).isSynced)
        #expect(try await world.rows.isEmpty)
        #expect(try await world.service.pullAll().count == 102)
    }

    @Test func editsWhileAPushIsInFlightAreSentAfterIt() async throws {
        let world = try await World()
        try await world.device.edit { changes, _ in
            changes.update(RecordID("Tag", 7), ["name": "edited"])
            changes.delete(RecordID("Tag", 8))
        }
        // The sent versions of the two records.
        #expect(try await world.rows.count == 4)
        try await world.device.edit { changes, _ in changes.update(RecordID("Tag", 7), ["name": "edited again"]) }
        #expect(try await world.rows.count == 4)
        let outcome = try await world.device.sync(with: world.service)
        #expect(outcome.isSynced && outcome.pushedCount == 104 && outcome.conflicts.isEmpty)
        #expect(try await world.rows.isEmpty)
        let entries = try await world.service.pullAll()
        #expect(entries[RecordID("Tag", 7)] == .present(tag(7, "edited again")))
        #expect(entries[RecordID("Tag", 8)] == .deleted)
    }

    @Test func keyOfARecordInFlightCanChange() async throws {
        let world = try await World()
        try await world.device.store.write { transaction in
            try transaction.changeKey(of: RecordID("Tag", 7), to: 1_007, origin: .local)
        }
        #expect(try await world.device.sync(with: world.service).isSynced)
        let outcome = try await world.device.sync(with: world.service)
        #expect(outcome.isSynced)
        #expect(try await world.name(1_007, in: world.device.store) == "a tag")
        #expect(try await world.name(7, in: world.device.store) == nil)
        let entries = try await world.service.pullAll()
        #expect(entries[RecordID("Tag", 1_007)] == .present(tag(1_007, "a tag")))
    }

    /// The service sets a value of each changed record, and the record is deleted before the answer arrives.
    @Test(arguments: [true, false])
    func aDeletionIsNoConflictWithAValueThatTheServiceSets(keepsEdits: Bool) async throws {
        let review = Review { change, _ in
            change.old == nil || change.new == nil ? .accept : .amend(["name": "set by the service"])
        }
        let (server, service) = try Planner.service(review: review)
        let phone = try Device("phone")
        try await phone.edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 1, "name": "a"]))
        }
        #expect(try await phone.sync(with: service).isSynced)
        try await phone.edit { changes, _ in changes.update(RecordID("Project", 1), ["budget": 5]) }
        let remote = LateAnswers(base: service) {
            try await phone.edit { changes, _ in changes.delete(RecordID("Project", 1)) }
        }
        let policy: ConflictPolicy<Record> = keepsEdits ? .keepEdits(otherwise: .leaveOpen) : .leaveOpen
        let outcome = try await phone.sync(with: remote, SyncPolicies(policy))
        #expect(outcome.isSynced && outcome.conflicts.isEmpty, "\(outcome)")
        #expect(try await phone.record("Project", 1) == nil)
        #expect(try await server.read { try $0.record(RecordID("Project", 1)) } == nil)
    }

    /// The server merges, so its values may be those of another device.
    @Test(arguments: [true, false])
    func anEditMeetsTheEditOfAnotherInAnAnswerByThePolicy(mayHaveEditsOfOthers: Bool) async throws {
        let review = Review { change, _ in change.old == nil ? .accept : .amend(["name": "theirs"]) }
        let service = try Planner.service(review: review).service
        let phone = try Device("phone")
        try await phone.edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 1, "name": "a"]))
        }
        #expect(try await phone.sync(with: service).isSynced)
        try await phone.edit { changes, _ in changes.update(RecordID("Project", 1), ["budget": 5]) }
        let isEdited = Locked(false)
        let remote = LateAnswers(base: service, mayHaveEditsOfOthers: mayHaveEditsOfOthers) {
            if isEdited.exchange(with: true) { return }
            try await phone.edit { changes, _ in changes.update(RecordID("Project", 1), ["name": "mine"]) }
        }
        let outcome = try await phone.sync(with: remote)
        #expect(outcome.conflicts.map(\.fields) == (mayHaveEditsOfOthers ? [["name"]] : []))
    }
}

/// A service before whose answers to updates something happens.
private struct LateAnswers: ForwardingRemote {
    let base: SyncService
    var mayHaveEditsOfOthers = false
    /// Called after the service has made a push that begins with an update.
    let hook: @Sendable () async throws -> Void

    func push(_ request: PushRequest) async throws -> PushResponse {
        var response = try await base.push(request)
        response.mayHaveEditsOfOthers = mayHaveEditsOfOthers
        if case .update? = request.mutations.first?.change { try await hook() }
        return response
    }
}

/// Returns the values of a tag.
private func tag(_ id: Value, _ name: Value) -> ValueObject {
    ValueObject([ValueObject.Member(name: "id", value: id), ValueObject.Member(name: "name", value: name)])
}

extension SyncService {
    /// Returns the last states of all records that were ever changed, as a new device receives them.
    fileprivate func pullAll() async throws -> [RecordID: PullResponse.State] {
        let entities = ["Area": ["id", "name", "parent"], "Tag": ["id", "name"]]
        let greeting = try await handshake(
            HandshakeRequest(device: "reader", cursor: nil, lastPush: nil, entities: entities))
        let page = try await pull(
            PullRequest(device: "reader", cursor: SyncCursor(epoch: greeting.epoch, sequence: 0), comparison: 0))
        return Dictionary(page.entries.map { ($0.id, $0.state) }) { $1 }
    }
}
