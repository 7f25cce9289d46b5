import SQLitePersistence
import SyncPersistence
import Testing

/// The places of records in an ordered relationship, if an app stores the records or connects them from their own end.
@Suite struct PlaceTests {
    private static let schema = try! Schema([
        Entity("Project") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("tasks", toMany: "Task", isOrdered: true, inverse: "project")
        },
        Entity("Task") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string)
            Relationship("project", to: "Project", inverse: "tasks")
        },
        Entity("Errand", parent: "Task") { Attribute("shop", .string) },
    ])

    /// A codable task, whose members are stored by column.
    private struct Task: Codable, Identifiable, Equatable {
        let id: Int
        var title: String?
        var project: Int?
    }

    private let stores: [any PersistenceAdapter]

    /// Each store has two projects, the first with the tasks 3, 1 and 2 in this order.
    init() async throws {
        stores = [InMemoryAdapter(schema: Self.schema), try await SQLiteAdapter.inMemory(schema: Self.schema)]
        for store in stores {
            try await store.write { transaction in
                var changes = ChangeSet()
                for id in [1, 2] as [Value] { try changes.put(Record("Project", in: Self.schema, ["id": id])) }
                for id in [1, 2, 3] as [Value] { try changes.put(Record("Task", in: Self.schema, ["id": id])) }
                changes.setLinks(RecordID("Project", 1), "tasks", to: [3, 1, 2])
                try transaction.apply(changes)
            }
        }
    }

    private func expectOrder(
        _ keys: [Value], of project: Value = 1, in store: any PersistenceAdapter,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await store.read { try $0.related(RecordID("Project", project), "tasks") }
        #expect(found == keys, sourceLocation: location)
    }

    /// Stores a task as an app states it, without its place.
    private func put(
        _ values: [String: Value], as entity: String = "Task", in store: any PersistenceAdapter
    ) async throws {
        var changes = ChangeSet()
        try changes.put(Record(entity, in: Self.schema, values))
        try await store.commit(changes)
    }

    @Test func recordThatIsStoredAgainKeepsItsPlace() async throws {
        for store in stores {
            try await put(["id": 1, "title": "dig", "project": 1], in: store)
            try await expectOrder([3, 1, 2], in: store)
        }
    }

    @Test func newRecordThatRefersToAnotherOneIsTheLastThere() async throws {
        for store in stores {
            try await put(["id": 9, "project": 1], in: store)
            try await put(["id": 5, "shop": "seeds", "project": 1], as: "Errand", in: store)
            try await put(["id": 7, "project": 1], in: store)
            try await expectOrder([3, 1, 2, 9, 5, 7], in: store)
        }
    }

    @Test func newRecordsOfOneChangeSetAreInItsOrder() async throws {
        for store in stores {
            var changes = ChangeSet()
            for id in [8, 6, 7] as [Value] {
                try changes.put(Record("Task", in: Self.schema, ["id": id, "project": 2]))
            }
            try await store.commit(changes)
            try await expectOrder([8, 6, 7], of: 2, in: store)
        }
    }

    @Test func recordThatIsMovedIsTheLastThereAndLeavesTheOthersInOrder() async throws {
        for store in stores {
            var changes = ChangeSet()
            try changes.put(Record("Task", in: Self.schema, ["id": 4, "project": 2]))
            changes.update(RecordID("Task", 3), ["project": 2])
            try await store.commit(changes)
            try await expectOrder([1, 2], in: store)
            try await expectOrder([4, 3], of: 2, in: store)
            try await put(["id": 3], in: store)
            try await put(["id": 3, "project": 1], in: store)
            try await expectOrder([1, 2, 3], in: store)
            try await expectOrder([4], of: 2, in: store)
        }
    }

    @Test func recordThatIsReadAndStoredElsewhereKeepsItsPlace() async throws {
        let records = try await stores[0].read { try $0.records(Query("Task")) }
        let copy = InMemoryAdapter(schema: Self.schema)
        var changes = ChangeSet()
        try changes.put(Record("Project", in: Self.schema, ["id": 1]))
        for record in records { changes.put(record) }
        try await copy.commit(changes)
        try await expectOrder([3, 1, 2], in: copy)
    }

    @Test func elementsAreTheLastInTheOrderInWhichTheyAreStored() async throws {
        for store in stores {
            let tasks = try await store.collection(of: Task.self, entity: "Task")
            try await tasks.upsert(contentsOf: [Task(id: 9, project: 1), Task(id: 8, project: 1)])
            try await tasks.insert(Task(id: 7, project: 1))
            try await tasks.edit(3) { $0.title = "dig" }
            try await tasks.update(Task(id: 1, title: "sow", project: 1))
            try await expectOrder([3, 1, 2, 9, 8, 7], in: store)
        }
    }

    @Test func recordThatIsStoredAsAnotherEntityKeepsItsPlace() async throws {
        for store in stores {
            try await put(["id": 1, "shop": "seeds", "project": 1], as: "Errand", in: store)
            try await expectOrder([3, 1, 2], in: store)
        }
    }

    /// The shadow has the task 4 alone in the other project, at the place that it gets in the first one too.
    @Test func revertedElementsHaveThePlacesOfTheShadow() async throws {
        for store in stores {
            let tasks = try await store.collection(of: Task.self, entity: "Task")
            try await tasks.insert(Task(id: 4, project: 2))
            try await tasks.insert(Task(id: 5))
            let query = Query("Task", sort: [Query.SortKey("id")])
            let shadow = try await store.read { try $0.records(query) }
            var agreed = ChangeSet(origin: .agreed)
            for record in shadow { agreed.put(record) }
            try await store.commit(agreed)
            try await store.commit(emptying(1))
            try await tasks.edit(4) { $0.project = 1 }
            try await tasks.remove(3)
            try await tasks.edit(5) { $0.project = 2 }
            try await tasks.revert()
            #expect(try await store.read { try $0.records(query) } == shadow)
        }
    }

    private func emptying(_ project: Value) -> ChangeSet {
        var changes = ChangeSet()
        changes.setLinks(RecordID("Project", project), "tasks", to: [])
        return changes
    }

    /// The remote states the place itself, or that there is none.
    ///
    /// Records without a place are the first.
    @Test func recordOfTheRemoteHasThePlaceThatItStates() async throws {
        for store in stores {
            var changes = ChangeSet(origin: .remote)
            try changes.put(Record("Task", in: Self.schema, ["id": 9, "project": 1]))
            try await store.commit(changes)
            try await expectOrder([9, 3, 1, 2], in: store)
        }
    }
}
