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
        var partner: Int?
    }

    private struct Follower: Codable, Identifiable, Equatable, Sendable {
        let id: Int
        var title = "task"
        var former: [Int]
    }

    /// A storage that records which lookups of tasks were announced, and the tasks that were read without that.
    private final class LookupRecordingStorage: ForwardingStorage {
        private let lookups: Locked<Lookups>

        init(_ base: any RecordStorage, _ lookups: Locked<Lookups>) {
            self.lookups = lookups
            super.init(base)
        }

        override func prefetch(_ lookups: () throws -> [KeyLookup]) throws {
            for lookup in try lookups() where lookup.hierarchy.name == "Task" {
                self.lookups.withLock {
                    $0.counts.append(lookup.keys.count)
                    $0.announced.formUnion(lookup.keys)
                }
            }
        }

        override func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
            if hierarchy.name == "Task" {
                lookups.withLock { if !$0.announced.contains(key) { $0.unannounced.append(key) } }
            }
            return try super.record(key, in: hierarchy)
        }
    }

    private struct Lookups {
        /// The numbers of keys that were announced together.
        var counts: [Int] = []
        var announced: Set<Value> = []
        var unannounced: [Value] = []
    }

    private static let schema = try! Schema {
        Entity("Task") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string, isOptional: false)
            Relationship("next", to: "Task", inverse: "former")
            Relationship("former", toMany: "Task", inverse: "next")
            Relationship("partner", to: "Task", inverse: "partner")
        }
    }

    @Test func elementsAreLookedUpTogether() async throws {
        let lookups = Locked(Lookups())
        let store = ForwardingAdapter(InMemoryAdapter(schema: Self.schema)) { LookupRecordingStorage($0, lookups) }
        let tasks = try await store.collection(of: Task.self, entity: "Task")
        try await tasks.upsert(contentsOf: (0..<100).map { Task(id: $0, title: "new") })
        for title in ["edited", "edited again"] {
            lookups.withLock { $0 = Lookups() }
            try await tasks.upsert(contentsOf: (0..<100).map { Task(id: $0, title: title) })
            // Once to encode the elements over what is stored, and once to store them.
            #expect(lookups.current.counts == [100, 100])
            #expect(lookups.current.unannounced.isEmpty)
        }
        #expect(try await tasks.elements().map(\.title) == Array(repeating: "edited again", count: 100))
    }

    @Test func elementsLeadToOthersThatAreLookedUpLater() async throws {
        let store = InMemoryAdapter(schema: Self.schema)
        let count = WriteTransaction.lookupCount + 1_000
        let tasks = try await store.collection(of: Task.self, entity: "Task")
        try await tasks.upsert(contentsOf: (0..<count).map { Task(id: $0, title: "", next: count - 1 - $0) })
        #expect(try await tasks.element(0)?.next == count - 1)
        let followers = try await store.collection(of: Follower.self, entity: "Task")
        #expect(try await followers.element(0)?.former == [count - 1])
        try await followers.upsert(contentsOf: (0..<count).map { Follower(id: $0, former: [($0 + 1) % count]) })
        #expect(try await followers.element(0)?.former == [1])
        #expect(try await followers.element(count - 1)?.former == [0])
    }

    /// The earlier element would take the partner of another record, or cannot be stored.
    @Test func onlyTheLastElementWithAKeyIsStored() async throws {
        let store = InMemoryAdapter(schema: Self.schema)
        let tasks = try await store.collection(of: Task.self, entity: "Task")
        try await tasks.upsert(contentsOf: (1...3).map { Task(id: $0, title: "") })
        try await tasks.upsert(Task(id: 4, title: "", partner: 2))
        try await tasks.upsert(
            contentsOf: [
                Task(id: 1, title: "first", partner: 2), Task(id: 3, title: ""),
                Task(id: 1, title: "last", partner: 3),
            ])
        #expect(try await tasks.element(4)?.partner == 2)
        #expect(try await tasks.element(1) == Task(id: 1, title: "last", next: nil, partner: 3))
        let records = try await store.recordCollection(of: "Task")
        let faulty = try Record("Task", in: Self.schema, ["id": 5])
        let whole = try Record("Task", in: Self.schema, ["id": 5, "title": "whole"])
        try await records.upsert(contentsOf: [faulty, whole])
        #expect(try await tasks.element(5)?.title == "whole")
    }

    @Test func recordsWithoutAKeyAreDifferent() async throws {
        let schema = try Schema {
            Entity("Line") {
                Attribute("text", .string)
            }
        }
        let store = InMemoryAdapter(schema: schema)
        let lines = try await store.recordCollection(of: "Line")
        try await lines.upsert(contentsOf: ["a", "b"].map { try Record("Line", in: schema, ["text": .string($0)]) })
        let texts = try await store.read { try $0.records(Query("Line")).map { $0["text"] } }
        #expect(texts == ["a", "b"])
    }
}
