import RESTSync
import SyncPersistence
import Testing

/// Updates of the app while the answer to a change is unknown.
@Suite struct RESTUpdateTests {
    private let server = FakeServer()
    private let phone: TodoDevice

    init() throws { phone = try TodoDevice("phone", at: server) }

    /// Sends a new todo whose answer is lost.
    private func loseAnswer(note: Value = "7") async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Todo", in: schema, ["id": -1, "title": "dig", "note": note]))
        }
        server.fail(.loseAnswer)
        #expect(try await phone.sync().failure == .later())
    }

    /// Returns the device after an update of the app.
    private func updated(_ schema: Schema, _ steps: [MigrationStep]) async throws -> TodoDevice {
        let store = try await InMemoryAdapter.copy(of: phone.store, schema: schema, migration: steps)
        let mirror = try await InMemoryAdapter.copy(of: phone.mirror, schema: schema, migration: steps)
        return try TodoDevice("updated", at: server, store, mirror: mirror)
    }

    /// Requires that a device and its mirror have the todo once, and that the server received it twice under one name.
    private func checkTodo(of device: TodoDevice, _ names: [String], _ values: [Value]) async throws {
        #expect(server.requests.map(\.attempt) == [1, 2])
        #expect(Set(server.requests.map(\.name)).count == 1)
        #expect(server.objects("Todo").count == 1)
        for store in [device.store, device.mirror] {
            let todos = try await store.read { try $0.records(Query("Todo")) }
            #expect(todos.map { todo in names.map { todo[$0] } } == [values])
        }
    }

    @Test(arguments: ["note", "memo"], [AttributeType.string, .integer, .json])
    func aRenamedOrConvertedAttributeDoesNotDoubleARecord(note: String, type: AttributeType) async throws {
        try await loseAnswer()
        let step = MigrationStep.convert("Todo", "note") { $0 == "7" ? 7 : $0 }
        let device = try await updated(TodoDevice.schema(hasColors: true, note: note, noteType: type), [step])
        for _ in 1...2 { #expect(try await device.sync().isSynced) }
        try await checkTodo(of: device, ["title", note], ["dig", type == .string ? "7" : 7])
    }

    @Test func aNewMandatoryAttributeDoesNotDoubleARecord() async throws {
        try await loseAnswer()
        let step = MigrationStep.fill("Todo", "priority", with: 1)
        let device = try await updated(TodoDevice.schema(hasPriority: true), [step])
        for _ in 1...2 { #expect(try await device.sync().isSynced) }
        try await checkTodo(of: device, ["title", "note", "priority"], ["dig", "7", 1])
    }

    @Test func aNewDefaultIsNotTheValueOfAnOlderChange() async throws {
        try await loseAnswer(note: .null)
        let device = try await updated(TodoDevice.schema(noteDefault: "none"), [])
        for _ in 1...2 { #expect(try await device.sync().isSynced) }
        try await checkTodo(of: device, ["title", "note"], ["dig", .null])
    }

    /// An earlier version of the library did not store the form of a change.
    @Test func aChangeOfUnknownFormDoesNotDoubleARecord() async throws {
        try await loseAnswer()
        try await phone.mirror.write { transaction in
            #expect(try transaction.metadata("sync.rest.form") != nil)
            try transaction.setLibraryMetadata(nil, for: "sync.rest.form")
        }
        for _ in 1...2 { #expect(try await phone.sync().isSynced) }
        try await checkTodo(of: phone, ["title", "note"], ["dig", "7"])
    }

    @Test func aChangeThatNoDeviceHasAnyMoreIsSentAfterAnUpdate() async throws {
        try await phone.add(-1, "dig")
        server.fail(.expired)
        #expect(try await phone.sync().failure == .unauthorized)
        let schema = try TodoDevice.schema(noteDefault: "none")
        let mirror = try await InMemoryAdapter.copy(of: phone.mirror, schema: schema, migration: [])
        let device = try TodoDevice("new", at: server, InMemoryAdapter(schema: schema), mirror: mirror)
        for _ in 1...2 { #expect(try await device.sync().isSynced) }
        #expect(server.objects("Todo").map { $0["title"] } == ["dig"])
        #expect(try await device.titles() == ["dig"])
    }
}
