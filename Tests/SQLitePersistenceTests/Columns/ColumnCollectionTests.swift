import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// Elements of a codable type are records of an entity that the schema defines.
@Suite(.needsStores) struct ColumnCollectionTests {
    private let uuid = ColumnModel.uuid
    private let job = ColumnModel.job

    private func jobs(
        _ kind: StoreKind
    ) async throws -> (store: any PersistenceAdapter, jobs: PersistentCollection<Job, UUID>) {
        let store = try await ColumnModel.store(kind)
        return (store, try await store.collection(of: Job.self, entity: "Job"))
    }

    @Test(arguments: StoreKind.allCases)
    func eachMemberIsAPropertyOfTheRecord(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        try await jobs.insert(job)
        let record = try #require(try await store.read { try $0.record(RecordID("Job", .uuid(self.job.id))) })
        #expect(record["title"] == "Paint")
        #expect(record["due"] == .date(Date(timeIntervalSinceReferenceDate: 0.1)))
        #expect(record["done"] == true)
        #expect(record["priority"] == "high")
        #expect(record["count"] == -128)
        #expect(record["price"] == .decimal(try #require(job.price)))
        #expect(record["image"] == .bytes(Data([0, 255])))
        #expect(record["site"] == .url(try #require(job.site)))
        #expect(record["project"] == "A")
        #expect(record["remark"] == "none")
        let tags = try await store.read { try $0.related(record.id, "tags") }
        #expect(Set(tags) == [.uuid(uuid(1)), .uuid(uuid(2))])
        #expect(try await jobs.element(job.id).map(sorted) == sorted(job))
        #expect(try await jobs.elements().map(sorted) == [sorted(job)])
        #expect(try await jobs.elements().unreadable == [])
    }

    private func sorted(_ job: Job) -> Job {
        var job = job
        job.tags.sort { $0.uuidString < $1.uuidString }
        return job
    }

    @Test(arguments: StoreKind.allCases)
    func absentMembersAreNull(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        try await jobs.insert(job)
        let bare = Job(id: job.id, title: "Paint")
        #expect(sorted(try await jobs.update(bare)) == sorted(job))
        #expect(try await jobs.element(job.id) == bare)
        let record = try #require(try await store.read { try $0.record(RecordID("Job", .uuid(bare.id))) })
        for name in ["due", "ratio", "price", "image", "site", "settings", "project"] { #expect(record[name] == .null) }
        #expect(try await store.read { try $0.related(record.id, "tags") } == [])
    }

    @Test(arguments: StoreKind.allCases)
    func propertiesThatTheTypeLacksAreKept(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        try await jobs.upsert(contentsOf: [job, Job(id: uuid(101), title: "Dry")])
        var changes = ChangeSet()
        changes.update(RecordID("Job", .uuid(job.id)), ["remark": "twice", "next": .uuid(uuid(101))])
        try await store.commit(changes)
        let titles = try await store.collection(of: JobTitle.self, entity: "Job")
        try await titles.edit(job.id) { $0.title = "Paint again" }
        try await jobs.edit(job.id) { $0.count = 5 }
        let record = try #require(try await store.read { try $0.record(RecordID("Job", .uuid(self.job.id))) })
        #expect(record["title"] == "Paint again")
        #expect(record["remark"] == "twice")
        #expect(record["next"] == .uuid(uuid(101)))
        var expected = job
        (expected.title, expected.count) = ("Paint again", 5)
        #expect(try await jobs.element(job.id).map(sorted) == sorted(expected))
        #expect(try await titles.element(job.id) == JobTitle(id: job.id, title: "Paint again", project: "A"))
    }

    @Test(arguments: StoreKind.allCases)
    func storingAnEqualElementChangesNothing(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        try await jobs.insert(job)
        let sequence = try await store.read { try $0.sequence }
        try await jobs.upsert(job)
        try await jobs.upsert(contentsOf: [job])
        try await jobs.edit(job.id) { $0.settings?.marks = [2, 3, 1] }
        #expect(try await store.read { try $0.sequence } == sequence)
    }

    @Test(arguments: StoreKind.allCases)
    func aJSONValueInAnotherNotationIsKeptUntilTheElementChangesIt(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        try await jobs.insert(job)
        let id = RecordID("Job", .uuid(job.id))
        let served: Value = [
            "color": "red", "since": "2001-01-15T06:56:07.891+00:00", "rank": 4, "limits": [:], "marks": [],
        ]
        var changes = ChangeSet()
        changes.update(id, ["settings": served])
        try await store.commit(changes)
        try await jobs.edit(job.id) { $0.title = "Again" }
        #expect(try await store.read { try $0.record(id) }?["settings"] == served)
        try await jobs.edit(job.id) { $0.settings?.color = "blue" }
        let stored = try #require(try await store.read { try $0.record(id) }?["settings"])
        #expect(stored != served)
        #expect(try await jobs.element(job.id)?.settings?.color == "blue")
    }

    @Test(arguments: StoreKind.allCases)
    func toManyListsOfBothKindsAreReadAndWritten(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        let projects = try await store.collection(of: Project.self, entity: "Project")
        try await jobs.upsert(contentsOf: (1...3).map { Job(id: uuid(100 + $0), title: "\($0)", tags: [uuid($0)]) })
        try await projects.upsert(Project(id: "B", name: "Boat", jobs: [uuid(103), uuid(101)]))
        #expect(try await jobs.element(uuid(101))?.project == "B")
        #expect(try await projects.element("B")?.jobs == [uuid(103), uuid(101)])
        try await projects.edit("B") { $0.jobs = [uuid(101), uuid(102), uuid(103)] }
        #expect(try await projects.element("B")?.jobs == [uuid(101), uuid(102), uuid(103)])
        try await jobs.edit(uuid(102)) { $0.project = nil }
        #expect(try await projects.element("B")?.jobs == [uuid(101), uuid(103)])
        #expect(try await projects.remove("B") == Project(id: "B", name: "Boat", jobs: [uuid(101), uuid(103)]))
        #expect(try await jobs.element(uuid(101))?.project == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func aMissingTargetIsAnErrorAndNothingIsStored(kind: StoreKind) async throws {
        let (_, jobs) = try await jobs(kind)
        for wrong in [Job(id: uuid(9), title: "", project: "none"), Job(id: uuid(9), title: "", tags: [uuid(99)])] {
            let error = await #expect(throws: PersistenceError.self) { try await jobs.insert(wrong) }
            #expect(error?.code == .danglingReference)
            await #expect(throws: PersistenceError.self) { try await jobs.upsert(contentsOf: [wrong]) }
        }
        #expect(try await jobs.count == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func elementsAreSelectedAndSortedByTheirColumns(kind: StoreKind) async throws {
        let (_, jobs) = try await jobs(kind)
        let dates = (1...5).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
        try await jobs.upsert(
            contentsOf: (0..<5).map { Job(id: uuid(100 + UInt8($0)), title: "\($0)", due: dates[$0], isDone: $0 == 1) })
        let open = try await jobs.elements(
            where: Field("done") == false && Field("due") < .date(dates[4]),
            sort: [Query.SortKey("due", isDescending: true)], limit: 2)
        #expect(open.map(\.title) == ["3", "2"])
        let error = await #expect(throws: PersistenceError.self) {
            try await jobs.elements(where: Field("isDone") == false)
        }
        #expect(error?.code == .unknownName)
    }

    @Test(arguments: StoreKind.allCases)
    func recordsOfInheritingEntitiesKeepTheirOwnProperties(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        let until = Value.date(Date(timeIntervalSinceReferenceDate: 5))
        var changes = ChangeSet()
        let values: [String: Value] = ["id": .uuid(uuid(50)), "title": "Now", "priority": "low", "count": 1]
        try changes.put(Record("UrgentJob", in: store.schema, values.merging(["until": until]) { $1 }))
        try await store.commit(changes)
        try await jobs.edit(uuid(50)) { $0.title = "Today" }
        let record = try #require(try await store.read { try $0.record(RecordID("Job", .uuid(self.uuid(50)))) })
        #expect(record.entity == "UrgentJob")
        #expect(record["until"] == until)
        #expect(record["title"] == "Today")
    }

    @Test(arguments: StoreKind.allCases)
    func updatesHaveTheChangesOfLinksToo(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        let projects = try await store.collection(of: Project.self, entity: "Project")
        try await jobs.upsert(contentsOf: [1, 2].map { Job(id: uuid(100 + $0), title: "\($0)", tags: [uuid(1)]) })
        try await projects.upsert(Project(id: "A", jobs: [uuid(101), uuid(102)]))
        var updates = jobs.changes().makeAsyncIterator()
        var projectUpdates = projects.changes().makeAsyncIterator()
        try await jobs.edit(uuid(101)) { $0.tags = [uuid(1), uuid(3)] }
        let change = try #require(await updates.next()?.diff?.changes.first)
        #expect(change.old?.tags == [uuid(1)])
        #expect(change.new?.tags == [uuid(1), uuid(3)])
        try await projects.edit("A") { $0.jobs = [uuid(102), uuid(101)] }
        let moved = try #require(await projectUpdates.next()?.diff?.changes.first)
        #expect(moved.old?.jobs == [uuid(101), uuid(102)])
        #expect(moved.new?.jobs == [uuid(102), uuid(101)])
        try await jobs.remove(uuid(101))
        let removed = try #require(await updates.next())
        #expect(removed.diff?.changes.map(\.new) == [nil])
        #expect(Set(removed.diff?.changes.first?.old?.tags ?? []) == [uuid(1), uuid(3)])
    }

    @Test(arguments: StoreKind.allCases)
    func updateHasAllLinksBeforeManyChangesOfOneCommit(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        let projects = try await store.collection(of: Project.self, entity: "Project")
        let ids = (1...7).map { uuid(100 + $0) }
        try await jobs.upsert(contentsOf: ids.prefix(6).map { Job(id: $0, title: "") })
        try await projects.upsert(Project(id: "A", jobs: Array(ids.prefix(4))))
        var updates = projects.changes().makeAsyncIterator()
        var changes = ChangeSet()
        changes.update(RecordID("Job", .uuid(ids[0])), ["project": .null])
        changes.update(RecordID("Job", .uuid(ids[1])), ["title": "Paint"])
        changes.delete(RecordID("Job", .uuid(ids[2])))
        for id in ids[4...5] { changes.update(RecordID("Job", .uuid(id)), ["project": "A"]) }
        changes.put(
            try Record("Job", in: store.schema, ["id": .uuid(ids[6]), "title": "", "done": false, "project": "A"]))
        try await store.commit(changes)
        let change = try #require(await updates.next()?.diff?.changes.first)
        #expect(change.old?.jobs == Array(ids.prefix(4)))
        #expect(change.new?.jobs == [ids[1], ids[3], ids[4], ids[5], ids[6]])
    }

    @Test(arguments: StoreKind.allCases)
    func editOfARecordIsNoChangeOfTheOneThatItBelongsTo(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        let projects = try await store.collection(of: Project.self, entity: "Project")
        try await jobs.insert(job)
        var updates = projects.changes().makeAsyncIterator()
        let id = RecordID("Job", .uuid(job.id))
        try await store.write { transaction in
            var edit = ChangeSet()
            edit.update(RecordID("Project", "A"), ["name": "House"])
            try transaction.apply(edit)
            var pulled = ChangeSet(origin: .agreed)
            pulled.update(id, ["title": "Paint the door"])
            try transaction.apply(pulled)
        }
        let update = try #require(await updates.next())
        #expect(update.diff?.changes.map(\.new?.name) == ["House"])
        #expect(update.isLocal)
    }

    /// A job that leaves empty tags out of what it encodes.
    private struct SparseJob: Codable, Identifiable, Equatable, Sendable {
        var id: UUID
        var title = ""
        var tags: [UUID] = []

        init(id: UUID) { self.id = id }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(UUID.self, forKey: .id)
            title = try container.decode(String.self, forKey: .title)
            tags = try container.decodeIfPresent([UUID].self, forKey: .tags) ?? []
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(title, forKey: .title)
            if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
        }

        enum CodingKeys: String, CodingKey { case id, title, tags }
    }

    @Test(arguments: StoreKind.allCases)
    func linksAreReadAlthoughAnEmptyListIsLeftOut(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        let sparse = try await store.collection(of: SparseJob.self, entity: "Job")
        try await sparse.insert(SparseJob(id: uuid(9)))
        try await jobs.insert(job)
        #expect(try await sparse.element(job.id).map { Set($0.tags) } == Set(job.tags))
        try await sparse.edit(job.id) { $0.title = "Paint the door" }
        #expect(try await jobs.element(job.id).map { Set($0.tags) } == Set(job.tags))
        let server = SimulatedRemoteServer<SparseJob, UUID>(primaryKey: \.id)
        let error = await #expect(throws: PersistenceError.self) {
            try await store.collection(of: SparseJob.self, entity: "Job")
                .synchronize(with: server, pushID: "1", policy: .localWins)
        }
        #expect(error?.property == "tags")
        #expect(await !server.remote.exists)
    }

    @Test func anUpdateWhoseLinksCannotBeReadNamesItsElements() async throws {
        let isFailing = Locked(false)
        let store = HookedAdapter(
            InMemoryAdapter(schema: try ColumnModel.schema()),
            willRead: { if isFailing.current { throw PersistenceError(.ioFailure, "the disk failed") } })
        let jobs = try await store.collection(of: Job.self, entity: "Job")
        var updates = jobs.changes().makeAsyncIterator()
        isFailing.exchange(with: true)
        try await jobs.insert(Job(id: uuid(7), title: "Paint"))
        let update = try #require(await updates.next())
        #expect(update.diff == nil && update.unreadable.map(\.id) == [RecordID("Job", .uuid(uuid(7)))])
        #expect(update.unreadable.first?.message.contains("the disk failed") == true)
    }

    @Test(arguments: StoreKind.allCases)
    func codingReadsConnectedRecordsOnlyWithinATransaction(kind: StoreKind) async throws {
        let (store, jobs) = try await jobs(kind)
        try await jobs.insert(job)
        let id = RecordID("Job", .uuid(job.id))
        let (record, element) = try await store.read { transaction in
            let record = try #require(try transaction.record(id))
            return (record, try jobs.coding.element(of: record, in: transaction))
        }
        #expect(sorted(element) == sorted(job))
        #expect(throws: PersistenceError.self) { try jobs.coding.element(of: record) }
    }
}
