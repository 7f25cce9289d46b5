import DifferentialSync
import StoreSync
import Testing

/// Links that one device makes to a record which the other deletes, where the deletion wins.
@Suite struct LinkToDeletedRecordTests {
    private let phone: Device
    private let laptop: Device
    private let service: SyncService

    init() throws {
        let schema = try Schema([
            Entity("Project") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tasks", toMany: "Task", inverse: "project", deleteRule: .cascade)
            },
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tasks", toMany: "Task", inverse: "assignee")
            },
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Relationship("project", to: "Project", inverse: "tasks", isOptional: false)
                Relationship("assignee", to: "Person", inverse: "tasks")
                Relationship("notes", toMany: "Note", inverse: "task", deleteRule: .cascade)
            },
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("task", to: "Task", inverse: "notes", isOptional: false)
            },
        ])
        phone = try Device("phone", InMemoryAdapter(schema: schema))
        laptop = try Device("laptop", InMemoryAdapter(schema: schema))
        service = SyncService(InMemoryAdapter(schema: schema), account: "ada", makeName: Planner.names("epoch"))
    }

    /// Both devices have a task with a note in the first of two projects, and a person without a task.
    private func share() async throws {
        try await phone.edit { changes, schema in
            for id in [Value.integer(1), 2] { try changes.put(Record("Project", in: schema, ["id": id])) }
            try changes.put(Record("Person", in: schema, ["id": 1]))
            try changes.put(Record("Task", in: schema, ["id": 1, "title": "dig", "project": 1]))
            try changes.put(Record("Note", in: schema, ["id": 1, "task": 1]))
        }
        try await syncAll()
    }

    private func syncAll() async throws {
        for device in [phone, laptop, phone, laptop] { try await device.sync(with: service, SyncPolicies(.localWins)) }
    }

    /// All conflicts are decided, and the devices have the same.
    private func expectAgreement() async throws {
        for device in [phone, laptop] {
            #expect(try await device.sync(with: service, SyncPolicies(.localWins)).isSynced)
        }
        try await expectEqualContents(of: [phone.store, laptop.store])
    }

    @Test func editedRecordLosesTheLinkAndKeepsTheEdit() async throws {
        try await share()
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 1), ["assignee": 1]) }
        try await laptop.sync(with: service)
        try await phone.edit { changes, _ in
            changes.update(RecordID("Task", 1), ["title": "dig deep"])
            changes.delete(RecordID("Person", 1))
        }
        try await syncAll()
        try await expectAgreement()
        #expect(try await laptop.value("Task", 1, "title") == "dig deep")
        #expect(try await laptop.value("Task", 1, "assignee") == .null)
        #expect(try await laptop.record("Person", 1) == nil)
    }

    @Test func conflictOfTheEditedRecordWaitsForItsDecision() async throws {
        try await share()
        try await laptop.edit { changes, _ in
            changes.update(RecordID("Task", 1), ["assignee": 1, "title": "rake"])
        }
        try await laptop.sync(with: service)
        try await phone.edit { changes, _ in
            changes.update(RecordID("Task", 1), ["title": "dig deep"])
            changes.delete(RecordID("Person", 1))
        }
        var policies = SyncPolicies(.localWins)
        policies["Task"] = .leaveOpen
        let outcome = try await phone.sync(with: service, policies)
        let conflict = try #require(outcome.conflicts.first { $0.isOpen })
        #expect(conflict.versions.remote?["assignee"] == 1)
        // The person is not deleted before: the decision may need it.
        #expect(outcome.pending == [RecordID("Person", 1)])
        try await phone.store.resolve(conflict, with: .remote)
        try await syncAll()
        try await expectAgreement()
        #expect(try await laptop.value("Task", 1, "title") == "rake")
        #expect(try await laptop.value("Task", 1, "assignee") == 1)
    }

    @Test func recordIsNotDeletedWithEditsThatRefersToTwoDeletedRecords() async throws {
        try await share()
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 1), ["assignee": 1, "project": 2]) }
        try await laptop.sync(with: service)
        try await phone.edit { changes, _ in
            changes.update(RecordID("Note", 1), ["text": "near the fence"])
            changes.delete(RecordID("Project", 2))
            changes.delete(RecordID("Person", 1))
        }
        try await syncAll()
        try await expectAgreement()
        // The task cannot be without its project, and its note has an edit.
        #expect(try await laptop.value("Note", 1, "text") == "near the fence")
        #expect(try await laptop.value("Task", 1, "project") == 2)
        #expect(try await laptop.value("Task", 1, "assignee") == .null)
    }

    /// The laptop moves the task to the other project and deletes its own, and the phone deletes the other one.
    private func deleteBothProjects(_ edit: (entity: String, values: [String: Value])? = nil) async throws {
        try await share()
        try await laptop.edit { changes, _ in
            changes.update(RecordID("Task", 1), ["project": 2])
            changes.delete(RecordID("Project", 1))
        }
        try await laptop.sync(with: service)
        try await phone.edit { changes, _ in
            changes.delete(RecordID("Project", 2))
            if let edit { changes.update(RecordID(edit.entity, 1), edit.values) }
        }
    }

    @Test func recordIsDeletedWithItsOwnIfBothItsTargetsAre() async throws {
        try await deleteBothProjects()
        try await syncAll()
        try await expectAgreement()
        for entity in ["Project", "Task", "Note"] {
            #expect(try await laptop.store.read { try $0.count(Query(entity)) } == 0)
        }
    }

    @Test func recordKeepsItsFormerTargetUntilTheConflictOfTheNewOneIsDecided() async throws {
        try await deleteBothProjects()
        for _ in 1...2 {
            let outcome = try await phone.sync(with: service)
            #expect(outcome.conflicts.map(\.id) == [RecordID("Project", 2)])
            #expect(outcome.waiting == [RecordID("Project", 1), RecordID("Task", 1)])
            #expect(try await phone.value("Task", 1, "project") == 1)
            #expect(try await phone.record("Note", 1) != nil)
        }
        let conflict = try #require(await phone.store.openConflicts.first)
        try await phone.store.resolve(conflict, with: .remote)
        for device in [phone, laptop, phone, laptop] { try await device.sync(with: service) }
        try await expectAgreement()
        #expect(try await laptop.store.read { try $0.keys(of: "Project") } == [2])
        #expect(try await laptop.value("Task", 1, "project") == 2)
        #expect(try await laptop.record("Note", 1) != nil)
    }

    @Test(arguments: ["Note", "Task"]) func editBelowKeepsTheNewTargetAndNotTheFormerOne(_ entity: String) async throws
    {
        let property = entity == "Note" ? "text" : "title"
        try await deleteBothProjects((entity, [property: "near the fence"]))
        let outcome = try await phone.sync(with: service, SyncPolicies(.localWins))
        #expect(outcome.conflicts.map(\.id) == [RecordID("Project", 2)])
        try await syncAll()
        try await expectAgreement()
        #expect(try await laptop.store.read { try $0.keys(of: "Project") } == [2])
        #expect(try await laptop.value("Task", 1, "project") == 2)
        #expect(try await laptop.value(entity, 1, property) == "near the fence")
    }

    /// The task that it needs is in a conflict itself, which the decision resolves.
    @Test func recordThatIsKeptByADecisionBringsBackWhatItNeeds() async throws {
        try await share()
        try await laptop.edit { changes, _ in
            changes.update(RecordID("Task", 1), ["title": "dig deep"])
            changes.update(RecordID("Note", 1), ["text": "near the fence"])
        }
        try await laptop.sync(with: service)
        try await phone.edit { changes, _ in changes.delete(RecordID("Task", 1)) }
        let outcome = try await phone.sync(with: service)
        let conflict = try #require(outcome.conflicts.first { $0.id == RecordID("Note", 1) })
        try await phone.store.resolve(conflict, with: .remote)
        #expect(try await phone.store.openConflicts.isEmpty)
        for device in [phone, laptop] { #expect(try await device.sync(with: service).isSynced) }
        #expect(try await phone.value("Note", 1, "text") == "near the fence")
        #expect(try await phone.value("Task", 1, "title") == "dig deep")
        try await expectAgreement()
    }
}
