import DifferentialSyncTesting
import EntitySync
import SQLitePersistence
import StoreSync
import SyncCoordination
import Testing

/// The examples in the comments of `Sources/SyncCoordination`, of `Sources/StoreSync`, of the history of stores, and of the
/// virtual clock.
struct DocCommentExamplesOfStoreSync {
    private static func store() throws -> InMemoryAdapter {
        InMemoryAdapter(
            schema: try Schema {
                Entity("ToDo") { Attribute("id", .integer, isPrimaryKey: true) }
            })
    }

    @Test func equalContents() async throws {
        let (here, there) = (try Self.store(), try Self.store())
        for store in [here, there] {
            var changes = ChangeSet()
            changes.keepHistory(true)
            try await store.commit(changes)
        }
        let isEqual = try await here.read { try $0.fingerprint() } == there.read { try $0.fingerprint() }
        #expect(isEqual)
    }

    @Test func whatACycleOfAStoreDid() async throws {
        let service = SyncService(try Self.store(), account: "ada")
        let outcome = try await Self.store().synchronize(with: service)
        let line = "\(outcome.trace)"  // handshake, 3 × pull, push · pulled 250; pushed 3
        #expect(line == "handshake, pull · nothing changed")
    }

    @Test func changesAfterANumber() async throws {
        let store = try Self.store()
        try await store.write { transaction in
            var changes = ChangeSet()
            changes.keepHistory(true)
            try changes.put(Record("ToDo", in: transaction.schema, ["id": 7]))
            try transaction.apply(changes)
        }
        let sent = try await store.read { transaction in
            var sent: [RecordID] = []
            func send(_ record: Record) { sent.append(record.id) }
            func sendDeletion(of id: RecordID) {}
            let cursor: Int64 = 0
            for entry in try transaction.history(after: cursor, limit: 100) {
                if let record = try transaction.record(entry.id) { send(record) } else { sendDeletion(of: entry.id) }
            }
            return sent
        }
        #expect(sent == [RecordID("ToDo", 7)])
    }

    @Test func theStateOfARecord() async throws {
        let store = try Self.store()
        var changes = ChangeSet()
        try changes.put(Record("ToDo", in: store.schema, ["id": 7]))
        try await store.commit(changes)
        let state = try await store.syncState(of: RecordID("ToDo", 7))  // pending
        #expect(state == .pending)
    }

    @Test func whatACycleHasLeft() async throws {
        let store = try Self.store()
        let service = SyncService(try Self.store(), account: "ada")
        var problems: [RecordID] = []
        func print(_ id: RecordID, _ what: Any) { problems.append(id) }
        let outcome = try await store.synchronize(with: service)
        for conflict in outcome.conflicts where conflict.isOpen { print(conflict.id, conflict.fields) }
        for record in outcome.refused { print(record.id, record.reason) }
        #expect(problems.isEmpty && outcome.isSynced)

        func signIn() { Issue.record() }
        func show(_ reason: String) { Issue.record("\(reason)") }
        switch outcome.failure {
        case nil, .later, .throttled, .handshakeNeeded: break  // the next cycle goes on
        case .unauthorized: signIn()
        case .incompatible(let reason), .gone(let reason): show(reason)
        }
    }

    @Test func anotherAccountReplacesTheRecords() async throws {
        let store = try Self.store()
        var changes = ChangeSet()
        try changes.put(Record("ToDo", in: store.schema, ["id": 7]))
        try await store.commit(changes)
        try await store.synchronize(with: SyncService(try Self.store(), account: "ada"))
        let service = SyncService(try Self.store(), account: "grace")
        let outcome = try await store.synchronize(
            with: service,
            choose: { mismatch in
                if case .account = mismatch { .drop } else { mismatch.defaultChoice }
            })
        #expect(outcome.isSynced)
        #expect(try await store.read { try $0.keys(of: "ToDo") } == [])
    }

    @Test func partsOfAnAccount() async throws {
        let schema = try Schema {
            Entity("Project") { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("ToDo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("isDone", .bool)
                Attribute("isDraft", .bool)
            }
        }
        let (store, phone) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
        var changes = ChangeSet()
        try changes.put(Record("ToDo", in: schema, ["id": 1, "isDone": false]))
        try changes.put(Record("ToDo", in: schema, ["id": 2, "isDone": true]))
        try await store.commit(changes)
        let open = SyncScope("open", entities: ["Project", "ToDo"], where: ["ToDo": Field("isDone") == false])
        let service = SyncService(store, account: "ada", scopes: [open])
        let outcome = try await phone.synchronize(with: service, scope: "open")
        #expect(outcome.isSynced)
        #expect(try await phone.read { try $0.keys(of: "ToDo") } == [1])
    }

    @Test func draftsWait() async throws {
        let schema = try Schema {
            Entity("ToDo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("isDraft", .bool)
            }
        }
        let (store, server) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
        let service = SyncService(server, account: "ada")
        var changes = ChangeSet()
        try changes.put(Record("ToDo", in: schema, ["id": 1, "isDraft": true]))
        try changes.put(Record("ToDo", in: schema, ["id": 2]))
        try await store.commit(changes)
        try await store.synchronize(with: service, isReady: { record, _ in record["isDraft"] != true })
        #expect(try await server.read { try $0.keys(of: "ToDo") } == [2])
    }

    @Test func aClock() async throws {
        let clock = VirtualClock()
        let task = Task { try await clock.sleep(for: .seconds(30)) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))  // The task continues.
        try await task.value
    }

    /// Has streams of the app's activity, as a scene has.
    struct Scene: Sendable { func activity() -> AsyncStream<Bool> { AsyncStream { $0.finish() } } }
    /// Has streams of whether the network is there, as a monitor has.
    struct Network: Sendable { func states() -> AsyncStream<Bool> { AsyncStream { $0.finish() } } }

    func aCoordinator(
        _ store: InMemoryAdapter, _ remote: SyncService, _ scene: Scene, _ network: Network,
        show: (SyncStatus) -> Void
    ) async {
        let coordinator = SyncCoordinator(
            of: store, with: remote, activity: { scene.activity() }, reachability: { network.states() })
        await coordinator.start()
        for await status in await coordinator.statuses() { show(status) }
    }

    /// Reports changes of a file.
    final class Watcher: Sendable {
        func onChange(_ body: @escaping @Sendable () -> Void) { body() }
    }

    func wakeUps(_ store: InMemoryAdapter, _ remote: SyncService, _ watcher: Watcher) async {
        let coordinator = SyncCoordinator(
            of: store, with: remote,
            wakeUps: {
                // Each start has a stream of its own.
                let (wakeUps, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                watcher.onChange { wake.yield() }
                return wakeUps
            })
        await coordinator.start()
    }

    func anUndo(_ store: InMemoryAdapter, _ conflict: StoreConflict) async throws {
        let resolved = try await store.resolve(conflict, with: .local)
        try await store.undo(resolved)
    }

    static func upload(_ photo: Record) async throws -> String { "" }

    struct PhotoUploader: ChangeProcessor {
        let name = "photos"
        let work: ProcessorWork? = ProcessorWork("Photo", where: Field("address").isNull, precedesSync: true)

        func process(_ photos: [Record], in context: ProcessorContext) async throws -> [RecordID: ProcessorOutcome] {
            var outcomes: [RecordID: ProcessorOutcome] = [:]
            for photo in photos {
                outcomes[photo.id] = .update(["address": .string(try await upload(photo))])
            }
            return outcomes
        }
    }

    enum OfElements {
        struct Photo: Codable, Identifiable, Equatable, Sendable {
            var id: Int
            var address: String?
        }

        static func upload(_ photo: Photo) async throws -> String { "" }

        struct PhotoUploader: ElementProcessor {
            let name = "photos"
            let entity = "Photo"
            let filter: Filter? = Field("address").isNull

            func process(_ photos: [Photo], in context: ProcessorContext) async throws -> [Photo.ID: ProcessorOutcome] {
                var outcomes: [Photo.ID: ProcessorOutcome] = [:]
                for photo in photos {
                    outcomes[photo.id] = .update(["address": .string(try await upload(photo))])
                }
                return outcomes
            }
        }
    }

    struct SyncLabel: View {
        init(_ status: SyncStatus) {}
        var body: Never { fatalError("a view without a body") }
    }

    @MainActor struct StatusView: View {
        let coordinator: SyncCoordinator

        init(_ coordinator: SyncCoordinator) {
            self.coordinator = coordinator
            sync = ObservedSyncStatus(of: coordinator)
        }

        @State private var sync: ObservedSyncStatus

        var body: some View {
            SyncLabel(sync.status)
                .task { await sync.observe() }
        }
    }
}
