import TestSupport
import Testing

@testable import SyncPersistence

struct InMemoryGrowthTests {
    private let store = InMemoryAdapter(schema: Staff.schema)

    private static let clerk = Entity("Clerk", parent: "Person") {
        Attribute("string", .string, isIndexed: true)
        Relationship("desk", to: "Desk")
    }

    private static let desk = Entity("Desk") {
        Attribute("id", .integer, isPrimaryKey: true)
        Relationship("neighbors", toMany: "Desk")
    }

    @Test func addingEntitiesKeepsRecordsEvenInAnExistingHierarchy() async throws {
        let records = (0..<10 as Range<Int64>).map { number in
            Record(Staff.person, ["id": .integer(number), "boss": 3, "string": .string("\(number % 2)")])
        }
        try await store.write { transaction in
            for record in records { try transaction.storage.insert(record) }
        }
        try await store.add([Self.clerk, Self.desk, Staff.schema.entities[0]])
        #expect(store.schema.entities.map(\.name) == Staff.schema.entities.map(\.name) + ["Clerk", "Desk"])
        let clerk = Record(store.schema["Clerk"]!, ["id": 10, "desk": 1, "boss": 3])
        try await store.write { transaction in
            try transaction.storage.insert(clerk)
            try transaction.storage.insert(Record(transaction.schema["Desk"]!, ["id": 1]))
            // One that was made before.
            _ = try transaction.storage.put(records[0])
        }
        let found = try await store.read { transaction in
            try ["Person", "Clerk", "Manager", "Desk"].map { try transaction.keys(of: $0).count }
                + [
                    transaction.count(Query("Person", where: Field("boss") == 3)),
                    transaction.count(Query("Clerk", where: Field("desk") == 1)),
                    transaction.count(Query("Person", where: Field("string") == "1")),
                ]
        }
        #expect(found == [11, 1, 0, 1, 11, 1, 5])
        let table = try #require(store.state.current?[Staff.person])
        try table.checkInvariants()
        for case let row? in table.rows { #expect(row.shape === store.schema[row.entity]) }
    }

    @Test func addingExistingEntitiesChangesNothing() async throws {
        try await store.add(Staff.schema.entities)
        try await store.add([])
        #expect(store.schema == Staff.schema)
    }

    @Test func entityWithAnotherDefinitionIsRefused() async throws {
        let error = await #expect(throws: PersistenceError.self) {
            try await store.add([Self.desk, Entity("Pass"), Entity("Site")])
        }
        #expect(error?.code == .schemaChange)
        #expect(
            error.map { "\($0)" }
                == "the store has 'Pass', 'Site' with another definition: only new entities can be added")
        #expect(store.schema == Staff.schema)
    }
}
