import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// Two devices that share a planner over a service.
@Suite(.needsServiceStore) struct TwoDeviceTests: PlannerSuite {
    let shared: SharedPlanner

    init() throws { shared = try SharedPlanner() }

    /// Both devices have a project with two tasks and a tag.
    private func share() async throws {
        try await phone.edit { changes, schema in
            try changes.put(Record("Area", in: schema, ["id": 1, "name": "home"]))
            try changes.put(Record("Project", in: schema, ["id": 1, "name": "garden", "area": 1]))
            try changes.put(Record("Task", in: schema, ["id": 1, "title": "dig", "project": 1]))
            try changes.put(Record("Task", in: schema, ["id": 2, "title": "sow", "project": 1]))
            try changes.put(Record("Tag", in: schema, ["id": 1, "name": "spring"]))
            changes.setLinks(RecordID("Project", 1), "tasks", to: [2, 1])
            changes.link(RecordID("Task", 1), "tags", to: 1)
        }
        try await syncAll()
    }

    @discardableResult
    private func syncAll(_ policies: SyncPolicies = SyncPolicies()) async throws -> [StoreOutcome] {
        var outcomes: [StoreOutcome] = []
        for device in [phone, laptop, phone, laptop] { outcomes.append(try await device.sync(with: service, policies)) }
        return outcomes
    }

    @Test func recordsLinksAndOrdersArriveOnTheOtherDevice() async throws {
        try await share()
        #expect(try await laptop.value("Project", 1, "name") == "garden")
        #expect(try await laptop.related("Project", 1, "tasks") == [2, 1])
        #expect(try await laptop.related("Tag", 1, "tasks") == [1])
        let outcome = try await laptop.sync(with: service)
        #expect(outcome.isSynced)
        #expect(outcome.isVerified != false)
        try await expectAgreement()
    }

    @Test func editsOfDifferentRecordsNeverRefuseEachOther() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "dig deep"]) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 2), ["title": "sow beans"]) }
        for outcome in try await syncAll() { #expect(outcome.conflicts.isEmpty) }
        #expect(try await phone.value("Task", 2, "title") == "sow beans")
        #expect(try await laptop.value("Task", 1, "title") == "dig deep")
        try await expectAgreement()
    }

    @Test func editsOfDifferentFieldsOfOneRecordAreMerged() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.update(RecordID("Project", 1), ["name": "yard"]) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Project", 1), ["budget": 50]) }
        for outcome in try await syncAll() { #expect(outcome.conflicts.isEmpty) }
        #expect(try await phone.value("Project", 1, "budget") == 50)
        #expect(try await laptop.value("Project", 1, "name") == "yard")
        try await expectAgreement()
    }

    @Test func aConflictStaysOpenUntilItIsResolved() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "dig deep"]) }
        try await laptop.edit { changes, _ in
            changes.update(RecordID("Task", 1), ["title": "dig wide", "isDone": true])
        }
        try await syncAll()
        let conflict = try #require(try await laptop.store.openConflicts.first)
        #expect(conflict.fields == ["title"])
        #expect(conflict.versions.remote?["title"] == "dig deep")
        #expect(try await phone.value("Task", 1, "title") == "dig deep")
        try await laptop.store.resolve(conflict, with: .local)
        #expect(try await laptop.store.openConflicts.isEmpty)
        try await syncAll()
        #expect(try await phone.value("Task", 1, "title") == "dig wide")
        #expect(try await phone.value("Task", 1, "isDone") == true)
        try await expectAgreement()
    }

    @Test func aDeletionOfWhatTheOtherDeviceHasDeletedResolvesTheConflict() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(RecordID("Task", 1)) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "dig deep"]) }
        try await syncAll()
        #expect(try await laptop.store.openConflicts.map(\.versions.kind) == [.editedHereDeletedThere])
        try await laptop.edit { changes, _ in changes.delete(RecordID("Task", 1)) }
        #expect(try await laptop.store.openConflicts.isEmpty)
        try await syncAll()
        #expect(try await phone.record("Task", 1) == nil)
        try await expectAgreement()
    }

    @Test func aRecordThatIsDeletedAndStoredAgainInOneTransactionStaysInConflict() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(RecordID("Task", 1)) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 1), ["title": "dig deep"]) }
        try await syncAll()
        try await laptop.edit { changes, schema in
            changes.delete(RecordID("Task", 1))
            try changes.put(Record("Task", in: schema, ["id": 1, "title": "dig on", "project": 1]))
        }
        #expect(try await laptop.store.openConflicts.map(\.versions.kind) == [.editedHereDeletedThere])
        #expect(try await laptop.value("Task", 1, "title") == "dig on")
    }

    @Test func aDeletedProjectTakesItsTasksWithItEverywhere() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(RecordID("Project", 1)) }
        for outcome in try await syncAll() { #expect(outcome.conflicts.isEmpty) }
        #expect(try await laptop.record("Project", 1) == nil)
        #expect(try await laptop.record("Task", 1) == nil)
        #expect(try await laptop.related("Tag", 1, "tasks") == [])
        try await expectAgreement()
    }

    @Test func anEditOfATaskOfADeletedProjectIsAConflict() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(RecordID("Project", 1)) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 2), ["title": "sow beans"]) }
        let outcomes = try await syncAll(SyncPolicies(.keepEdits(otherwise: .leaveOpen)))
        #expect(outcomes.contains { !$0.conflicts.isEmpty })
        for device in [phone, laptop] {
            #expect(try await device.value("Task", 2, "title") == "sow beans")
            #expect(try await device.value("Project", 1, "name") == "garden")
        }
        try await expectAgreement()
    }

    /// The policy decides about the edited record, and not about those that were deleted with it.
    @Test(arguments: [true, false])
    func aDeletedProjectThatAnEditBringsBackIsWithoutItsTasks(deleterIsFirst: Bool) async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(RecordID("Project", 1)) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Project", 1), ["name": "yard"]) }
        let policies = SyncPolicies(.keepEdits(otherwise: .leaveOpen))
        if !deleterIsFirst { try await laptop.sync(with: service, policies) }
        try await syncAll(policies)
        for device in [phone, laptop] {
            #expect(try await device.value("Project", 1, "name") == "yard")
            #expect(try await device.value("Project", 1, "area") == 1)
            #expect(try await device.related("Project", 1, "tasks").isEmpty)
            #expect(try await device.record("Task", 1) == nil)
        }
        try await expectAgreement()
    }

    @Test func aTaskAddedToADeletedProjectIsAConflictAndNotLost() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(RecordID("Project", 1)) }
        try await laptop.edit { changes, schema in
            try changes.put(Record("Task", in: schema, ["id": 3, "title": "weed", "project": 1]))
        }
        try await phone.sync(with: service)
        let outcome = try await laptop.sync(with: service)
        #expect(outcome.conflicts.contains { $0.isOpen })
        #expect(try await laptop.value("Task", 3, "title") == "weed")
        for conflict in try await laptop.store.openConflicts {
            try await laptop.store.resolve(conflict, with: .local)
        }
        try await syncAll()
        #expect(try await phone.value("Task", 3, "title") == "weed")
        #expect(try await phone.value("Project", 1, "name") == "garden")
        try await expectAgreement()
    }

    @Test func aDeletionThatMeetsAnotherDevicesNewTaskIsAConflictOfTheDeleter() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(RecordID("Project", 1)) }
        try await laptop.edit { changes, schema in
            try changes.put(Record("Task", in: schema, ["id": 3, "title": "weed", "project": 1]))
        }
        try await laptop.sync(with: service)
        let outcome = try await phone.sync(with: service)
        let conflict = try #require(outcome.conflicts.first { $0.id == RecordID("Project", 1) })
        #expect(conflict.versions.kind == .deletedHereEditedThere)
        try await phone.store.resolve(conflict, with: .remote)
        try await syncAll()
        #expect(try await phone.value("Task", 3, "title") == "weed")
        #expect(try await laptop.value("Project", 1, "name") == "garden")
        try await expectAgreement()
    }

    @Test func aDeletionThatWinsTakesTheOtherDevicesNewTaskWithIt() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(RecordID("Project", 1)) }
        try await laptop.edit { changes, schema in
            try changes.put(Record("Task", in: schema, ["id": 3, "title": "weed", "project": 1]))
        }
        try await laptop.sync(with: service)
        let outcome = try await phone.sync(with: service, SyncPolicies(.localWins))
        #expect(outcome.conflicts.contains { $0.id == RecordID("Project", 1) })
        try await laptop.sync(with: service)
        #expect(try await laptop.record("Project", 1) == nil)
        #expect(try await laptop.record("Task", 3) == nil)
        try await expectAgreement()
    }

    @Test func aTreeOfAreasIsSentFromTheRootAndDeletedFromTheLeaves() async throws {
        let (_, small) = try Planner.service(limits: SyncLimits(pageRecords: 1, pushRecords: 1))
        try await phone.edit { changes, schema in
            for id in (1...9).reversed() {
                let parent: Value = id == 1 ? .null : .integer(Int64(id / 2))
                try changes.put(Record("Area", in: schema, ["id": .integer(Int64(id)), "parent": parent]))
            }
        }
        #expect(try await phone.sync(with: small).isSynced)
        #expect(try await laptop.sync(with: small).isSynced)
        #expect(try await laptop.related("Area", 4, "children").count == 2)
        try await laptop.edit { changes, _ in changes.delete(RecordID("Area", 1)) }
        #expect(try await laptop.sync(with: small).isSynced)
        #expect(try await phone.sync(with: small).isSynced)
        #expect(try await phone.store.read { try $0.count(Query("Area")) } == 0)
    }

    @Test func aSecondStoreWithTheSameRecordsAgreesWithoutConflicts() async throws {
        try await share()
        let copy = try Device("tablet", await InMemoryAdapter.copy(of: server))
        let outcome = try await copy.sync(with: service)
        #expect(outcome.isSynced)
        #expect(outcome.pushedCount == 0)
    }

    @Test func aPollWithoutChangesWritesNothing() async throws {
        try await share()
        let before = try await phone.store.read { try $0.sequence }
        #expect(try await phone.sync(with: service).isSynced)
        #expect(try await phone.store.read { try $0.sequence } == before)
    }

    @Test func aNewRecordThatRefersToAnOpenConflictIsListedAsPending() async throws {
        try await share()
        try await laptop.edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 2, "name": "shed", "area": 1]))
        }
        try await phone.edit { changes, _ in changes.delete(RecordID("Area", 1)) }
        try await phone.sync(with: service)
        let outcome = try await laptop.sync(with: service)
        #expect(outcome.conflicts.map(\.id) == [RecordID("Area", 1)])
        #expect(outcome.pending.contains(RecordID("Project", 2)))
        let conflict = try #require(outcome.conflicts.first)
        try await laptop.store.resolve(conflict, with: .remote)
        try await syncAll()
        #expect(try await phone.value("Project", 2, "area") == .null)
        try await expectAgreement()
    }

    @Test func aDeletionThatReachesAnOpenConflictWaitsForIt() async throws {
        try await share()
        try await phone.edit { changes, _ in changes.delete(RecordID("Project", 1)) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Task", 2), ["title": "sow beans"]) }
        try await laptop.sync(with: service)
        for _ in 1...2 {
            let outcome = try await phone.sync(with: service)
            #expect(outcome.conflicts.map(\.id) == [RecordID("Task", 2)])
            #expect(outcome.pending == [RecordID("Project", 1)])
        }
        try await laptop.sync(with: service)
        #expect(try await laptop.value("Task", 2, "title") == "sow beans")
        let conflict = try #require(try await phone.store.openConflicts.first)
        try await phone.store.resolve(conflict, with: .local)
        try await syncAll()
        #expect(try await laptop.record("Project", 1) == nil)
        try await expectAgreement()
    }

    @Test func aRestoredCopyOfAStoreLosesNothingAndRevivesNothing() async throws {
        try await share()
        let backup = try await InMemoryAdapter.copy(of: phone.store)
        try await phone.edit { changes, schema in
            changes.delete(RecordID("Task", 1))
            try changes.put(Record("Tag", in: schema, ["id": 2, "name": "later"]))
        }
        try await syncAll()
        let restored = try Device("restored", backup)
        try await restored.edit { changes, _ in changes.update(RecordID("Task", 2), ["title": "sow peas"]) }
        #expect(try await restored.sync(with: service).isSynced)
        #expect(try await restored.record("Task", 1) == nil)
        #expect(try await restored.value("Tag", 2, "name") == "later")
        try await syncAll()
        #expect(try await laptop.value("Task", 2, "title") == "sow peas")
        try await expectAgreement()
    }
}
