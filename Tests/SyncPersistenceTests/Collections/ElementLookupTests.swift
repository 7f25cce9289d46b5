import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// Elements that are stored together are also looked up together.
struct ElementLookupTests {
    private struct Task: Codable, Identifiable, Equatable, Sendable {
        let id: Int
        var title: String
        var next: Int?
    }

    private struct Follower: Codable, Identifiable, Equatable, Sendable {
        let id: Int
        var former: [Int]
    }

    /// A storage that notes the keys which are read alone.
    private final class NotingStorage: ForwardingStorage {
        private let prefetched = Locked<[String: Set<Value>]>([:])
        private let readAlone: Locked<[String: [Value]]>

        init(_ base: any RecordStorage, _ readAlone: Locked<[String: [Value]]>) {
            self.readAlone = readAlone
            super.init(base)
        }

        override func prefetch(_ lookups: () throws -> [KeyLookup]) throws {
            for lookup in try lookups() {
                prefetched.withLock { $0[lookup.hierarchy.name, default: []].formUnion(lookup.keys) }
            }
        }

        override func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
            if prefetched.current[hierarchy.name]?.contains(key) != true {
                readAlone.withLock { $0[hierarchy.name, default: []].append(key) }
            }
            return try super.record(key, in: hierarchy)
        }
    }

    private static let schema = try! Schema {
        Entity("Task") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string)
            Relationship("next", to: "Task", inverse: "former")
            Relationship("former", toMany: "Task", inverse: "next")
        }
    }

    @Test func noElementIsLookedUpAlone() async throws {
        let readAlone = Locked<[String: [Value]]>([:])
        let store = ForwardingAdapter(InMemoryAdapter(schema: Self.schema)) { NotingStorage($0, readAlone) }
        let tasks = try await store.collection(of: Task.self, entity: "Task")
        for title in ["new", "edited", "edited again"] {
            readAlone.withLock { $0 = [:] }
            try await tasks.upsert(contentsOf: (0..<100).map { Task(id: $0, title: title) })
            let entities = readAlone.current.keys.filter { $0.contains("Task") }
            #expect(entities.isEmpty, "\(title): \(readAlone.current)")
        }
        #expect(try await tasks.elements().map(\.title) == Array(repeating: "edited again", count: 100))
    }

    @Test func elementOfAFirstBatchIsLinkedWithOneOfALaterBatch() async throws {
        let store = InMemoryAdapter(schema: Self.schema)
        let followers = try await store.collection(of: Follower.self, entity: "Task")
        // More than are looked up together.
        let count = 6_000
        try await followers.upsert(contentsOf: (0..<count).map { Follower(id: $0, former: [count - 1 - $0]) })
        #expect(try await followers.element(0)?.former == [count - 1])
        #expect(try await followers.element(count - 1)?.former == [0])
    }

    @Test func lastElementWithAKeyCounts() async throws {
        let store = InMemoryAdapter(schema: Self.schema)
        let tasks = try await store.collection(of: Task.self, entity: "Task")
        try await tasks.upsert(
            contentsOf: [1, 2, 1, 1, 2].enumerated().map { Task(id: $1, title: "\($0)", next: $0 == 4 ? nil : 1) })
        #expect(
            try await Array(tasks.elements()) == [Task(id: 1, title: "3", next: 1), Task(id: 2, title: "4", next: nil)])
    }
}
