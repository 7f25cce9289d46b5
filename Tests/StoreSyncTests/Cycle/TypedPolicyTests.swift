import DifferentialSync
import StoreSync
import Testing

private typealias Task = TypedPlanner.Task

/// Policies for elements of an app's own type.
struct TypedPolicyTests {
    private let planner: TypedPlanner
    private let phone: Device
    private let laptop: Device
    private let service: SyncService

    init() throws {
        planner = try TypedPlanner()
        (phone, laptop, service) = (planner.phone, planner.laptop, planner.service)
    }

    /// Both devices have a task, which both edit; the laptop is first.
    private func edit(
        phone: @escaping @Sendable (inout Task) -> Void, laptop: @escaping @Sendable (inout Task) -> Void
    ) async throws {
        try await planner.share()
        try await planner.tasks(self.phone).edit(1, phone)
        try await planner.tasks(self.laptop).edit(1, laptop)
        try await self.laptop.sync(with: service)
    }

    private func expectBoth(_ expected: Task) async throws {
        try await laptop.sync(with: service)
        for device in [phone, laptop] { #expect(try await planner.tasks(device).element(1) == expected) }
    }

    @Test(arguments: [true, false])
    func aPolicyDecidesAboutValuesThatItsTypeDoesNotRead(localWins: Bool) async throws {
        try await edit {
            $0.priority = 2
        } laptop: {
            ($0.title, $0.priority) = ("dig deep", 3)
        }
        let titles = try await planner.titles()
        var policies = SyncPolicies()
        policies.set(localWins ? .localWins : .remoteWins, for: titles)
        let outcome = try await phone.sync(with: service, policies)
        #expect(outcome.conflicts.map(\.fields) == [["priority"]])
        try await expectBoth(Task(id: 1, title: "dig deep", priority: localWins ? 2 : 3, tags: ["spring"]))
    }

    @Test(arguments: [true, false])
    func aPolicyDecidesAboutADeletionBesideAnEditThatItsTypeDoesNotRead(isDeletedHere: Bool) async throws {
        try await edit {
            if !isDeletedHere { $0.priority = 5 }
        } laptop: {
            if isDeletedHere { $0.priority = 5 }
        }
        let deleting = isDeletedHere ? phone : laptop
        try await planner.tasks(deleting).remove(1)
        if !isDeletedHere { try await laptop.sync(with: service) }
        let titles = try await planner.titles()
        var policies = SyncPolicies()
        policies.set(.keepEdits(otherwise: .leaveOpen), for: titles)
        let outcome = try await phone.sync(with: service, policies)
        #expect(outcome.conflicts.count == 1)
        try await laptop.sync(with: service)
        for device in [phone, laptop] { #expect(try await planner.tasks(device).element(1)?.priority == 5) }
    }

    @Test func aPolicyIsOnlyAboutConflictsAndKeepsTheEditsThatItsTypeDoesNotRead() async throws {
        try await edit {
            ($0.title, $0.priority) = ("dig wide", 2)
        } laptop: {
            $0.title = "dig deep"
        }
        let titles = try await planner.titles()
        var policies = SyncPolicies()
        policies.set(.remoteWins, for: titles)
        try await phone.sync(with: service, policies)
        try await expectBoth(Task(id: 1, title: "dig deep", priority: 2, tags: ["spring"]))
    }

    @Test func aPolicyOfATypeWithKeysOfOtherRecordsResolvesConflicts() async throws {
        try await edit {
            ($0.title, $0.tags) = ("dig wide", ["home", "spring"])
        } laptop: {
            ($0.title, $0.priority) = ("dig deep", 5)
        }
        var policies = SyncPolicies()
        policies.set(
            ConflictPolicy { conflict in
                guard var task = conflict.local, let other = conflict.remote else { return .open }
                #expect(task.tags.isEmpty && other.tags.isEmpty)
                task.title = "\(other.title), \(task.title)"
                return .merged(task)
            }, for: try await planner.tasks(phone))
        try await phone.sync(with: service, policies)
        try await laptop.sync(with: service)
        for device in [phone, laptop] {
            let task = try #require(try await planner.tasks(device).element(1))
            #expect(task.title == "dig deep, dig wide" && task.priority == 5)
            #expect(Set(task.tags) == ["home", "spring"])
        }
    }

    @Test func aPolicyThatChangesKeysOfOtherRecordsIsAnError() async throws {
        try await edit {
            $0.title = "dig wide"
        } laptop: {
            $0.title = "dig deep"
        }
        var policies = SyncPolicies()
        policies.set(
            ConflictPolicy { .merged(Task(id: 1, title: $0.local?.title ?? "", priority: 1, tags: ["home"])) },
            for: try await planner.tasks(phone))
        let error = try await #require(throws: PersistenceError.self) { try await phone.sync(with: service, policies) }
        #expect(error.code == .wrongType && error.property == "tags")
        #expect(try await planner.tasks(phone).element(1)?.title == "dig wide")
    }
}
