import DifferentialSync
import SyncPersistence
import Testing

/// Local changes that make a record one of another entity of its hierarchy.
struct HeirJournalTests {
    private let schema = try! Schema {
        Entity("Animal") { Attribute("id", .integer, isPrimaryKey: true) }
        Entity("Dog", parent: "Animal") { Attribute("name", .string) }
        Entity("Cat", parent: "Animal") { Attribute("lives", .integer) }
    }

    private func put(_ entity: String, _ store: InMemoryAdapter, _ origin: ChangeSet.Origin) async throws {
        var changes = ChangeSet(origin: origin)
        changes.put(try Record(entity, in: schema, ["id": 1]))
        try await store.commit(changes)
    }

    @Test(arguments: [false, true])
    func diffOfEachEntityHasARecordThatHasChangedItsEntity(isInShadow: Bool) async throws {
        let store = InMemoryAdapter(schema: schema)
        try await put("Dog", store, isInShadow ? .agreed : .local)
        try await put("Cat", store, .local)
        try await store.read { (transaction) throws -> Void in
            let cat = try #require(try transaction.record(RecordID("Cat", 1)))
            let insertion = try #require(Change(from: nil, to: cat))
            #expect(try transaction.localDiff(of: "Cat")?.changes == [insertion])
            #expect(try transaction.outgoingDiff(of: "Cat")?.changes == [insertion])
            let dog = isInShadow ? try Record("Dog", in: schema, ["id": 1]) : nil
            #expect(try transaction.localDiff(of: "Dog")?.changes == Change(from: dog, to: nil).map { [$0] })
            let change = try #require(Change(from: dog, to: cat))
            #expect(try transaction.localDiff(of: "Animal")?.changes == [change])
            #expect(try transaction.journal(of: "Cat").map(\.id) == [RecordID("Cat", 1)])
            #expect(try transaction.journal(of: "Dog").map(\.base) == (isInShadow ? [dog] : []))
        }
    }

    @Test func revertRestoresARecordThatHasChangedItsEntity() async throws {
        let store = InMemoryAdapter(schema: schema)
        try await put("Dog", store, .agreed)
        try await put("Cat", store, .local)
        try await store.recordCollection(of: "Cat").revert()
        #expect(try await store.read { try $0.records(Query("Animal")) }.map(\.id) == [RecordID("Dog", 1)])
        #expect(try await store.read { try $0.journal(of: "Animal") } == [])
    }
}
