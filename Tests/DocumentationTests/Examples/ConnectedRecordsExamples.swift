import DifferentialSyncTesting
import SyncPersistence
import Testing

/// The examples of connected records and links.
struct ConnectedRecordsExamples {
    private func device() async throws -> InMemoryAdapter {
        let schema = try Schema {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tags", toMany: "Tag", inverse: "notes")
            }
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("notes", toMany: "Note", inverse: "tags")
            }
        }
        return InMemoryAdapter(schema: schema)
    }

    @Test func entitiesAndLinks() async throws {
        let (phone, tablet) = (try await device(), try await device())
        var changes = ChangeSet()
        for (entity, key) in [("Note", 7), ("Tag", 1), ("Tag", 2)] as [(String, Value)] {
            try changes.put(Record(entity, in: phone.schema, ["id": key]))
        }
        changes.setLinks(RecordID("Note", 7), "tags", to: [1, 2])
        try await phone.commit(changes)
        let servers = ["Note", "Tag"].map { ($0, SimulatedRemoteServer<Record, Value>(primaryKey: \.key)) }
        let linkServer = SimulatedRemoteServer<RecordLink, RecordLink.ID>(primaryKey: \.id)
        for store in [phone, tablet] {
            let links = try await store.linkCollection(of: "Note", relationship: "tags")
            for (entity, server) in servers {
                let records = try await store.recordCollection(of: entity)
                try await records.synchronize(with: server, policy: .localWins)
            }
            try await links.synchronize(with: linkServer, policy: .localWins)
        }
        #expect(try await tablet.read { try $0.related(RecordID("Note", 7), "tags") } == [1, 2])
    }

    @Test func whatWaits() async throws {
        let (phone, store) = (try await device(), try await device())
        let server = SimulatedRemoteServer<Record, Value>(primaryKey: \.key)
        let linkServer = SimulatedRemoteServer<RecordLink, RecordLink.ID>(primaryKey: \.id)
        for device in [phone, store] {
            var changes = ChangeSet()
            for (entity, key) in [("Note", 7), ("Tag", 1), ("Tag", 2)] as [(String, Value)] {
                try changes.put(Record(entity, in: device.schema, ["id": key]))
            }
            changes.setLinks(RecordID("Note", 7), "tags", to: [1, 2])
            try await device.commit(changes)
            try await device.recordCollection(of: "Tag").synchronize(with: server, policy: .localWins)
            try await synchronize(device, with: linkServer)
        }
        var deletion = ChangeSet()
        deletion.delete(RecordID("Tag", 1))
        try await phone.commit(deletion)
        for device in [phone, store] {
            try await device.recordCollection(of: "Tag").synchronize(with: server, policy: .localWins)
        }
        #expect(try await store.read { try $0.related(RecordID("Note", 7), "tags") } == [1, 2])
        let tags = try await store.recordCollection(of: "Tag")
        for waiting in try await tags.waiting where waiting.remote == nil {
            guard let key = waiting.local?.key else { continue }
            try await tags.resolve(key, with: .remote, of: waiting)
        }
        #expect(try await store.read { try $0.related(RecordID("Note", 7), "tags") } == [2])
    }

    @Test func collectionThatIsNoLongerSynchronized() async throws {
        let store = try await device()
        let server = SimulatedRemoteServer<Record, Value>(primaryKey: \.key)
        var changes = ChangeSet()
        try changes.put(Record("Note", in: store.schema, ["id": 7]))
        try await store.commit(changes)
        try await store.recordCollection(of: "Note").synchronize(with: server, policy: .localWins)
        let notes = try await store.recordCollection(of: "Note")
        try await notes.stopSynchronizing()
        #expect(try await notes.version == nil)
        #expect(try await notes.count == 1)
    }

    @Test func links() async throws {
        let store = try await device()
        var changes = ChangeSet()
        for (entity, key) in [("Note", 7), ("Tag", 1), ("Tag", 2)] as [(String, Value)] {
            try changes.put(Record(entity, in: store.schema, ["id": key]))
        }
        changes.setLinks(RecordID("Note", 7), "tags", to: [1, 2])
        try await store.commit(changes)
        let values = try await awaitedResults {
            let links = try await store.linkCollection(of: "Note", relationship: "tags")
            try await links.elements()  // note 7 with tag 1, note 7 with tag 2
        }
        let elements = [RecordLink(source: 7, target: 1), RecordLink(source: 7, target: 2)]
        #expect((values.last as? StoredElements<RecordLink>).map(Array.init) == elements)
        let server = SimulatedRemoteServer<RecordLink, RecordLink.ID>(primaryKey: \.id)
        try await synchronize(store, with: server)
        #expect(await server.remote.elements == elements)
    }

    private func synchronize(
        _ store: InMemoryAdapter, with server: SimulatedRemoteServer<RecordLink, RecordLink.ID>
    ) async throws {
        let links = try await store.linkCollection(of: "Note", relationship: "tags")
        try await links.synchronize(with: server, policy: .localWins)
    }
}
