import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// The examples of `StoreSync`: its guides, its landing page and its documentation comments.
struct StoreSyncExamples {
    private struct ToDo: Codable, Equatable, Identifiable {
        let id: Int
        var title: String
        var modified = 0
    }

    private let schema: Schema
    private let phone: InMemoryAdapter
    private let serverStore: InMemoryAdapter
    private var store: InMemoryAdapter { phone }
    private var service: SyncService { SyncService(serverStore, account: "ada") }

    init() throws {
        schema = try Schema([
            Entity("ToDo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("isDone", .bool)
                Attribute("isLocked", .bool)
            }
        ])
        (phone, serverStore) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
    }

    private func show(_ outcome: StoreSync.StoreOutcome) { Issue.record("\(outcome)") }

    private func put(_ title: Value, _ store: InMemoryAdapter) async throws {
        let record = try Record("ToDo", in: schema, ["id": 1, "title": title])
        try await store.write { transaction in
            var changes = ChangeSet()
            changes.put(record)
            try transaction.apply(changes)
        }
    }

    private func title(_ store: InMemoryAdapter) async throws -> Value? {
        try await store.read { try $0.record(RecordID("ToDo", 1))?["title"] }
    }

    @Test func synchronizing() async throws {
        try await put("Dig", phone)
        let service = SyncService(serverStore, account: "ada")
        let outcome = try await phone.synchronize(with: service)
        if !outcome.isSynced { show(outcome) }
        #expect(try await title(serverStore) == "Dig")
    }

    @Test func calling() async throws {
        let remote = service
        do {
            let outcome = try await store.synchronize(with: remote)
            if !outcome.isSynced { show(outcome) }
        }
        do {
            let outcome = try await store.synchronize(with: service)
            if !outcome.isSynced { show(outcome) }
        }
    }

    @Test func tellingTheState() async throws {
        try await put("Dig", phone)
        let state = try await store.syncState
        print("\(state.pendingCounts.values.reduce(0, +)) changes to send, \(state.openConflicts.count) to resolve")
        #expect(state.pendingCounts == ["ToDo": 1])
    }

    @Test func dismissingWhatWasShown() async throws {
        func show(_ inbox: StoreInbox) { #expect(inbox.isEmpty) }
        let inbox = try await store.read { try $0.inbox }
        show(inbox)
        try await store.dismissUnsentDeletions(of: inbox.unsentDeletions)
    }

    @Test func answering() async throws {
        let store = serverStore
        try await put("Dig", phone)
        let service = SyncService(store, account: "ada")
        try await phone.synchronize(with: service)
        #expect(try await title(serverStore) == "Dig")
    }

    @Test func removingDevices() async throws {
        try await phone.synchronize(with: service)
        let lost = try await Set([phone.syncState.device])
        for device in try await service.devices() where lost.contains(device.identifier) {
            try await service.removeDevice(device.identifier)
        }
        #expect(try await service.devices().isEmpty)
    }

    @Test func policies() async throws {
        let notes = try await phone.collection(of: Note.self, entity: "Note")
        var policies = SyncPolicies(.keepEdits(otherwise: .leaveOpen))
        policies["Draft"] = .localWins
        policies.set(.newest(by: \.modified), for: notes)
        try await phone.synchronize(with: service, policies: policies)
    }

    @Test func policiesOfEntities() async throws {
        var policies = SyncPolicies(.keepEdits(otherwise: .leaveOpen))
        policies["Draft"] = .localWins
        try await store.synchronize(with: service, policies: policies)

        let store = InMemoryAdapter(schema: try Schema([]))
        let todos = try await store.collection(of: ToDo.self, entity: "ToDo")
        policies.set(.newest(by: \.modified), for: todos)
    }

    @Test func conflicts() async throws {
        let laptop = InMemoryAdapter(schema: schema)
        try await put("Dig", phone)
        for device in [phone, laptop] { try await device.synchronize(with: service) }
        try await put("Dig deep", phone)
        try await put("Dig wide", laptop)
        for device in [laptop, phone] { try await device.synchronize(with: service) }
        #expect(try await phone.openConflicts.count == 1)
        for conflict in try await phone.openConflicts {
            // conflict.versions has the base, the local and the remote version; conflict.fields names what clashes.
            try await phone.resolve(conflict, with: .remote)
        }
        #expect(try await title(phone) == "Dig wide")
        for conflict in try await store.openConflicts {
            try await store.resolve(conflict, with: .local)
        }
    }

    @Test func stepping() async throws {
        let policies = SyncPolicies()
        try await store.write { transaction in
            var cycle = StoreCycle(policies: policies, makeName: { UUID().uuidString })
            var step = try cycle.begin(in: transaction)
            step = try cycle.failed(.later(), in: transaction)
            #expect(step == .finished(cycle.outcome))
        }
    }

    private func trimmed(_ value: Value?) -> Value { value ?? .null }

    @Test func reviewing() async throws {
        let review = Review { change, store in
            guard let todo = change.new, todo.entity == "ToDo" else { return .accept }
            if change.old?["isLocked"] == true { return .unauthorized }
            if todo["title"] == "" { return .refuse(code: "title", reason: "A to-do needs a title.") }
            return .amend(["title": trimmed(todo["title"])])
        }
        let service = SyncService(serverStore, account: "ada", review: review)
        try await put("", phone)
        #expect(try await phone.synchronize(with: service).refused.map(\.code) == ["title"])
    }

    @Test func scopes() {
        let open = SyncScope("open", entities: ["Project", "ToDo"], where: ["ToDo": Field("isDone") == false])
        #expect(open.name == "open")
    }

    @Test func objects() async throws {
        try await put("Dig", phone)
        let remote = ObjectRemote(InMemoryObjects(), account: "ann")
        try await store.synchronize(with: remote)
        let laptop = InMemoryAdapter(schema: schema)
        try await laptop.synchronize(with: remote)
        #expect(try await title(laptop) == "Dig")
    }

    @Test func folders() async throws {
        let temporary = TemporaryFolder()
        let folder = temporary.path
        let remote = ObjectRemote(try FolderObjects(path: folder), account: "family")
        #expect(try await phone.synchronize(with: remote).isSynced)
    }

    @Test func messages() throws {
        let request = PullRequest(device: "phone", cursor: SyncCursor(epoch: "a1", sequence: 7))
        let received = try PullRequest(data: request.data)
        #expect(received == request)
    }

    private struct Connection {
        let service: SyncService

        func send(_ body: Data, to path: String) async throws -> (status: Int, body: Data) {
            (200, try await service.pull(PullRequest(data: body)).data)
        }

        func pull(_ request: PullRequest) async throws -> PullResponse {
            let (status, body) = try await send(request.data, to: "pull")
            guard status == 200 else { throw RemoteError.later(after: nil) }
            return try PullResponse(data: body)
        }
    }

    @Test func carrying() async throws {
        let greeting = try await service.handshake(
            HandshakeRequest(device: "phone", cursor: nil, lastPush: nil, entities: ["ToDo": ["id", "title"]]))
        let request = PullRequest(device: "phone", cursor: SyncCursor(epoch: greeting.epoch, sequence: 0))
        #expect(try await Connection(service: service).pull(request).entries.isEmpty)
    }
}
