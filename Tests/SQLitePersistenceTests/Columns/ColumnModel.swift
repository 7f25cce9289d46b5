import Foundation
import SyncPersistence

/// An element of which each member is an attribute or a relationship.
struct Job: Codable, Identifiable, Equatable, Sendable {
    enum Priority: String, Codable { case low, high }

    struct Settings: Codable, Equatable {
        var color: String
        var since: Date?
        var owner: UUID?
        var limits: [String: Int] = [:]
        var marks: Set<Int> = []
    }

    var id: UUID
    var title: String
    var due: Date?
    var isDone = false
    var priority = Priority.low
    var count: Int8 = 0
    var ratio: Double?
    var price: Decimal?
    var image: Data?
    var site: URL?
    var settings: Settings?
    var project: String?
    var tags: [UUID] = []

    /// Only the names differ from the properties.
    enum CodingKeys: String, CodingKey {
        case id, title, due, isDone = "done", priority, count, ratio, price, image, site, settings, project, tags
    }
}

/// The same records without links.
struct JobTitle: Codable, Identifiable, Equatable, Sendable {
    var id: UUID
    var title: String
    var project: String?
}

struct Project: Codable, Identifiable, Equatable, Sendable {
    /// The primary key is named `code`.
    var id: String
    var name: String?
    var jobs: [UUID] = []
}

struct Label: Codable, Identifiable, Equatable, Sendable {
    var id: UUID
    var name: String
}

enum ColumnModel {
    static func schema() throws -> Schema {
        try Schema {
            Entity("Job") {
                Attribute("id", .uuid, isPrimaryKey: true)
                Attribute("title", .string, isOptional: false, default: "")
                Attribute("due", .date, isIndexed: true)
                Attribute("done", .bool, isOptional: false, default: false)
                Attribute("priority", .string)
                Attribute("count", .integer)
                Attribute("ratio", .double)
                Attribute("price", .decimal)
                Attribute("image", .bytes)
                Attribute("site", .url)
                Attribute("settings", .json)
                Attribute("remark", .string, default: "none")
                Relationship("project", to: "Project", inverse: "jobs")
                Relationship("tags", toMany: "Label", inverse: "jobs")
                Relationship("next", to: "Job")
            }
            Entity("UrgentJob", parent: "Job") {
                Attribute("until", .date)
            }
            Entity("Project") {
                Attribute("code", .string, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("jobs", toMany: "Job", isOrdered: true, inverse: "project")
            }
            Entity("Label") {
                Attribute("id", .uuid, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("jobs", toMany: "Job", inverse: "tags")
            }
        }
    }

    /// A UUID that ends in a number.
    static func uuid(_ number: UInt8) -> UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)) }

    /// A store with the project `A` and the labels 1 to 3.
    static func store(_ kind: StoreKind) async throws -> any PersistenceAdapter {
        let store = try await kind.store(schema())
        try await store.collection(of: Project.self, entity: "Project").insert(Project(id: "A"))
        let labels = try await store.collection(of: Label.self, entity: "Label")
        try await labels.upsert(contentsOf: (1...3).map { Label(id: uuid($0), name: "label \($0)") })
        return store
    }

    static let job = Job(
        id: uuid(100), title: "Paint", due: Date(timeIntervalSinceReferenceDate: 0.1), isDone: true, priority: .high,
        count: -128, ratio: 0.1, price: Decimal(string: "1234567890123456789.05"), image: Data([0, 255]),
        site: URL(string: "https://example.org/a?b=c"),
        settings: Job.Settings(
            color: "red", since: Date(timeIntervalSinceReferenceDate: 1_234_567.891), owner: uuid(7),
            limits: ["a/b": 1], marks: [3, 1, 2]),
        project: "A", tags: [uuid(2), uuid(1)])
}
