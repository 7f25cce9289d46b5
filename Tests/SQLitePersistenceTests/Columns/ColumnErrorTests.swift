import Foundation
import SyncPersistence
import TestSupport
import Testing

/// Types that do not fit their entity are reported with the property, and nothing is stored.
@Suite(.needsStores) struct ColumnErrorTests {
    private struct Misspelt: Codable, Identifiable, Equatable {
        var id: UUID
        var titel: String?
    }

    private struct Count: Codable, Identifiable, Equatable {
        var id: UUID
        var title = ""
        var count: Int?
    }

    private struct TextCount: Codable, Identifiable, Equatable {
        var id: UUID
        var count: String
    }

    private struct NumberedJob: Codable, Identifiable, Equatable {
        var id: Int
        var title: String
    }

    private let uuid = ColumnModel.uuid

    @Test(arguments: StoreKind.allCases)
    func aCodingKeyWithoutAPropertyIsNamed(kind: StoreKind) async throws {
        let store = try await ColumnModel.store(kind)
        let jobs = try await store.collection(of: Misspelt.self, entity: "Job")
        let message =
            "'Job' has no property 'titel', which is a coding key of Misspelt: it has count, done, due, id, image, next, "
            + "price, priority, project, ratio, remark, settings, site, tags, title. Name one of these in the type's "
            + "CodingKeys, or add the property to the schema"
        for titel in [nil, "Paint"] {
            let error = await #expect(throws: PersistenceError.self) {
                try await jobs.insert(Misspelt(id: uuid(1), titel: titel))
            }
            #expect(error?.code == .unknownName)
            #expect(error?.message == message)
            #expect(error?.property == "titel")
        }
        #expect(try await jobs.count == 0)
        try await store.collection(of: Job.self, entity: "Job").insert(ColumnModel.job)
        let error = await #expect(throws: PersistenceError.self) { try await jobs.elements() }
        #expect(error?.message == message)
    }

    @Test(arguments: StoreKind.allCases)
    func aValueThatDoesNotFitItsAttributeIsNamed(kind: StoreKind) async throws {
        let store = try await ColumnModel.store(kind)
        let counts = try await store.collection(of: TextCount.self, entity: "Job")
        let error = await #expect(throws: PersistenceError.self) {
            try await counts.insert(TextCount(id: uuid(1), count: "3"))
        }
        #expect(error?.code == .wrongType)
        #expect(
            error?.description
                == "Job 00000000-0000-0000-0000-000000000001.count: it holds integer, and TextCount encodes string, which "
                + "it cannot store")
        var endless = ColumnModel.job
        endless.ratio = .nan
        await #expect(throws: PersistenceError.self) {
            try await store.collection(of: Job.self, entity: "Job").insert(endless)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aStoredNumberThatIsTooLargeIsUnreadableAndKept(kind: StoreKind) async throws {
        let store = try await ColumnModel.store(kind)
        let counts = try await store.collection(of: Count.self, entity: "Job")
        try await counts.upsert(contentsOf: [Count(id: uuid(1), count: 1_000), Count(id: uuid(2), count: 1)])
        var changes = ChangeSet()
        for key in [1, 2] as [UInt8] { changes.update(RecordID("Job", .uuid(uuid(key))), ["priority": "low"]) }
        try await store.commit(changes)
        let stored = try await store.collection(of: Job.self, entity: "Job").elements()
        #expect(stored.map(\.count) == [1])
        #expect(stored.unreadable.map(\.code) == [.unreadable])
        #expect(stored.unreadable.first?.id == RecordID("Job", .uuid(uuid(1))))
        #expect(try await counts.element(uuid(1))?.count == 1_000)
    }

    @Test(arguments: StoreKind.allCases)
    func anIDOfAnotherTypeThanTheKeyIsAnError(kind: StoreKind) async throws {
        let store = try await ColumnModel.store(kind)
        let jobs = try await store.collection(of: NumberedJob.self, entity: "Job")
        let error = await #expect(throws: PersistenceError.self) { try await jobs.element(7) }
        #expect(
            error?.message
                == "the key of 'Job' is 'id', of the type uuid, and the id of the type is encoded as integer: give it "
                + "that type")
    }

    @Test(arguments: StoreKind.allCases)
    func documentsOfColumnsAreAnError(kind: StoreKind) async throws {
        let store = try await ColumnModel.store(kind)
        let documents = try await store.collection(of: JobTitle.self, entity: "Job").documents
        let error = await #expect(throws: PersistenceError.self) { try await documents.element(uuid(1)) }
        #expect(
            error?.message
                == "'Job' stores its elements in attributes, which are no documents: use the collection itself")
    }
}
