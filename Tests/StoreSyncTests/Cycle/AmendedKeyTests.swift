import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// Records to which the service gives another key, while they are changed here.
@Suite struct AmendedKeyTests: PlannerSuite {
    let shared: SharedPlanner

    init() throws {
        let review = Review { change, _ in
            guard change.old == nil, case .integer(let key)? = change.new?.key, key < 1_000 else { return .accept }
            return .amend(key: .integer(key + 1_000))
        }
        shared = try SharedPlanner(review: review)
    }

    /// Inserts a project with a task that has a tag, and changes them while they are sent.
    private func change(_ body: @escaping @Sendable (inout ChangeSet) -> Void) async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 1, "name": "garden"]))
            try changes.put(Record("Task", in: schema, ["id": 1, "title": "dig", "project": 1]))
            try changes.put(Record("Tag", in: schema, ["id": 1, "name": "spring"]))
            changes.link(RecordID("Task", 1), "tags", to: 1)
        }
        let isDone = Locked(false)
        let (phone, service) = (phone, service)
        let remote = AnsweringRemote(base: service) {
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { try await phone.edit { changes, _ in body(&changes) } }
        }
        let outcome = try await phone.sync(with: remote)
        #expect(outcome.failure == nil)
        for device in [phone, laptop] { #expect(try await device.sync(with: service).isSynced) }
        try await expectAgreement()
    }

    private func keys(_ entity: String) async throws -> [Value] { try await server.read { try $0.keys(of: entity) } }

    @Test func anEditIsSentUnderTheNewKey() async throws {
        try await change { $0.update(RecordID("Task", 1), ["title": "dig deep"]) }
        #expect(try await laptop.value("Task", 1_001, "title") == "dig deep")
        #expect(try await laptop.related("Task", 1_001, "tags") == [1_001])
    }

    @Test func aDeletionIsSentUnderTheNewKey() async throws {
        try await change { $0.delete(RecordID("Tag", 1)) }
        #expect(try await keys("Tag") == [])
        #expect(try await keys("Task") == [1_001])
    }

    @Test func aDeletionWithWhatDependsOnItIsSentUnderTheNewKeys() async throws {
        try await change { $0.delete(RecordID("Project", 1)) }
        #expect(try await keys("Project") == [])
        #expect(try await keys("Task") == [])
        #expect(try await keys("Tag") == [1_001])
    }
}

/// A remote that calls a function before the device receives the answer to a push.
private struct AnsweringRemote: ForwardingRemote {
    let base: SyncService
    let beforeAnswer: @Sendable () async throws -> Void

    func push(_ request: PushRequest) async throws -> PushResponse {
        let response = try await base.push(request)
        try await beforeAnswer()
        return response
    }
}
