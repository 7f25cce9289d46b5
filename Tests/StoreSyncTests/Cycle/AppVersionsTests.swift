import DifferentialSync
import DifferentialSyncTesting
import SQLitePersistence
import StoreSync
import TestSupport
import Testing

/// The types of an older version of an app, which does not know all statuses.
private enum Older {
    enum Status: String, Codable {
        case open, done, unknown

        init(from decoder: any Decoder) throws {
            self = Status(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
        }
    }

    struct Task: Codable, Identifiable, Equatable, Sendable {
        var id: String
        var title: String
        var status = Status.open
        var project: String?
        var tags: [String] = []
    }
}

/// The types of a newer version.
private enum Newer {
    enum Status: String, Codable, CaseIterable { case open, done, blocked, waiting }

    struct Task: Codable, Identifiable, Equatable, Sendable {
        var id: String
        var title: String
        var status = Status.open
        var priority: Int?
        var project: String?
        var tags: [String] = []
    }

    /// A part of a task.
    struct TaskState: Codable, Identifiable, Equatable, Sendable {
        var id: String
        var status: Status
        var priority: Int?
    }
}

/// Two versions of an app with elements of their own types, on devices that share a service.
struct AppVersionsTests {
    private static func schema(isNewer: Bool) throws -> Schema {
        try Schema([
            Entity("Project") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("tasks", toMany: "Task", isOrdered: true, inverse: "project", deleteRule: .cascade)
            },
            Entity("Task") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("status", .string)
                if isNewer { Attribute("priority", .integer) }
                Relationship("project", to: "Project", inverse: "tasks")
                Relationship("tags", toMany: "Tag", inverse: "tasks")
            },
            Entity("Tag") {
                Attribute("id", .string, isPrimaryKey: true)
                Relationship("tasks", toMany: "Task", inverse: "tags")
            },
        ])
    }

    /// What a task must have in the end.
    private struct Expected: Equatable {
        var title: String
        var status: Newer.Status
        var priority: Int?
        var project: String?
        var tags: Set<String>
    }

    /// The older version edits titles and tags, the newer one everything else, so that no edits conflict.
    @Test(arguments: 0..<60)
    func allEditsOfBothVersionsArrive(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let folder = TemporaryFolder()
        let server = InMemoryAdapter(schema: try Self.schema(isNewer: true))
        let service = SyncService(server, account: "ada", makeName: Planner.names("epoch"))
        let phone = try Device(
            "phone", await SQLiteAdapter.open(at: folder.file(), schema: Self.schema(isNewer: false)))
        let laptop = try Device("laptop", InMemoryAdapter(schema: Self.schema(isNewer: true)))
        let (projects, tags) = (["p1", "p2", "p3"], ["t1", "t2", "t3"])
        try await laptop.edit { changes, schema in
            for id in projects { try changes.put(Record("Project", in: schema, ["id": .string(id)])) }
            for id in tags { try changes.put(Record("Tag", in: schema, ["id": .string(id)])) }
        }
        for device in [laptop, phone] { try await device.sync(with: service) }
        let olders = try await phone.store.collection(of: Older.Task.self, entity: "Task")
        let newers = try await laptop.store.collection(of: Newer.Task.self, entity: "Task")
        let states = try await laptop.store.collection(of: Newer.TaskState.self, entity: "Task")
        var expected: [String: Expected] = [:]
        var count = 0
        func someTags() -> [String] { tags.filter { _ in Bool.random(using: &generator) } }
        for _ in 0..<40 {
            count += 1
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                let task = Older.Task(
                    id: "a\(count)", title: "new \(count)", project: projects.randomElement(using: &generator),
                    tags: someTags())
                try await olders.insert(task)
                expected[task.id] = Expected(
                    title: task.title, status: .open, project: task.project, tags: Set(task.tags))
            case 1:
                let task = Newer.Task(
                    id: "b\(count)", title: "new \(count)", status: .blocked, priority: 2, project: nil, tags: [])
                try await newers.upsert(task)
                expected[task.id] = Expected(title: task.title, status: .blocked, priority: 2, tags: [])
            case 2, 3:
                guard var task = try await olders.elements().randomElement(using: &generator) else { continue }
                task.title = "title \(Int.random(in: 0..<3, using: &generator))"
                try await olders.upsert(task)
                expected[task.id]?.title = task.title
            case 4:
                var some = try await olders.elements().filter { _ in Bool.random(using: &generator) }
                for index in some.indices { some[index].title = "all \(count % 2)" }
                try await olders.upsert(contentsOf: some)
                for task in some { expected[task.id]?.title = task.title }
            case 5:
                guard let task = try await olders.elements().randomElement(using: &generator) else { continue }
                let tags = someTags()
                try await olders.edit(task.id) { $0.tags = tags }
                expected[task.id]?.tags = Set(tags)
            case 6:
                guard let task = try await newers.elements().randomElement(using: &generator) else { continue }
                let status = Newer.Status.allCases.randomElement(using: &generator) ?? .open
                try await newers.edit(task.id) { $0.status = status }
                expected[task.id]?.status = status
            case 7:
                var some = try await states.elements().filter { _ in Bool.random(using: &generator) }
                for index in some.indices { (some[index].status, some[index].priority) = (.waiting, count % 3) }
                try await states.upsert(contentsOf: some)
                for state in some {
                    expected[state.id]?.status = .waiting
                    expected[state.id]?.priority = count % 3
                }
            case 8:
                guard var task = try await newers.elements().randomElement(using: &generator) else { continue }
                task.project = projects.randomElement(using: &generator)
                try await newers.upsert(contentsOf: [task])
                expected[task.id]?.project = task.project
            case 9, 10: try await phone.sync(with: service)
            default: try await laptop.sync(with: service)
            }
        }
        for device in [phone, laptop, phone, laptop] {
            let outcome = try await device.sync(with: service)
            #expect(outcome.failure == nil && outcome.conflicts.isEmpty)
        }
        let finals = try await newers.elements()
        let found = Dictionary(
            uniqueKeysWithValues: finals.map {
                (
                    $0.id,
                    Expected(
                        title: $0.title, status: $0.status, priority: $0.priority, project: $0.project,
                        tags: Set($0.tags))
                )
            })
        #expect(found == expected)
        let atPhone = try await olders.elements()
        #expect(Dictionary(uniqueKeysWithValues: atPhone.map { ($0.id, $0.title) }) == expected.mapValues(\.title))
        #expect(Dictionary(uniqueKeysWithValues: atPhone.map { ($0.id, Set($0.tags)) }) == expected.mapValues(\.tags))
        #expect(Dictionary(uniqueKeysWithValues: atPhone.map { ($0.id, $0.project) }) == expected.mapValues(\.project))
    }
}
