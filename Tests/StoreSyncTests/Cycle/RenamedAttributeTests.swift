import DifferentialSyncTesting
import StoreSync
import Testing

/// An attribute that the app and the service rename at different times.
@Suite struct RenamedAttributeTests {
    private static func schema(_ entity: String = "Task", _ attribute: String = "title") throws -> Schema {
        try Schema([
            Entity(entity, renamedFrom: entity == "Task" ? nil : "Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute(attribute, .string, renamedFrom: attribute == "title" ? nil : "title")
                Attribute("note", .string)
            }
        ])
    }

    private func service(_ store: InMemoryAdapter) -> SyncService {
        SyncService(store, account: "ada", makeName: Planner.names("epoch"))
    }

    /// A service with two tasks, and two devices that have them.
    private func world() async throws -> (server: InMemoryAdapter, phone: Device, tablet: Device) {
        let server = InMemoryAdapter(schema: try Self.schema())
        let phone = try Device("phone", InMemoryAdapter(schema: Self.schema()))
        let tablet = try Device("tablet", InMemoryAdapter(schema: Self.schema()))
        try await phone.edit { changes, schema in
            for key in Int64(1)...3 {
                try changes.put(Record("Task", in: schema, ["id": .integer(key), "title": "A", "note": "n"]))
            }
        }
        for device in [phone, tablet] { try await device.sync(with: service(server)) }
        return (server, phone, tablet)
    }

    private func updated(_ device: Device, to schema: Schema) async throws -> Device {
        try Device(device.name, await InMemoryAdapter.copy(of: device.store, schema: schema))
    }

    @Test func editsUnderTheOldNameArriveIfTheAppIsRenamedFirst() async throws {
        let (server, phone, tablet) = try await world()
        let renamed = try Self.schema("Task", "name")
        let newPhone = try await updated(phone, to: renamed)
        #expect(try await newPhone.sync(with: service(server)).isSynced)
        try await tablet.edit { changes, _ in
            changes.update(RecordID("Task", 1), ["title": "B"])
            changes.update(RecordID("Task", 2), ["note": "m"])
            changes.delete(RecordID("Task", 3))
        }
        try await tablet.sync(with: service(server))
        #expect(try await newPhone.sync(with: service(server)).isSynced)
        #expect(try await newPhone.value("Task", 1, "name") == "A")
        #expect(try await newPhone.value("Task", 2, "name") == "A")
        #expect(try await newPhone.record("Task", 3) == nil, "an unedited record was kept")
        let newServer = try await InMemoryAdapter.copy(of: server, schema: renamed)
        let outcome = try await newPhone.sync(with: service(newServer))
        #expect(outcome.isSynced && outcome.conflicts == [] && outcome.trace.pushedCount == 0)
        #expect(try await newServer.read { try $0.record(RecordID("Task", 1))?["name"] } == "B")
        #expect(try await newPhone.value("Task", 1, "name") == "B")
        #expect(try await newPhone.value("Task", 2, "name") == "A")
    }

    @Test func editsUnderBothNamesAreAConflict() async throws {
        let (server, phone, tablet) = try await world()
        let renamed = try Self.schema("Task", "name")
        let newPhone = try await updated(phone, to: renamed)
        try await newPhone.sync(with: service(server))
        try await newPhone.edit { changes, _ in
            changes.update(RecordID("Task", 1), ["name": "C"])
            changes.update(RecordID("Task", 2), ["name": "C"])
        }
        #expect(try await newPhone.sync(with: service(server)).pending.count == 2)
        try await tablet.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "B"]) }
        try await tablet.sync(with: service(server))
        let newServer = try await InMemoryAdapter.copy(of: server, schema: renamed)
        let outcome = try await newPhone.sync(with: service(newServer))
        #expect(outcome.conflicts.map(\.id) == [RecordID("Task", 1)])
        #expect(try await newServer.read { try $0.record(RecordID("Task", 1))?["name"] } == "B")
        #expect(try await newServer.read { try $0.record(RecordID("Task", 2))?["name"] } == "C")
    }

    @Test func editsUnderTheNewNameArriveIfTheServiceIsRenamedFirst() async throws {
        let (server, phone, tablet) = try await world()
        let renamed = try Self.schema("Task", "name")
        let newServer = try await InMemoryAdapter.copy(of: server, schema: renamed)
        #expect(try await phone.sync(with: service(newServer)).isSynced)
        let newTablet = try await updated(tablet, to: renamed)
        try await newTablet.edit { changes, _ in changes.update(RecordID("Task", 1), ["name": "B"]) }
        #expect(try await newTablet.sync(with: service(newServer)).isSynced)
        #expect(try await phone.sync(with: service(newServer)).isSynced)
        #expect(try await phone.value("Task", 1, "title") == "A")
        let newPhone = try await updated(phone, to: renamed)
        let outcome = try await newPhone.sync(with: service(newServer))
        #expect(outcome.isSynced && outcome.conflicts == [] && outcome.trace.pushedCount == 0)
        #expect(try await newPhone.value("Task", 1, "name") == "B")
    }

    /// The push does not arrive, and the service has another name for the attribute when it is sent again.
    @Test(arguments: [true, false])
    func anEditThatIsSentAgainAfterARenamingArrives(isServiceFirst: Bool) async throws {
        let (server, phone, _) = try await world()
        let renamed = try Self.schema("Task", "name")
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "B"]) }
        var remote = ScriptedRemote(service(server))
        remote.answer = { _ in throw RemoteError.later() }
        #expect(try await phone.sync(with: remote).failure == .later())
        let newServer = try await InMemoryAdapter.copy(of: server, schema: renamed)
        let newPhone: Device
        if isServiceFirst {
            #expect(try await phone.sync(with: service(newServer)).pending == [RecordID("Task", 1)])
            newPhone = try await updated(phone, to: renamed)
        } else {
            newPhone = try await updated(phone, to: renamed)
            #expect(try await newPhone.sync(with: service(server)).pending == [RecordID("Task", 1)])
        }
        #expect(try await newPhone.sync(with: service(newServer)).isSynced)
        #expect(try await newPhone.value("Task", 1, "name") == "B")
        #expect(try await newServer.read { try $0.record(RecordID("Task", 1))?["name"] } == "B")
    }

    /// The push does not arrive, and the service has another name for the entity when it is sent again.
    @Test(arguments: [true, false])
    func aChangeOfARenamedEntityThatIsSentAgainIsNotRefused(isDeletion: Bool) async throws {
        let (server, phone, _) = try await world()
        let renamed = try Self.schema("ToDo", "title")
        try await phone.edit { changes, _ in
            if isDeletion {
                changes.delete(RecordID("Task", 1))
            } else {
                changes.update(RecordID("Task", 1), ["title": "B"])
            }
        }
        var remote = ScriptedRemote(service(server))
        remote.answer = { _ in throw RemoteError.later() }
        #expect(try await phone.sync(with: remote).failure == .later())
        let newServer = try await InMemoryAdapter.copy(of: server, schema: renamed)
        #expect(try await phone.sync(with: service(newServer)).refused == [])
        let newPhone = try await updated(phone, to: renamed)
        #expect(try await newPhone.sync(with: service(newServer)).isSynced)
        let expected: Value? = isDeletion ? nil : "B"
        #expect(try await newServer.read { try $0.record(RecordID("ToDo", 1))?["title"] } == expected)
    }

    @Test func valuesStayIfTheServiceIsRenamedBetweenPages() async throws {
        let (server, phone, tablet) = try await world()
        try await tablet.edit { changes, _ in
            for key in Int64(1)...3 { changes.update(RecordID("Task", .integer(key)), ["note": "m"]) }
        }
        try await tablet.sync(with: service(server))
        let remote = try DeployedRemote(server, Self.schema("Task", "name"), at: .pull)
        let outcome = try await phone.sync(with: remote)
        #expect(outcome.failure == nil && outcome.pending == [] && outcome.conflicts == [])
        for key in 1...3 as ClosedRange<Int64> {
            #expect(try await phone.value("Task", .integer(key), "title") == "A")
            #expect(try await phone.value("Task", .integer(key), "note") == "m")
        }
    }

    @Test func anEditIsNotRefusedIfTheServiceIsRenamedBeforeThePush() async throws {
        let (server, phone, _) = try await world()
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "B"]) }
        let remote = try DeployedRemote(server, Self.schema("Task", "name"), at: .handshake)
        let outcome = try await phone.sync(with: remote)
        #expect(outcome.failure == nil && outcome.refused == [] && outcome.pending == [RecordID("Task", 1)])
    }

    @Test func editsOfAnEntityThatTheAppRenamesFirstArrive() async throws {
        let (server, phone, tablet) = try await world()
        let renamed = try Self.schema("ToDo", "title")
        let newPhone = try await updated(phone, to: renamed)
        try await newPhone.sync(with: service(server))
        try await tablet.edit { changes, _ in
            changes.update(RecordID("Task", 1), ["title": "B"])
            changes.delete(RecordID("Task", 3))
        }
        try await tablet.sync(with: service(server))
        try await newPhone.sync(with: service(server))
        try await newPhone.edit { changes, _ in changes.update(RecordID("ToDo", 2), ["note": "C"]) }
        let newServer = try await InMemoryAdapter.copy(of: server, schema: renamed)
        #expect(try await newPhone.sync(with: service(newServer)).isSynced)
        #expect(try await newPhone.value("ToDo", 1, "title") == "B")
        #expect(try await newPhone.record("ToDo", 3) == nil)
        #expect(try await newServer.read { try $0.record(RecordID("ToDo", 2))?["note"] } == "C")
    }

    private static func notes(hasColor: Bool) throws -> Schema {
        try Schema([
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                if hasColor { Attribute("color", .string) }
            }
        ])
    }

    @Test func aValueThatAStepFillsInGivesWayToAnEdit() async throws {
        let server = InMemoryAdapter(schema: try Self.notes(hasColor: false))
        let phone = try Device("phone", InMemoryAdapter(schema: Self.notes(hasColor: false)))
        try await phone.edit { changes, schema in
            for key in Int64(1)...2 { try changes.put(Record("Note", in: schema, ["id": .integer(key)])) }
        }
        try await phone.sync(with: service(server))
        let newPhone = try Device(
            "phone",
            await InMemoryAdapter.copy(
                of: phone.store, schema: Self.notes(hasColor: true),
                migration: [.fill("Note", "color") { _ in "white" }]))
        try await newPhone.sync(with: service(server))
        let newServer = try await InMemoryAdapter.copy(of: server, schema: Self.notes(hasColor: true))
        let laptop = try Device("laptop", InMemoryAdapter(schema: Self.notes(hasColor: true)))
        try await laptop.sync(with: service(newServer))
        try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["color": "red"]) }
        try await laptop.sync(with: service(newServer))
        let outcome = try await newPhone.sync(with: service(newServer))
        #expect(outcome.isSynced && outcome.conflicts == [])
        #expect(try await newServer.read { try $0.record(RecordID("Note", 1))?["color"] } == "red")
        #expect(try await newServer.read { try $0.record(RecordID("Note", 2))?["color"] } == "white")
    }

    /// The service gets the attribute after the handshake, and fills it in.
    @Test(arguments: [false, true])
    func anAttributeThatTheServiceGetsBeforeAPushIsPulledInTheSameCycle(forgetsDeletions: Bool) async throws {
        let server = InMemoryAdapter(schema: try Self.notes(hasColor: false))
        let phone = try Device("phone", InMemoryAdapter(schema: Self.notes(hasColor: true)))
        let laptop = try Device("laptop", InMemoryAdapter(schema: Self.notes(hasColor: false)))
        try await laptop.edit { changes, schema in try changes.put(Record("Note", in: schema, ["id": 1])) }
        for device in [laptop, phone] { #expect(try await device.sync(with: service(server)).failure == nil) }
        if forgetsDeletions { try await service(server).prune(through: 100) }
        try await phone.edit { changes, schema in
            for key in Int64(2)...3 {
                try changes.put(Record("Note", in: schema, ["id": .integer(key), "color": "blue"]))
            }
        }
        let remote = try DeployedRemote(
            server, Self.notes(hasColor: true), at: .push, migration: [.fill("Note", "color", with: "white")])
        #expect(try await phone.sync(with: remote).isSynced)
        let tablet = try Device("tablet", InMemoryAdapter(schema: Self.notes(hasColor: true)))
        #expect(try await tablet.sync(with: remote).isSynced)
        for device in [phone, tablet] {
            #expect(try await device.value("Note", 1, "color") == "white")
            for key in Int64(2)...3 { #expect(try await device.value("Note", .integer(key), "color") == "blue") }
        }
    }
}

/// A service whose store gets another schema after its first page or handshake, or before its first push.
private struct DeployedRemote: Remote {
    enum Request { case handshake, pull, push }

    private let server: InMemoryAdapter
    private let schema: Schema
    private let request: Request
    private let migration: [MigrationStep]
    private let service: Locked<SyncService>
    private let isDeployed = Locked(false)

    init(_ server: InMemoryAdapter, _ schema: Schema, at request: Request, migration: [MigrationStep] = []) {
        (self.server, self.schema, self.request, self.migration) = (server, schema, request, migration)
        service = Locked(Self.service(server))
    }

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        let response = try await service.current.handshake(request)
        try await deploy(at: .handshake)
        return response
    }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        let response = try await service.current.pull(request)
        try await deploy(at: .pull)
        return response
    }

    func push(_ request: PushRequest) async throws -> PushResponse {
        try await deploy(at: .push)
        return try await service.current.push(request)
    }

    private func deploy(at request: Request) async throws {
        if request != self.request || isDeployed.exchange(with: true) { return }
        let store = try await InMemoryAdapter.copy(of: server, schema: schema, migration: migration)
        service.exchange(with: Self.service(store))
    }

    private static func service(_ store: InMemoryAdapter) -> SyncService {
        SyncService(
            store, account: "ada", limits: SyncLimits(pageRecords: 1, pushRecords: 1),
            makeName: Planner.names("later epoch"))
    }
}
