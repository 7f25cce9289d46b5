import EntitySync
import SyncPersistence
import Testing

/// Records that have one place in an ordered relationship, as records that two devices have added at once may have.
@Suite(.needsStores) struct SyncSharedPlaceTests {
    /// A store with a list of the tasks 9, 2, 5 and 1, all in one place.
    private func store(_ kind: StoreKind, byLinks: Bool) async throws -> SyncStore {
        let schema = try Schema {
            Entity("List") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tasks", toMany: "Task", isOrdered: true, inverse: byLinks ? "lists" : "list")
            }
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                if byLinks {
                    Relationship("lists", toMany: "List", inverse: "tasks")
                } else {
                    Relationship("list", to: "List", inverse: "tasks")
                }
            }
        }
        let store = try await SyncStore(kind, schema)
        try await store.sync(#"[{"id": 1, "tasks": [{"id": 9}, {"id": 2}, {"id": 5}, {"id": 1}]}]"#, into: "List")
        let entity = byLinks ? "sync.links.List.tasks" : "Task"
        let records = try await store.adapter.read { try $0.records(Query(entity)) }
        var changes = ChangeSet(origin: .remote)
        for var record in records {
            let place = try #require(record.shape.slots.firstIndex { $0.name.contains("position") })
            #expect(!record.values[place].isNull)
            record.values[place] = records[0].values[place]
            changes.put(record)
        }
        try await store.adapter.commit(changes)
        return store
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func recordsInOnePlaceAreListedByTheirKeys(kind: StoreKind, byLinks: Bool) async throws {
        let store = try await store(kind, byLinks: byLinks)
        #expect(try await store.related("List", 1, "tasks") == [1, 2, 5, 9])
        var options = ExportOptions()
        options.relationships = .ids
        for keys in [[1], [1, 2]] as [[Int]] {
            try await store.sync("[\(keys.map { "{\"id\": \($0)}" }.joined(separator: ","))]", into: "List")
            let exported = try await store.adapter.exportJSON("List", where: Field("id") == 1, options: options)
            #expect(String(decoding: exported, as: UTF8.self) == #"[{"id":1,"tasks_ids":[1,2,5,9]}]"#)
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func payloadInTheirOrderLeavesAnotherLocalOrder(kind: StoreKind, byLinks: Bool) async throws {
        let store = try await store(kind, byLinks: byLinks)
        var changes = ChangeSet()
        changes.setLinks(RecordID("List", 1), "tasks", to: [2, 5, 9, 1])
        try await store.adapter.commit(changes)
        let json = #"[{"id": 1, "tasks": [{"id": 1}, {"id": 2}, {"id": 5}, {"id": 9}]}]"#
        try await store.sync(json, into: "List")
        #expect(try await store.related("List", 1, "tasks") == [2, 5, 9, 1])
        #expect(try await store.sync(json, into: "List").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func payloadInTheirOrderWritesNothingBesideARemovedLink(kind: StoreKind) async throws {
        let store = try await store(kind, byLinks: true)
        var changes = ChangeSet()
        changes.unlink(RecordID("List", 1), "tasks", from: 1)
        try await store.adapter.commit(changes)
        let links = { try await store.adapter.read { try $0.journal(of: "sync.links.List.tasks") } }
        let before = try await links()
        let json = #"[{"id": 1, "tasks": [{"id": 1}, {"id": 2}, {"id": 5}, {"id": 9}]}]"#
        #expect(try await store.sync(json, into: "List").isUnchanged)
        #expect(try await links() == before)
        #expect(try await store.related("List", 1, "tasks") == [2, 5, 9])
    }
}
