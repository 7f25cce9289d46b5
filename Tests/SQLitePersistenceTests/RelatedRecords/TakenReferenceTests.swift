import SyncPersistence
import TestSupport
import Testing

/// References between pairs of records, which a record that arrives would take from one that was changed here.
struct TakenReferenceTests {
    private let schema = try! Schema {
        Entity("Person") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("partner", to: "Person", inverse: "partner")
        }
    }

    private func change(_ origin: ChangeSet.Origin, _ build: (inout ChangeSet) -> Void) -> ChangeSet {
        var changes = ChangeSet(origin: origin)
        build(&changes)
        return changes
    }

    @Test(arguments: [ChangeSet.Origin.remote, .agreed])
    func localReferenceToItselfIsNotTakenByARecordThatArrives(origin: ChangeSet.Origin) async throws {
        let shape = try #require(schema["Person"])
        let store = InMemoryAdapter(schema: schema)
        try await store.commit(change(.agreed) { $0.put(Record(shape, ["id": 1])) })
        try await store.commit(change(.local) { $0.update(RecordID("Person", 1), ["partner": 1]) })

        try await store.commit(change(origin) { $0.put(Record(shape, ["id": 2, "partner": 1])) })

        let partner = try await store.read { try $0.record(RecordID("Person", 1))?["partner"] }
        #expect(partner == 1)
        let entry = try await store.read { try $0.journalEntry(RecordID("Person", 2)) }
        #expect(entry?.isUnresolved == true)
    }
}
