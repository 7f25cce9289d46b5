import DifferentialSync
import DifferentialSyncTesting
import SQLitePersistence
import StoreSync
import Testing

/// Refused records that refer to other refused ones.
@Suite struct ReleasedDependantsTests {
    private let phone: Device
    private let server: any PersistenceAdapter
    private let service: SyncService
    private let project = RecordID("Project", 1)

    init() async throws {
        phone = try await Device("phone", SQLiteAdapter.inMemory(schema: Planner.schema()))
        (server, service) = try Planner.service()
    }

    /// A service refuses a project, and both tasks because it does not have the project.
    private func refuse() async throws {
        let review = Review { change, store in
            guard let new = change.new else { return .accept }
            if new.entity == "Project" { return .refuse(code: "closed", reason: "no more projects") }
            guard new.entity == "Task", try store.record(RecordID("Project", new["project"])) == nil else {
                return .accept
            }
            return .refuse(code: "orphan", reason: "the task has no project")
        }
        let strict = SyncService(server, account: "ada", review: review, makeName: Planner.names("epoch"))
        try await phone.edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 1, "name": "garden"]))
            for id in [1, 2] as [Value] { try changes.put(Record("Task", in: schema, ["id": id, "project": 1])) }
        }
        let outcome = try await phone.sync(with: strict)
        #expect(outcome.refused.map(\.code) == ["closed", "orphan", "orphan"])
    }

    @Test func theyAreReleasedTogether() async throws {
        try await refuse()
        try await phone.store.releaseRefused(project)
        #expect(try await phone.store.refusedRecords.isEmpty)
        let outcome = try await phone.sync(with: service)
        #expect(outcome.isSynced && outcome.pushedCount == 3)
    }

    @Test func anEditOfOneReleasesThoseThatReferToIt() async throws {
        try await refuse()
        try await phone.edit { changes, _ in changes.update(RecordID("Project", 1), ["name": "yard"]) }
        let outcome = try await phone.sync(with: service)
        #expect(outcome.isSynced && outcome.pushedCount == 3)
    }

    @Test func aTaskIsReleasedAlone() async throws {
        try await refuse()
        try await phone.store.releaseRefused(RecordID("Task", 1))
        #expect(try await phone.store.refusedRecords.map(\.id) == [project, RecordID("Task", 2)])
    }

    @Test func aDiscardedProjectTakesItsTasksWithIt() async throws {
        try await refuse()
        try await phone.store.discardLocalChange(of: project)
        #expect(try await phone.sync(with: service).isSynced)
        #expect(try await server.read { try $0.records(Query("Task")) }.isEmpty)
    }
}
