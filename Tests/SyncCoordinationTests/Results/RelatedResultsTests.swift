import SyncCoordination
import SyncPersistence
import Testing

@Suite
struct RelatedResultsTests {
    private static let ofBoat = Query("Todo", where: Field("project.name") == "boat", sort: [Query.SortKey("id")])

    @Test(arguments: StoreKind.allCases)
    func changeOfARelatedRecordChangesTheResults(kind: StoreKind) async throws {
        let store = try await kind.store()
        try await store.put("Project", ["id": 1, "name": "boat"], ["id": 2, "name": "house"])
        try await store.put("Todo", ["id": 1, "project": 1], ["id": 2, "project": 2])
        var results = store.results(Self.ofBoat).makeAsyncIterator()
        #expect(try await results.next()?.elements.map(\.key) == [1])
        try await store.update("Project", 2, ["name": "boat"])
        let snapshot = try await results.next()
        #expect(snapshot?.elements.map(\.key) == [1, 2])
        #expect(snapshot?.changes?.add.map(\.key) == [2])
        try await store.delete("Project", 1)
        #expect(try await results.next()?.elements.map(\.key) == [2])
        try await store.update("Todo", 1, ["project": 2])
        #expect(try await results.next()?.elements.map(\.key) == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func changeOfAnotherAttributeOfARelatedRecordCausesNoRead(kind: StoreKind) async throws {
        let counter = ReadCounter()
        let store = counter.store(on: try await kind.store())
        try await store.put("Project", ["id": 1, "name": "boat"])
        try await store.put("Todo", ["id": 1, "project": 1])
        var results = store.results(Self.ofBoat).makeAsyncIterator()
        _ = try await results.next()
        try await store.update("Project", 1, ["color": "blue"])
        counter.reset()
        await store.close()
        #expect(try await results.next() == nil)
        #expect(counter.transactions == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func changeOfTheOrderAloneIsASnapshotWithoutChanges(kind: StoreKind) async throws {
        let store = try await kind.store()
        try await store.put("Project", ["id": 1, "name": "a"], ["id": 2, "name": "b"])
        try await store.put("Todo", ["id": 1, "project": 1], ["id": 2, "project": 2])
        var results = store.results(Query("Todo", sort: [Query.SortKey("project.name")])).makeAsyncIterator()
        #expect(try await results.next()?.elements.map(\.key) == [1, 2])
        try await store.update("Project", 1, ["name": "c"])
        let snapshot = try await results.next()
        #expect(snapshot?.elements.map(\.key) == [2, 1])
        #expect(snapshot?.changes == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func pathOverAnInverseRelationshipFollowsTheRecordsAtItsEnd(kind: StoreKind) async throws {
        let store = try await kind.store(
            Schema {
                Entity("Person") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("pass", to: "Pass", inverse: "holder")
                }
                Entity("Pass") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("color", .string)
                    Relationship("holder", to: "Person", inverse: "pass")
                    Relationship("office", to: "Office")
                }
                Entity("Office") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("city", .string)
                }
            })
        try await store.put("Person", ["id": 1], ["id": 2])
        try await store.put("Pass", ["id": 1, "color": "red", "holder": 1])
        var results = store.results(Query("Person", where: Field("pass.color") == "red")).makeAsyncIterator()
        #expect(try await results.next()?.elements.map(\.key) == [1])
        try await store.put("Office", ["id": 1, "city": "Bonn"], ["id": 2, "city": "Cologne"])
        var inBonn = store.results(Query("Person", where: Field("pass.office.city") == "Bonn")).makeAsyncIterator()
        #expect(try await inBonn.next()?.elements.map(\.key) == [])
        try await store.update("Pass", 1, ["office": 1])
        #expect(try await inBonn.next()?.elements.map(\.key) == [1])
        try await store.update("Office", 1, ["city": "Cologne"])
        #expect(try await inBonn.next()?.elements.map(\.key) == [])
        try await store.update("Pass", 1, ["holder": 2])
        #expect(try await results.next()?.elements.map(\.key) == [2])
        try await store.update("Pass", 1, ["color": "blue"])
        #expect(try await results.next()?.elements.map(\.key) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func keysOfRelatedRecordsInAnElementAreObserved(kind: StoreKind) async throws {
        let store = try await kind.store()
        try await store.put("Tag", ["id": 1], ["id": 2])
        try await store.put("Todo", ["id": 1])
        var results = store.results(Query("Todo"), as: TaggedTodo.self).makeAsyncIterator()
        #expect(try await results.next()?.elements == [TaggedTodo(id: 1, tags: [])])
        var version = store.versions(of: RecordID("Todo", 1), as: TaggedTodo.self).makeAsyncIterator()
        #expect(try await version.next() == TaggedTodo(id: 1, tags: []))
        var changes = ChangeSet()
        changes.link(RecordID("Todo", 1), "tags", to: 2)
        try await store.commit(changes)
        let snapshot = try await results.next()
        #expect(snapshot?.elements == [TaggedTodo(id: 1, tags: [2])])
        #expect(snapshot?.changes?.replace == [TaggedTodo(id: 1, tags: [2])])
        #expect(try await version.next() == TaggedTodo(id: 1, tags: [2]))
        try await store.delete("Tag", 2)
        #expect(try await results.next()?.elements == [TaggedTodo(id: 1, tags: [])])
    }
}
