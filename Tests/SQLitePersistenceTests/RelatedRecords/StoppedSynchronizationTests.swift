import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

/// An app drops a collection that it has synchronized so far, and keeps its records.
@Suite(.needsStores) struct StoppedSynchronizationTests {
    /// A phone that has deleted project 1, and a tablet that waits for the tasks of it.
    private func devices(
        _ kind: StoreKind, edit: Bool = false
    ) async throws -> (phone: RelatedDevice, tablet: RelatedDevice) {
        let remotes = try RelatedRemotes()
        let (phone, tablet) = (try await remotes.device(kind), try await remotes.device(kind))
        try await phone.put("Project", ["id": 1, "name": "a"])
        try await phone.put("Task", ["id": 1, "project": 1], ["id": 2, "project": 1])
        for device in [phone, tablet] { try await device.sync(remotes.names) }
        try await phone.delete("Project", 1)
        try await phone.sync("Project")
        if edit { try await tablet.update("Task", 1, ["name": "mine"]) }
        try await tablet.sync("Project")
        #expect(try await tablet.waiting("Project") == [1])
        return (phone, tablet)
    }

    private func tasks(_ device: RelatedDevice) async throws -> PersistentCollection<Record, Value> {
        try await device.store.recordCollection(of: "Task")
    }

    @Test(arguments: StoreKind.allCases)
    func deletionsDoNotWaitForItsRecordsAnyMore(kind: StoreKind) async throws {
        let (_, tablet) = try await devices(kind)
        try await tasks(tablet).stopSynchronizing()
        #expect(try await tablet.keys("Task") == [1, 2])
        try await tablet.sync("Project")
        #expect(try await tablet.keys("Project") == [])
        #expect(try await tablet.keys("Task") == [])
        #expect(try await tablet.waiting("Project") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func recordWithALocalChangeIsStillKept(kind: StoreKind) async throws {
        let (_, tablet) = try await devices(kind, edit: true)
        try await tasks(tablet).stopSynchronizing()
        try await tablet.sync("Project")
        #expect(try await tablet.waiting("Project") == [1])
        #expect(try await tablet.value("Task", 1, "name") == "mine")
        let projects = try await tablet.store.recordCollection(of: "Project")
        try await projects.resolve(1, with: .remote, of: try #require(try await projects.waiting.first))
        #expect(try await tablet.keys("Project") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func whatWaitsIsForgottenAndAConflictBecomesALocalChange(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Task", ["id": 3])
        for device in [phone, tablet] { try await device.sync("Task") }
        try await phone.put("Project", ["id": 8])
        try await phone.put("Task", ["id": 8, "project": 8])
        try await phone.update("Task", 3, ["name": "theirs"])
        try await phone.sync("Task")
        try await tablet.update("Task", 3, ["name": "mine"])
        try await tablet.sync("Task")
        #expect(try await tablet.conflicts("Task") == [3])
        #expect(try await tablet.waiting("Task") == [8])
        try await tasks(tablet).stopSynchronizing()
        #expect(try await tablet.entries("Task").map(\.entry.id.key) == [3])
        #expect(try await tablet.conflicts("Task") == [])
        #expect(try await tablet.value("Task", 3, "name") == "mine")
        #expect(try await tasks(tablet).version == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func laterCycleBeginsAnewAndDeletesNothing(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind, edit: true)
        try await tasks(tablet).stopSynchronizing()
        try await phone.put("Task", ["id": 3])
        try await phone.sync("Task")
        try await tablet.sync(["Task"], settling: .local)
        #expect(try await tablet.value("Task", 1, "name") == "mine")
        #expect(try await tablet.keys("Task") == [1, 2, 3])
        try await tablet.sync("Project")
        #expect(try await tablet.waiting("Project") == [1], "the tasks are synchronized again")
    }

    @Test(arguments: StoreKind.allCases)
    func itStillBelongsToItsAccount(kind: StoreKind) async throws {
        let (_, tablet) = try await devices(kind)
        let tasks = try await tasks(tablet)
        try await tasks.stopSynchronizing()
        var other = DurableCycle(tasks, pushID: "x", account: "somebody else", policy: .leaveOpen)
        let error = await #expect(throws: CycleError.self) { _ = try await other.begin() }
        #expect(error?.code == .otherAccount)
    }

    @Test(arguments: StoreKind.allCases)
    func cycleThatIsUnderWayIsOvertaken(kind: StoreKind) async throws {
        let (_, tablet) = try await devices(kind, edit: true)
        let (tasks, server) = (try await tasks(tablet), try #require(tablet.remotes.records["Task"]))
        var cycle = DurableCycle(tasks, pushID: "x", account: try #require(try await tasks.account), policy: .leaveOpen)
        guard case .push(let push) = try await cycle.begin() else { throw CancellationError() }
        try await tasks.stopSynchronizing()
        #expect(try await tasks.pendingPush == nil)
        let answer = try await server.push(push)
        let error = await #expect(throws: PersistenceError.self) { _ = try await cycle.pushed(answer) }
        #expect(error?.code == .cycleOvertaken)
    }

    @Test(arguments: StoreKind.allCases)
    func collectionWithoutCyclesIsLeftAlone(kind: StoreKind) async throws {
        let store = try await kind.store(.planner())
        let sequence = try await store.read { try $0.sequence }
        try await store.recordCollection(of: "Task").stopSynchronizing()
        #expect(try await store.read { try $0.sequence } == sequence)
    }
}
