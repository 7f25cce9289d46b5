import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// A device whose schema is older than that of the service.
@Suite struct NewerServiceTests {
    private let phone: Device
    private let laptop: Device
    private let server: InMemoryAdapter
    private let service: SyncService

    init() throws {
        phone = try Device("phone", InMemoryAdapter(schema: Schema.notes(withColor: false)))
        laptop = try Device("laptop", InMemoryAdapter(schema: Schema.notes(withColor: true)))
        server = InMemoryAdapter(schema: try Schema.notes(withColor: true))
        service = SyncService(server, account: "ada", makeName: Planner.names("epoch"))
    }

    /// The laptop has made a red note, which the phone has without its color.
    private func share() async throws {
        try await laptop.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["id": 1, "text": "milk", "color": "red"]))
            try changes.put(Record("Note", in: schema, ["id": 2, "text": "eggs"]))
        }
        try await laptop.sync(with: service)
        #expect(try await phone.sync(with: service).isSynced)
    }

    private func color(_ key: Value, at store: InMemoryAdapter) async throws -> Value? {
        try await store.read { try $0.record(RecordID("Note", key))?["color"] }
    }

    @Test func aRecordThatTheServiceHasLostIsSentWithItsUnknownAttributes() async throws {
        try await share()
        let empty = InMemoryAdapter(schema: try Schema.notes(withColor: true))
        let another = SyncService(empty, account: "ada", makeName: Planner.names("another"))
        #expect(try await phone.sync(with: another).isSynced)
        #expect(try await color(1, at: empty) == "red")
        #expect(try await color(2, at: empty) == .null)
    }

    @Test func aRecordThatWasDeletedBeforeTheHorizonComesBackWithItsUnknownAttributes() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "oat milk"]) }
        try await laptop.edit { changes, _ in changes.delete(RecordID("Note", 1)) }
        try await laptop.sync(with: service)
        try await service.prune(through: .max)
        #expect(try await phone.sync(with: service, SyncPolicies(.localWins)).isSynced)
        #expect(try await server.read { try $0.record(RecordID("Note", 1))?["text"] } == "oat milk")
        #expect(try await color(1, at: server) == "red")
    }

    @Test func aNewRecordDoesNotGetTheAttributesOfADeletedOne() async throws {
        try await share()
        try await laptop.edit { changes, _ in changes.delete(RecordID("Note", 1)) }
        try await laptop.sync(with: service)
        try await phone.sync(with: service)
        try await phone.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["id": 1, "text": "bread"]))
            changes.delete(RecordID("Note", 2))
        }
        try await phone.sync(with: service)
        try await phone.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["id": 2, "text": "butter"]))
        }
        try await phone.sync(with: service)
        #expect(try await color(1, at: server) == .null)
        #expect(try await color(2, at: server) == .null)
    }

    @Test func objectsKeepUnknownAttributesToo() async throws {
        let remote = ObjectRemote(InMemoryObjects(), account: "ada", makeName: Planner.names("object"))
        try await laptop.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["id": 1, "text": "milk", "color": "red"]))
        }
        try await laptop.sync(with: remote)
        try await phone.sync(with: remote)
        let another = ObjectRemote(InMemoryObjects(), account: "ada", makeName: Planner.names("another"))
        #expect(try await phone.sync(with: another).isSynced)
        try await laptop.sync(with: another)
        #expect(try await laptop.value("Note", 1, "color") == "red")
        let tablet = try Device("tablet", InMemoryAdapter(schema: Schema.notes(withColor: true)))
        try await tablet.sync(with: another)
        #expect(try await tablet.value("Note", 1, "color") == "red")
    }
}
