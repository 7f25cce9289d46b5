import DifferentialSyncTesting
import Foundation
import SyncCoordination
import SyncPersistence
import TestSupport

/// A device with photos, a service, and a coordinator between them, in virtual time.
struct PhotoWorld {
    let clock = VirtualClock()
    let server: InMemoryAdapter
    let remote: ScriptedRemote
    let store: any PersistenceAdapter
    let lines = Locked<[String]>([])
    let activity = AsyncStream<Bool>.makeStream()
    let reachability = AsyncStream<Bool>.makeStream()
    let wakeUps = AsyncStream<Void>.makeStream()

    static func schema(hasAddresses: Bool = true) throws -> Schema {
        try Schema {
            Entity("Album") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Relationship("photos", toMany: "Photo", inverse: "album")
            }
            Entity("Photo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                if hasAddresses { Attribute("address", .string) }
                Relationship("album", to: "Album", inverse: "photos")
            }
            Entity("Panorama", parent: "Photo") { Attribute("width", .integer) }
        }
    }

    init(
        _ store: (any PersistenceAdapter)? = nil, review: Review = .acceptAll, limits: SyncLimits = SyncLimits()
    ) throws {
        let schema = try Self.schema()
        server = InMemoryAdapter(schema: schema)
        remote = ScriptedRemote(
            SyncService(server, account: "ada", limits: limits, review: review, makeName: countedNames("epoch")))
        self.store = store ?? InMemoryAdapter(schema: schema)
    }

    /// Returns a coordinator of the store.
    func coordinator(
        _ processors: [any ChangeProcessor] = [], policies: SyncPolicies = SyncPolicies(),
        settings: CoordinatorSettings = CoordinatorSettings(), renew: (@Sendable () async -> Bool)? = nil,
        choose: @escaping @Sendable (RemoteMismatch) async -> RemoteMismatch.Choice = { $0.defaultChoice },
        store other: (any PersistenceAdapter)? = nil, named name: String = "device"
    ) -> SyncCoordinator {
        SyncCoordinator(
            of: other ?? store, with: remote, policies: policies, processors: processors, settings: settings,
            activity: { activity.stream }, reachability: { reachability.stream }, wakeUps: { wakeUps.stream },
            renewAuthorization: renew,
            choose: choose,
            log: { line in lines.withLock { $0.append(line) } }, clock: clock,
            generator: SeededGenerator(seed: 11), date: { Date(timeIntervalSinceReferenceDate: 0) },
            makeName: countedNames(name))
    }
}

extension PhotoWorld {
    /// Stores a photo of the device, or of another store.
    func addPhoto(
        _ id: Int64, _ title: String = "a", entity: String = "Photo", in other: (any PersistenceAdapter)? = nil
    ) async throws {
        var changes = ChangeSet()
        try changes.put(Record(entity, in: Self.schema(), ["id": .integer(id), "title": .string(title)]))
        try await (other ?? store).commit(changes)
    }

    /// Changes values of a photo.
    func setPhoto(_ id: Int64, _ values: [String: Value], in other: (any PersistenceAdapter)? = nil) async throws {
        var changes = ChangeSet()
        changes.update(RecordID("Photo", .integer(id)), values)
        try await (other ?? store).commit(changes)
    }

    func photo(_ id: Int64, in other: (any PersistenceAdapter)? = nil) async throws -> Record? {
        try await (other ?? store).read { try $0.record(RecordID("Photo", .integer(id))) }
    }

    /// Returns the number of photos at the service.
    func serverCount() async throws -> Int { try await server.read { try $0.count(Query("Photo")) } }

    /// Waits until a coordinator waits for a time, and advances by a duration.
    func pass(_ duration: Duration, _ coordinator: SyncCoordinator) async {
        await clock.waitForSleepers()
        clock.advance(by: duration)
        await settle(coordinator)
    }

    /// Waits until a coordinator is idle, and lets the short times pass for which it waits for further changes.
    func settle(_ coordinator: SyncCoordinator) async {
        await settleOnce(coordinator)
        // A commit of the last run may still be on its way: a task of the coordinator receives it, and nothing shows when
        // it has. The number of turns is a guess. A test that depends on such a commit waits for what follows from it.
        for _ in 0..<20 { await Task.yield() }
        await settleOnce(coordinator)
    }

    private func settleOnce(_ coordinator: SyncCoordinator) async {
        let isIdle = Locked(false)
        let task = Task {
            await coordinator.waitUntilIdle()
            isIdle.exchange(with: true)
        }
        while !isIdle.current && !Task.isCancelled {
            clock.advanceToNextDeadline(within: .seconds(1))
            await Task.yield()
        }
        if isIdle.current { await task.value }
    }

    /// Starts a coordinator, and waits until it is idle.
    func start(_ coordinator: SyncCoordinator) async {
        await coordinator.start()
        await settle(coordinator)
    }

    /// Begins a cycle, and waits until the coordinator is idle.
    func sync(_ coordinator: SyncCoordinator) async {
        await coordinator.syncNow()
        await settle(coordinator)
    }
}
