import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import TestSupport
import Testing

/// A cycle of related records that ends at any request, and at any transaction of its store.
@Suite struct InterruptedCycleTests {
    /// A phone and a laptop that have both changed what they share.
    private struct World {
        let base: InMemoryAdapter
        let laptop: Device
        let server: any PersistenceAdapter
        let service: SyncService

        init() async throws {
            base = InMemoryAdapter(schema: try Planner.schema())
            laptop = try Device("laptop")
            (server, service) = try Planner.service(limits: SyncLimits(pageRecords: 3, pushRecords: 3))
            let phone = try phone()
            try await laptop.edit { changes, schema in
                try changes.put(Record("Area", in: schema, ["id": 1, "name": "Garden"]))
                for id in 1...4 {
                    try changes.put(Record("Project", in: schema, ["id": .integer(Int64(id)), "area": 1]))
                    try changes.put(
                        Record("Task", in: schema, ["id": .integer(Int64(id)), "project": .integer(Int64(id))]))
                }
            }
            try await laptop.sync(with: service)
            try await phone.sync(with: service)
            try await laptop.edit { changes, schema in
                for id in 5...9 { try changes.put(Record("Tag", in: schema, ["id": .integer(Int64(id))])) }
                changes.update(RecordID("Task", 1), ["title": "Mow"])
                changes.delete(RecordID("Project", 4))
            }
            try await laptop.sync(with: service)
            try await phone.edit { changes, schema in
                for id in 1...4 { try changes.put(Record("Tag", in: schema, ["id": .integer(Int64(id))])) }
                changes.link(RecordID("Task", 1), "tags", to: 1)
                changes.update(RecordID("Task", 1), ["isDone": true])
                changes.update(RecordID("Project", 2), ["name": "Fence"])
                changes.delete(RecordID("Project", 3))
            }
        }

        /// The phone, whose store fails at a place.
        func phone(failing failure: FailingAdapter.Failure? = nil) throws -> Device {
            try Device("phone \(failure.map { "\($0)" } ?? "")", FailingAdapter(base, at: failure))
        }

        /// Synchronizes both devices to the end, and checks that all edits are everywhere.
        func check(_ place: String) async throws {
            let phone = try phone()
            for device in [phone, laptop, phone] {
                #expect(try await device.sync(with: service).isSynced, "\(place)")
            }
            for store in [phone.store, laptop.store, server] {
                let (tags, projects) = try await store.read { transaction in
                    (Set(try transaction.keys(of: "Tag")), Set(try transaction.keys(of: "Project")))
                }
                #expect(tags == Set((1...9).map { .integer($0) }), "\(place)")
                #expect(projects == [1, 2], "\(place)")
                let task = try await store.read { try $0.record(RecordID("Task", 1)) }
                #expect(task?["title"] == "Mow" && task?["isDone"] == true, "\(place)")
                #expect(try await store.read { try $0.related(RecordID("Task", 1), "tags") } == [1], "\(place)")
                #expect(try await store.read { try $0.record(RecordID("Project", 2))?["name"] } == "Fence", "\(place)")
            }
        }
    }

    /// What happens at a request.
    enum Interruption: CaseIterable {
        /// The caller is cancelled before the service receives the request.
        case cancelledRequest
        /// The caller is cancelled after the service has answered.
        case cancelledAnswer
        /// The service has answered, and a proxy sends an error page instead, with status 200.
        case errorPage
    }

    /// A service one of whose requests is interrupted.
    private struct InterruptingRemote: Remote {
        let service: SyncService
        let place: Int
        let interruption: Interruption
        let task = Locked<Task<StoreSync.StoreOutcome, any Error>?>(nil)
        let count = Locked(0)

        func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
            try await answer { try await service.handshake(request) }
        }

        func pull(_ request: PullRequest) async throws -> PullResponse {
            try await answer { try await service.pull(request) }
        }

        func push(_ request: PushRequest) async throws -> PushResponse {
            try await answer { try await service.push(request) }
        }

        /// Whether the place was reached.
        var isReached: Bool { count.current >= place }

        private func answer<Response: Sendable>(_ body: () async throws -> Response) async throws -> Response {
            let number = count.next()
            if number < place { return try await body() }
            if interruption != .cancelledRequest { _ = try await body() }
            if number == place && interruption == .errorPage {
                throw RemoteError.incompatible("the response is not the message: <html>")
            }
            task.current?.cancel()
            throw CancellationError()
        }
    }

    @Test(arguments: Interruption.allCases)
    func aCycleThatIsInterruptedAtARequestLosesNothing(interruption: Interruption) async throws {
        var place = 1
        while true {
            let world = try await World()
            let phone = try world.phone()
            let remote = InterruptingRemote(service: world.service, place: place, interruption: interruption)
            // The task begins once the remote knows it.
            let (starts, start) = AsyncStream<Void>.makeStream()
            let task = Task {
                for await _ in starts { break }
                return try await phone.sync(with: remote)
            }
            remote.task.withLock { $0 = task }
            start.finish()
            let result = await task.result
            if !remote.isReached {
                #expect(try result.get().isSynced)
                break
            }
            if interruption == .errorPage {
                #expect(try result.get().failure != nil)
            } else {
                #expect(throws: CancellationError.self) { try result.get() }
            }
            try await world.check("\(interruption) at request \(place)")
            place += 1
        }
        #expect(place > 8)
    }

    @Test(arguments: [FailingAdapter.Failure.beforeCommit, FailingAdapter.Failure.afterCommit])
    func aStoreThatFailsLosesNothing(kind: @Sendable (Int) -> FailingAdapter.Failure) async throws {
        var place = 1
        while true {
            let world = try await World()
            let phone = try world.phone(failing: kind(place))
            do {
                #expect(try await phone.sync(with: world.service).isSynced)
                break
            } catch is SimulatedFailure {
                try await world.check("\(kind(place))")
                place += 1
            }
        }
        #expect(place > 5)
    }
}
