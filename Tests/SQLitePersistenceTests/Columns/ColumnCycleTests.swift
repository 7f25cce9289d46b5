import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// Elements that are stored by column are synchronized with a remote of their type.
@Suite(.needsStores) struct ColumnCycleTests {
    /// An earlier version of ``JobTitle``, which does not read the project.
    private struct BareTitle: Codable, Identifiable, Equatable, Sendable {
        var id: UUID
        var title: String
    }

    private let uuid = ColumnModel.uuid

    private func titles(_ kind: StoreKind) async throws -> PersistentCollection<JobTitle, UUID> {
        try await ColumnModel.store(kind).collection(of: JobTitle.self, entity: "Job")
    }

    @Test(arguments: StoreKind.allCases)
    func devicesAgreeAndTheTypedPolicyDecides(kind: StoreKind) async throws {
        let server = SimulatedRemoteServer<JobTitle, UUID>(primaryKey: \.id)
        let (phone, tablet) = (try await titles(kind), try await titles(kind))
        try await phone.insert(JobTitle(id: uuid(1), title: "Paint", project: "A"))
        for device in [phone, tablet] {
            #expect(try await device.synchronize(with: server, pushID: "\(UUID())", policy: .localWins).isSynced)
        }
        #expect(try await tablet.elements() == [JobTitle(id: uuid(1), title: "Paint", project: "A")])
        try await phone.edit(uuid(1)) { $0.title = "Paint the door" }
        try await tablet.edit(uuid(1)) { $0.project = nil }
        let policy = ConflictPolicy<JobTitle> { conflict in
            guard var merged = conflict.local, let remote = conflict.remote else { return .open }
            if conflict.base?.title == merged.title { merged.title = remote.title }
            return .merged(merged)
        }
        for device in [phone, tablet, phone] {
            #expect(try await device.synchronize(with: server, pushID: "\(UUID())", policy: policy).isSynced)
        }
        let expected = JobTitle(id: uuid(1), title: "Paint the door", project: nil)
        #expect(try await phone.elements() == [expected])
        #expect(try await tablet.elements() == [expected])
        #expect(try await tablet.localDiff == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func anElementWaitsForItsTarget(kind: StoreKind) async throws {
        let server = SimulatedRemoteServer<JobTitle, UUID>(primaryKey: \.id)
        let (phone, tablet) = (try await titles(kind), try await titles(kind))
        let projects = try await phone.store.collection(of: Project.self, entity: "Project")
        try await projects.insert(Project(id: "B"))
        try await phone.insert(JobTitle(id: uuid(1), title: "Paint", project: "B"))
        for device in [phone, tablet] {
            _ = try await device.synchronize(with: server, pushID: "\(UUID())", policy: .localWins)
        }
        #expect(try await tablet.count == 0)
        #expect(try await tablet.waiting.map(\.remote?.project) == ["B"])
        try await tablet.store.collection(of: Project.self, entity: "Project").insert(Project(id: "B"))
        #expect(try await tablet.elements().map(\.project) == ["B"])
    }

    @Test(arguments: StoreKind.allCases)
    func aMemberThatAnUpdateReadsIsPulledBeforeItIsPushed(kind: StoreKind) async throws {
        let store = try await ColumnModel.store(kind)
        var remote = SimulatedRemote<BareTitle, UUID>(primaryKey: \.id)
        remote.reset(to: [BareTitle(id: uuid(1), title: "Paint")])
        let old = try await store.collection(of: BareTitle.self, entity: "Job")
        _ = try await old.synchronize(with: SimulatedRemoteServer(remote), pushID: "1", policy: .localWins)
        #expect(try await old.elements() == [BareTitle(id: uuid(1), title: "Paint")])

        // The same server, in the same state, read by the new type.
        var newRemote = SimulatedRemote<JobTitle, UUID>(primaryKey: \.id)
        newRemote.reset(to: [JobTitle(id: uuid(1), title: "Paint", project: "A")])
        let server = SimulatedRemoteServer(newRemote)
        let new = try await store.collection(of: JobTitle.self, entity: "Job")
        try await new.edit(uuid(1)) { $0.title = "Paint the door" }
        #expect(try await new.synchronize(with: server, pushID: "2", policy: .localWins).isSynced)
        #expect(try await new.elements() == [JobTitle(id: uuid(1), title: "Paint the door", project: "A")])
        #expect(await server.remote.elements == [JobTitle(id: uuid(1), title: "Paint the door", project: "A")])
    }

    @Test(arguments: StoreKind.allCases)
    func aTypeWithLinksOfOtherRecordsHasNoCycle(kind: StoreKind) async throws {
        let server = SimulatedRemoteServer<Job, UUID>(primaryKey: \.id)
        let store = try await ColumnModel.store(kind)
        let jobs = try await store.collection(of: Job.self, entity: "Job")
        try await jobs.insert(ColumnModel.job)
        let error = await #expect(throws: PersistenceError.self) {
            try await jobs.synchronize(with: server, pushID: "1", policy: .localWins)
        }
        #expect(error?.property == "tags")
        #expect(
            error?.message
                == "the records of 'Job' do not store 'tags', which the type has, and only records are synchronized by a "
                + "cycle: use a type without it for that, and synchronize 'tags' by "
                + "'linkCollection(of:relationship:)', or by the collection of the records that store it")
        #expect(await !server.remote.exists)
        #expect(try await jobs.localDiff?.add.map(\.id) == [ColumnModel.job.id])
    }
}
