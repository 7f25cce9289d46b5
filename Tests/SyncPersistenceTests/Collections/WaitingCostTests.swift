import SyncPersistence
import TestSupport
import Testing

/// What waits is found by what has changed: reads and writes are counted, not timed.
struct WaitingCostTests {
    private let counts = Locked(StorageCounts())

    private func store() async throws -> any PersistenceAdapter {
        let schema = try Schema {
            Entity("Project") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tasks", toMany: "Task", inverse: "project", deleteRule: .cascade)
            }
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("project", to: "Project", inverse: "tasks")
                Relationship("parent", to: "Task", inverse: "parts")
                Relationship("parts", toMany: "Task", inverse: "parent", deleteRule: .cascade)
            }
        }
        let store = InMemoryAdapter(schema: schema).counted(by: counts)
        var changes = ChangeSet()
        for entity in ["Project", "Task"] { changes.setMetadata("cycle.\(entity).turn", "1") }
        try await store.commit(changes)
        return store
    }

    private func put(
        _ entity: String, _ rows: [[String: Value]], in store: any PersistenceAdapter,
        origin: ChangeSet.Origin = .agreed
    ) async throws -> Commit {
        var changes = ChangeSet(origin: origin)
        for row in rows { changes.put(Record(store.schema[entity]!, row)) }
        return try await store.commit(changes)
    }

    private func delete(_ ids: [RecordID], in store: any PersistenceAdapter) async throws -> Commit {
        var changes = ChangeSet(origin: .agreed)
        for id in ids { changes.delete(id) }
        return try await store.commit(changes)
    }

    @Test func whatWaitsCostsNeitherWhatIsPendingNorAllThatItWaitsFor() async throws {
        var costs: [[Int]] = []
        for size in [100, 1_000] as [Int64] {
            let store = try await store()
            _ = try await put("Project", [["id": 1], ["id": 2]], in: store)
            _ = try await put(
                "Task", (0..<size).map { ["id": .integer($0), "project": 1] }, in: store)
            _ = try await put("Task", (size..<2 * size).map { ["id": .integer($0)] }, in: store, origin: .local)
            var steps: [Int] = []
            func step(_ body: () async throws -> Commit) async throws -> Commit {
                counts.reset()
                let commit = try await body()
                steps.append(counts.current.records)
                return commit
            }
            let deletion = try await step { try await delete([RecordID("Project", 1)], in: store) }
            #expect(deletion.heldBack == [RecordID("Project", 1)])
            let task = try await step { try await delete([RecordID("Task", 1)], in: store) }
            #expect(task.deleted == [RecordID("Task", 1)])
            let early = try await step { try await put("Task", [["id": -1, "project": 9]], in: store) }
            #expect(early.heldBack == [RecordID("Task", -1)])
            let other = try await step { try await put("Task", [["id": -2, "project": 2]], in: store) }
            #expect(other.inserted == [RecordID("Task", -2)])
            let project = try await step { try await put("Project", [["id": 9]], in: store) }
            #expect(Set(project.inserted) == [RecordID("Project", 9), RecordID("Task", -1)])
            costs.append(steps)
        }
        #expect(costs[0] == costs[1])
        #expect(costs[1].allSatisfy { $0 < 80 }, "\(costs)")
    }

    @Test(arguments: [false, true]) func deletionOfATreeCostsItsSize(isRootFirst: Bool) async throws {
        var costs: [Int] = []
        for size in [50, 500] as [Int64] {
            let store = try await store()
            _ = try await put(
                "Task", (0..<size).map { ["id": .integer($0), "parent": $0 == 0 ? .null : .integer($0 - 1)] }, in: store
            )
            let ids = (0..<size).map { RecordID("Task", .integer($0)) }
            counts.reset()
            let commit = try await delete(isRootFirst ? ids : ids.reversed(), in: store)
            #expect(commit.deleted.count == Int(size) && commit.heldBack.isEmpty)
            costs.append(counts.current.records)
        }
        #expect(costs[1] <= 10 * costs[0] + 100, "\(costs)")
    }
}
