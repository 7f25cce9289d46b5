import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

/// The schema gets new attributes while records have local changes.
struct AddedAttributeTests {
    private static let text = Attribute("text", .string)
    private static let old = [entity("Note", [text])]
    private static let new = [
        entity(
            "Note", [text, Attribute("due", .integer), Attribute("status", .string, isOptional: false, default: "new")])
    ]

    /// A server in its first state, as devices of one version reach it.
    private func server(
        _ schema: Schema, _ rows: [(String, [String: Value])]
    ) throws -> SimulatedRemoteServer<Record, Value> {
        var remote = SimulatedRemote<Record, Value>(primaryKey: \.key)
        remote.reset(to: try rows.map { Record(try #require(schema[$0]), $1) })
        return SimulatedRemoteServer(remote)
    }

    private var unexpected: ConflictPolicy<Record> {
        ConflictPolicy { conflict in
            Issue.record("\(conflict)")
            return .open
        }
    }

    /// A device that has synchronized note 1 and edited its text.
    private func device(_ medium: Medium) async throws -> MigratedStore {
        let device = try await MigratedStore(medium, Schema(Self.old))
        try await device.store.recordCollection(of: "Note").synchronize(
            with: server(device.store.schema, [("Note", ["id": 1, "text": "milk"])]), policy: unexpected)
        try await device.store.edit("Note", 1, ["text": "oat milk"])
        return device
    }

    @Test(arguments: Medium.allCases)
    func valuesOfTheRemoteAreNoConflictWithAnEarlierEdit(medium: Medium) async throws {
        let device = try await device(medium)
        let store = try await device.reopened(Schema(Self.new))
        defer { withExtendedLifetime(device) {} }
        let values: [String: Value] = ["id": 1, "text": "milk", "due": 3, "status": "done"]
        let server = try server(store.schema, [("Note", values)])
        let notes = try await store.recordCollection(of: "Note")
        try await notes.synchronize(with: server, policy: unexpected)
        let expected = Record(
            try #require(store.schema["Note"]), values.merging(["text": "oat milk"]) { _, edited in edited })
        #expect(await server.remote.elements == [expected])
        #expect(try await notes.elements() == [expected])
        #expect(try await store.localDiff("Note") == nil)
    }

    @Test(arguments: Medium.allCases)
    func valueThatWasSetSinceTheUpdateStands(medium: Medium) async throws {
        let device = try await device(medium)
        let store = try await device.reopened(Schema(Self.new))
        defer { withExtendedLifetime(device) {} }
        try await store.edit("Note", 1, ["due": 7])
        let server = try server(store.schema, [("Note", ["id": 1, "text": "milk", "due": 3, "status": "done"])])
        let notes = try await store.recordCollection(of: "Note")
        try await notes.synchronize(with: server, policy: unexpected)
        #expect(await server.remote.elements.map { $0["due"] } == [7])
        #expect(await server.remote.elements.map { $0["status"] } == ["done"])
        #expect(try await notes.elements().map { $0["text"] } == ["oat milk"])
    }

    @Test(arguments: Medium.allCases)
    func renamedAttributeThatBothChangedIsAConflict(medium: Medium) async throws {
        let schema = try Schema([entity("Note", [Attribute("body", .string, renamedFrom: "text")])])
        let device = try await device(medium)
        let store = try await device.reopened(schema)
        defer { withExtendedLifetime(device) {} }
        let server = try server(schema, [("Note", ["id": 1, "body": "tea"])])
        let notes = try await store.recordCollection(of: "Note")
        try await notes.synchronize(with: server, policy: .leaveOpen)
        #expect(try await notes.conflicts.map { $0.base?["body"] } == ["milk"])
        #expect(try await notes.elements().map { $0["body"] } == ["oat milk"])
    }

    @Test(arguments: Medium.allCases)
    func attributesOfHeirsArriveToo(medium: Medium) async throws {
        let animal = entity("Animal", [Attribute("name", .string)])
        let before = try await MigratedStore(medium, Schema([animal, entity("Cat", parent: "Animal")]))
        try await before.store.recordCollection(of: "Animal").synchronize(
            with: server(before.store.schema, [("Cat", ["id": 1, "name": "Tom"])]), policy: unexpected)
        try await before.store.edit("Animal", 1, ["name": "Tomcat"])
        let store = try await before.reopened(
            Schema([animal, entity("Cat", parent: "Animal", [Attribute("lives", .integer)])]))
        defer { withExtendedLifetime(before) {} }
        let server = try server(store.schema, [("Cat", ["id": 1, "name": "Tom", "lives": 9])])
        let animals = try await store.recordCollection(of: "Animal")
        try await animals.synchronize(with: server, policy: unexpected)
        #expect(try await animals.elements().map { $0["lives"] } == [9])
        #expect(await server.remote.elements.map { $0["name"] } == ["Tomcat"])
        #expect(await server.remote.elements.map { $0["lives"] } == [9])
    }

    @Test(arguments: Medium.allCases)
    func attributeThatWasDroppedInBetweenIsPulledAnew(medium: Medium) async throws {
        let device = try await MigratedStore(medium, Schema(Self.new))
        defer { withExtendedLifetime(device) {} }
        let server = try server(
            device.store.schema, [("Note", ["id": 1, "text": "milk", "due": 3, "status": "done"])])
        try await device.store.recordCollection(of: "Note").synchronize(with: server, policy: unexpected)
        #expect(try await device.store.recordCollection(of: "Note").elements().map { $0["due"] } == [3])
        try await device.store.edit("Note", 1, ["text": "oat milk"])
        let between = try await device.reopened(Schema(Self.old), .drop("Note", "due"), .drop("Note", "status"))
        let store = try await device.reopened(from: between, Schema(Self.new))
        let notes = try await store.recordCollection(of: "Note")
        #expect(try await notes.elements().map { $0["due"] } == [.null])
        try await notes.synchronize(with: server, policy: unexpected)
        let expected: [String: Value] = ["id": 1, "text": "oat milk", "due": 3, "status": "done"]
        #expect(try await notes.elements() == [Record(try #require(store.schema["Note"]), expected)])
        #expect(await server.remote.elements.map { $0["due"] } == [3])
        #expect(await server.remote.elements.map { $0["status"] } == ["done"])
        #expect(try await store.localDiff("Note") == nil)
    }
}
