import DifferentialSync
import StoreSync
import Testing

/// Deletions that a rule denies on one of the devices.
@Suite(.needsServiceStore) struct DeniedDeletionTests {
    private let phone: Device
    private let laptop: Device
    private let service: SyncService

    init() throws {
        let schema = try Schema([
            Entity("Folder") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("files", toMany: "File", inverse: "folder", deleteRule: .deny)
            },
            Entity("File") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("folder", to: "Folder", inverse: "files")
            },
        ])
        phone = try Device("phone", ServiceStores.make(schema))
        laptop = try Device("laptop", ServiceStores.make(schema))
        service = SyncService(
            ServiceStores.make(schema), account: "ada", makeName: Planner.names("epoch"))
    }

    /// Both devices have an empty folder; then the phone deletes it, and the laptop puts a file into it.
    private func part() async throws {
        try await phone.edit { changes, schema in try changes.put(Record("Folder", in: schema, ["id": 1])) }
        try await phone.sync(with: service)
        try await laptop.sync(with: service)
        try await phone.edit { changes, _ in changes.delete(RecordID("Folder", 1)) }
        try await laptop.edit { changes, schema in
            try changes.put(Record("File", in: schema, ["id": 1, "folder": 1]))
        }
    }

    @Test(arguments: [
        SyncPolicies(.remoteWins), SyncPolicies(.localWins), SyncPolicies(.keepEdits(otherwise: .leaveOpen)),
    ])
    func aFolderThatMustNotBeDeletedComesBackWhicheverSideIsFirst(_ policies: SyncPolicies) async throws {
        for devices in [[phone, laptop], [laptop, phone]] {
            try await part()
            for device in devices + devices { try await device.sync(with: service, policies) }
            for device in [phone, laptop] {
                #expect(try await device.record("Folder", 1) != nil)
                #expect(try await device.value("File", 1, "folder") == 1)
                #expect(try await device.sync(with: service, policies).isSynced)
            }
            try await phone.edit { changes, _ in changes.delete(RecordID("File", 1)) }
            try await phone.sync(with: service, policies)
            try await laptop.sync(with: service, policies)
        }
    }

    /// A task cannot be deleted with its project as long as it has notes.
    @Test func aProjectOfATaskThatMustNotBeDeletedComesBack() async throws {
        let schema = try Schema([
            Entity("Project") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tasks", toMany: "Task", inverse: "project", deleteRule: .cascade)
            },
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("project", to: "Project", inverse: "tasks")
                Relationship("notes", toMany: "Note", inverse: "task", deleteRule: .deny)
            },
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("task", to: "Task", inverse: "notes")
            },
        ])
        let devices = try ["phone", "laptop"].map { try Device($0, ServiceStores.make(schema)) }
        let service = SyncService(ServiceStores.make(schema), account: "ada", makeName: Planner.names("epoch"))
        try await devices[0].edit { changes, schema in
            for id in [1, 2] as [Value] { try changes.put(Record("Project", in: schema, ["id": id])) }
            try changes.put(Record("Task", in: schema, ["id": 1, "project": 1]))
            try changes.put(Record("Note", in: schema, ["id": 1, "task": 1]))
        }
        for device in devices { try await device.sync(with: service) }
        try await devices[1].edit { changes, _ in changes.update(RecordID("Task", 1), ["project": 2]) }
        try await devices[1].sync(with: service)
        try await devices[0].edit { changes, _ in changes.delete(RecordID("Project", 2)) }
        for device in devices + devices { try await device.sync(with: service, SyncPolicies(.localWins)) }
        for device in devices {
            #expect(try await device.sync(with: service).isSynced)
            #expect(try await device.value("Task", 1, "project") == 2)
            #expect(try await device.record("Project", 2) != nil)
        }
    }
}
