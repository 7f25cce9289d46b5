import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

/// Two devices synchronize entities that are connected, each by a cycle of its own: no cycle throws, and no edit is lost.
@Suite(.needsStores) struct RelatedRecordsTests {
    /// A phone and a tablet with project 1 and 2, tasks 1 and 2 of project 1 and task 3.
    private func devices(_ kind: StoreKind) async throws -> (phone: RelatedDevice, tablet: RelatedDevice) {
        let remotes = try RelatedRemotes()
        let (phone, tablet) = (try await remotes.device(kind), try await remotes.device(kind))
        try await phone.put("Project", ["id": 1, "name": "a"], ["id": 2, "name": "b"])
        try await phone.put("Task", ["id": 1, "project": 1], ["id": 2, "project": 1, "parent": 1], ["id": 3])
        try await phone.put("Note", ["id": 1, "project": 1], ["id": 2])
        // Notes and tasks may arrive before their projects.
        for device in [phone, tablet, tablet] { try await device.sync(remotes.names) }
        try await expectAgreement([phone, tablet])
        return (phone, tablet)
    }

    static let orders = [["Project", "Task"], ["Task", "Project"]]

    @Test(arguments: StoreKind.allCases, orders)
    func remoteDeletionLeavesALocallyEditedTask(kind: StoreKind, order: [String]) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync(order)
        try await tablet.update("Task", 2, ["name": "mine"])
        for _ in 0..<3 {
            try await tablet.sync(order)
            #expect(try await tablet.value("Task", 2, "name") == "mine")
            #expect(try await tablet.keys("Project") == [1, 2])
            #expect(try await tablet.conflicts("Task") == [2])
            #expect(try await tablet.waiting("Project") == [1])
        }
        // Task 1 would take task 2 with it.
        #expect(try await tablet.waiting("Task") == [1])
        for _ in 0..<2 { try await tablet.sync(order, settling: .remote) }
        #expect(try await tablet.keys("Task") == [3])
        // Note 1 names the project until the phone synchronizes its notes.
        #expect(try await tablet.waiting("Project") == [1])
        for device in [phone, tablet] { try await device.sync("Note") }
        #expect(try await tablet.keys("Project") == [2])
        for device in [tablet, phone, tablet, phone] { try await device.sync(device.remotes.names) }
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases, orders)
    func deletionThatWaitsCanBeResolvedByAnEdit(kind: StoreKind, order: [String]) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync(order)
        try await tablet.update("Task", 1, ["name": "mine"])
        try await tablet.sync(order)
        try await tablet.update("Project", 1, ["name": "ours"])
        for _ in 0..<3 {
            for device in [tablet, phone] { try await device.sync(order, settling: .local) }
        }
        #expect(try await phone.value("Task", 1, "name") == "mine")
        #expect(try await phone.value("Task", 1, "project") == 1)
        #expect(try await phone.value("Project", 1, "name") == "ours")
        for device in [tablet, phone, tablet, phone] { try await device.sync(device.remotes.names) }
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func resolvedDeletionTakesWhatBelongsToIt(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync("Project", "Task")
        try await tablet.update("Project", 1, ["name": "mine"])
        try await tablet.update("Task", 1, ["name": "mine"])
        try await tablet.sync("Project")
        let projects = try await tablet.store.recordCollection(of: "Project")
        let conflict = try #require(try await projects.conflicts.first)
        try await projects.resolve(1, with: .remote, of: conflict)
        #expect(try await tablet.keys("Project") == [2])
        #expect(try await tablet.keys("Task") == [3])
        for device in [tablet, phone, tablet, phone] { try await device.sync(device.remotes.names, settling: .remote) }
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func resolutionThatTheSchemaDoesNotAllowIsAnError(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Project", ["id": 9])
        try await phone.update("Task", 3, ["project": 9])
        try await phone.sync("Task")
        try await tablet.update("Task", 3, ["name": "mine"])
        try await tablet.sync("Task")
        let tasks = try await tablet.store.recordCollection(of: "Task")
        let conflict = try #require(try await tasks.conflicts.first)
        let error = await #expect(throws: PersistenceError.self) {
            try await tasks.resolve(3, with: .remote, of: conflict)
        }
        #expect(error?.code == .danglingReference)
        #expect(try await tablet.conflicts("Task") == [3])
        #expect(try await tablet.value("Task", 3, "name") == "mine")
    }

    @Test(arguments: StoreKind.allCases)
    func mergeThatNamesAMissingRecordIsNotSent(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Project", ["id": 9])
        try await phone.update("Task", 3, ["project": 9])
        try await phone.sync("Task")
        try await tablet.update("Task", 3, ["name": "mine"])
        let tasks = try await tablet.store.recordCollection(of: "Task")
        let server = try #require(tablet.remotes.records["Task"])
        let merging = ConflictPolicy<Record> { conflict in
            guard var merged = conflict.remote, let local = conflict.local else { return .open }
            merged["name"] = local["name"]
            return .merged(merged)
        }
        for _ in 0..<3 {
            try await tasks.synchronize(with: server, pushID: tablet.remotes.nextPushID(), policy: merging)
            #expect(try await tablet.value("Task", 3, "name") == "mine")
            #expect(try await tablet.value("Task", 3, "project") == .null)
        }
        try await phone.sync("Project", "Task")
        #expect(try await phone.value("Task", 3, "project") == 9)
    }

    @Test(arguments: StoreKind.allCases, orders)
    func taskOfADeletedProjectBlocksNothing(kind: StoreKind, order: [String]) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync(order)
        try await tablet.put("Task", ["id": 4, "project": 1], ["id": 5])
        try await tablet.sync("Task")
        let newcomer = try await phone.remotes.device(kind)
        for device in [phone, newcomer] {
            try await device.sync(order)
            #expect(try await device.keys("Task").contains(5))
            #expect(try await !device.keys("Task").contains(4))
            #expect(try await device.waiting("Task") == [4])
            // What waits is never sent.
            #expect(try await device.store.read { try $0.outgoingDiff(of: "Task") } == nil)
        }
        // The project comes back, and the task with it.
        try await tablet.update("Project", 1, ["name": "kept"])
        try await tablet.sync("Project", settling: .local)
        for device in [phone, newcomer] {
            try await device.sync("Project", "Task")
            #expect(try await device.value("Task", 4, "project") == 1)
            #expect(try await device.waiting("Task") == [])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func taskThatMovesToAnUnknownProjectStaysAsItWas(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Project", ["id": 9])
        try await phone.update("Task", 1, ["project": 9, "name": "moved"])
        try await phone.delete("Project", 1)
        try await phone.sync("Task", "Project")
        try await tablet.sync("Task")
        #expect(try await tablet.value("Task", 1, "project") == 1)
        #expect(try await tablet.waiting("Task") == [1])
        // The project is not deleted with a task that has left it, nor with what the remote has told of that.
        try await tablet.sync("Project")
        #expect(try await tablet.waiting("Project") == [1])
        try await tablet.sync("Task")
        #expect(try await tablet.value("Task", 1, "name") == "moved")
        for device in [tablet, phone, tablet] { try await device.sync(device.remotes.names) }
        #expect(try await tablet.keys("Project") == [2, 9])
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func editOfARecordThatWaitsIsAConflict(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Project", ["id": 9])
        try await phone.update("Task", 3, ["project": 9])
        try await phone.sync("Task")
        try await tablet.sync("Task")
        try await tablet.update("Task", 3, ["name": "mine"])
        try await tablet.sync("Task")
        #expect(try await tablet.conflicts("Task") == [3])
        #expect(try await tablet.value("Task", 3, "name") == "mine")
        try await tablet.store.recordCollection(of: "Task").revert()
        #expect(try await tablet.value("Task", 3, "name") == .null)
        #expect(try await tablet.waiting("Task") == [3])
        try await phone.sync("Project")
        try await tablet.sync("Project", "Task")
        #expect(try await tablet.value("Task", 3, "project") == 9)
    }

    @Test(arguments: StoreKind.allCases)
    func deniedDeletionWaits(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync("Project", "Task", "Note")
        try await tablet.put("Invoice", ["id": 1, "project": 1])
        let order = ["Invoice", "Project", "Task", "Note"]
        for device in [tablet, phone, tablet] { try await device.sync(order) }
        #expect(try await tablet.waiting("Project") == [1])
        #expect(try await phone.waiting("Invoice") == [1])
        try await tablet.delete("Invoice", 1)
        for device in [tablet, phone, tablet] { try await device.sync(order) }
        #expect(try await tablet.keys("Project") == [2])
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func referenceThatWasEditedHereIsNotCleared(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync("Project", "Note", "Task")
        try await tablet.update("Note", 2, ["project": 1])
        try await tablet.update("Note", 1, ["name": "mine"])
        try await tablet.sync("Project")
        #expect(try await tablet.value("Note", 2, "project") == 1)
        #expect(try await tablet.waiting("Project") == [1])
        try await tablet.update("Note", 2, ["project": .null])
        try await tablet.sync("Project")
        // Note 1 has a conflict: the phone has cleared its project.
        #expect(try await tablet.waiting("Project") == [1])
        try await tablet.sync("Note")
        #expect(try await tablet.value("Note", 1, "name") == "mine")
        #expect(try await tablet.value("Note", 1, "project") == 1)
        try await tablet.update("Note", 1, ["project": .null])
        try await tablet.sync("Note", settling: .local)
        try await tablet.sync("Project", "Task")
        #expect(try await tablet.keys("Project") == [2])
        #expect(try await tablet.value("Note", 1, "name") == "mine")
    }

    @Test(arguments: StoreKind.allCases)
    func projectThatGetsTwoCoversAtOnceIsAgreedOn(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Cover", ["id": 1], ["id": 2])
        for device in [phone, tablet] { try await device.sync("Cover") }
        try await phone.update("Cover", 1, ["project": 2])
        try await phone.sync("Cover")
        try await tablet.update("Cover", 2, ["project": 2])
        for _ in 0..<4 { for device in [tablet, phone] { try await device.sync("Cover") } }
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func consequenceOfWhatIsPulledIsPushedBeforeTheCycleEnds(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Cover", ["id": 1, "project": 2], ["id": 2])
        for device in [phone, tablet] { try await device.sync("Cover") }
        let server = try #require(phone.remotes.records["Cover"])
        // A client without rules gives the project a second cover.
        let pushID = phone.remotes.nextPushID()
        try await server.withRemote { remote in
            let old = try #require(remote.elements.first { $0.key == 2 })
            var new = old
            new["project"] = 2
            let changes = try #require(Diff([.replace(old: old, new: new)]))
            _ = try remote.push(Push(id: pushID, changes: changes, expected: remote.version))
        }
        let covers = try await phone.store.recordCollection(of: "Cover")
        let outcome = try await covers.synchronize(with: server, maximumRounds: 1, policy: .leaveOpen)
        #expect(outcome.isSynced)
        #expect(outcome.counts.pushed.replaced == 1)
        #expect(try await covers.localDiff == nil)
        #expect(await server.remote.elements.filter { $0["project"] == 2 }.map(\.key) == [2])
        try await tablet.sync("Cover")
        try await expectAgreement([phone, tablet])
    }
}
