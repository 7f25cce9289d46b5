import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

/// A deletion that arrives waits for records that a remote of their own has not deleted, and is made with the last of them.
@Suite(.needsStores) struct WaitingDeletionTests {
    /// A phone and a tablet with projects, tasks and tags, and a note.
    private func devices(_ kind: StoreKind) async throws -> (phone: RelatedDevice, tablet: RelatedDevice) {
        let remotes = try RelatedRemotes()
        let (phone, tablet) = (try await remotes.device(kind), try await remotes.device(kind))
        try await phone.put("Project", ["id": 1, "name": "a"], ["id": 2])
        try await phone.put("Task", ["id": 1, "project": 1], ["id": 2, "project": 1, "parent": 1], ["id": 3])
        try await phone.put("Note", ["id": 1, "project": 1])
        try await phone.put("Tag", ["id": 1], ["id": 2])
        try await phone.change { $0.setLinks(RecordID("Task", 1), "tags", to: [2, 1]) }
        for device in [phone, tablet] { try await device.sync(remotes.names) }
        try await expectAgreement([phone, tablet])
        return (phone, tablet)
    }

    /// Waits for what needs another round, and expects that devices agree.
    private func expectAgreementInTheEnd(_ devices: [RelatedDevice]) async throws {
        for _ in 0..<3 { for device in devices { try await device.sync(device.remotes.names) } }
        try await expectAgreement(devices)
    }

    @Test(arguments: StoreKind.allCases)
    func editThatTheRemoteHasAcceptedOutlivesADeletion(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync("Project")
        try await tablet.update("Task", 1, ["name": "mine"])
        for _ in 0..<3 {
            try await tablet.sync("Project", "Task")
            #expect(try await tablet.value("Task", 1, "name") == "mine")
            #expect(try await tablet.waiting("Project") == [1])
            #expect(try await tablet.entries("Task").isEmpty)
        }
        // The phone, which has deleted the task, is asked.
        try await phone.sync("Task")
        #expect(try await phone.conflicts("Task") == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func resolutionThatKeepsATaskOutlivesTheDeletionOfItsProject(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync("Project", "Task")
        try await tablet.update("Task", 1, ["name": "mine"])
        try await tablet.sync("Project", "Task")
        let tasks = try await tablet.store.recordCollection(of: "Task")
        let conflict = try #require(try await tasks.conflict(for: 1))
        try await tasks.resolve(1, with: .local, of: conflict)
        for _ in 0..<3 {
            try await tablet.sync("Task", "Project")
            #expect(try await tablet.value("Task", 1, "name") == "mine")
            #expect(try await tablet.value("Task", 1, "project") == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func referenceThatTheRemoteHoldsIsNotCleared(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 2)
        try await phone.sync("Project")
        try await tablet.update("Note", 1, ["project": 2])
        try await tablet.sync("Note")
        for _ in 0..<2 { try await tablet.sync("Project", "Note") }
        #expect(try await tablet.value("Note", 1, "project") == 2)
        #expect(try await tablet.waiting("Project") == [2])
        #expect(try await phone.value("Note", 1, "project") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func linkThatTheRemoteHoldsKeepsItsRecords(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Tag", 1)
        try await phone.sync("Tag", "Task.tags")
        try await tablet.change { $0.link(RecordID("Task", 3), "tags", to: 1) }
        try await tablet.sync("Task.tags")
        for _ in 0..<2 { try await tablet.sync("Tag", "Task.tags") }
        #expect(try await tablet.related("Task", 3, "tags") == [1])
        #expect(try await tablet.related("Task", 1, "tags") == [2])
        #expect(try await tablet.waiting("Tag") == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func firstLinkKeepsItsRecordsWhereNoLinksWereSynchronizedYet(kind: StoreKind) async throws {
        let remotes = try RelatedRemotes()
        let (phone, tablet) = (try await remotes.device(kind), try await remotes.device(kind))
        try await phone.put("Tag", ["id": 1])
        try await tablet.put("Task", ["id": 1])
        for device in [phone, tablet] { try await device.sync(remotes.names) }
        try await tablet.change { $0.link(RecordID("Task", 1), "tags", to: 1) }
        try await phone.delete("Tag", 1)
        try await phone.sync("Tag")
        try await tablet.sync("Tag", "Task.tags")
        #expect(try await tablet.related("Task", 1, "tags") == [1])
        #expect(await remotes.links["Task.tags"]?.remote.elements.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func partThatTheRemoteHoldsKeepsItsWhole(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await tablet.put("Task", ["id": 4, "parent": 2])
        try await tablet.sync("Task")
        try await phone.delete("Task", 1)
        // The phone gets the part, which names a task that was deleted there.
        for _ in 0..<2 { for device in [phone, tablet] { try await device.sync(device.remotes.names) } }
        #expect(try await tablet.keys("Task") == [1, 2, 3, 4])
        #expect(try await tablet.waiting("Task") == [1, 2])
        #expect(try await phone.waiting("Task") == [4])
        try await tablet.update("Task", 4, ["parent": .null])
        try await expectAgreementInTheEnd([tablet, phone])
        #expect(try await phone.keys("Task") == [3, 4])
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func allThatIsDeletedTogetherGoesInOneRound(kind: StoreKind, isReversed: Bool) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.delete("Tag", 2)
        let names = isReversed ? phone.remotes.names.reversed() : phone.remotes.names
        try await phone.sync(names)
        try await tablet.sync(names)
        #expect(try await tablet.keys("Project") == [2])
        #expect(try await tablet.keys("Task") == [3])
        #expect(try await tablet.value("Note", 1, "project") == .null)
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func whatArrivesBeforeWhatItNamesIsStoredInOneRound(kind: StoreKind, isReversed: Bool) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Project", ["id": 9])
        try await phone.put("Label", ["id": 9])
        try await phone.put("Task", ["id": 9, "project": 9, "label": 9], ["id": 8, "parent": 9])
        try await phone.put("Tag", ["id": 9])
        try await phone.update("Note", 1, ["project": 9])
        try await phone.change { $0.setLinks(RecordID("Task", 8), "tags", to: [9, 1]) }
        let names = isReversed ? phone.remotes.names.reversed() : phone.remotes.names
        let newcomer = try await phone.remotes.device(kind)
        for device in [phone, tablet, newcomer] { try await device.sync(names) }
        #expect(try await newcomer.related("Task", 8, "tags") == [9, 1])
        try await expectAgreement([phone, tablet, newcomer])
    }

    @Test(arguments: StoreKind.allCases)
    func deletionThatWaitsCanBeMadeByHand(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync("Project")
        try await tablet.sync("Project", "Task")
        let projects = try await tablet.store.recordCollection(of: "Project")
        #expect(try await projects.conflicts.isEmpty)
        let waiting = try #require(try await projects.waiting.first)
        #expect(waiting.local?.key == 1 && waiting.local == waiting.base && waiting.remote == nil)
        try await projects.resolve(1, with: .remote, of: waiting)
        #expect(try await tablet.keys("Project") == [2])
        #expect(try await tablet.keys("Task") == [3])
        #expect(try await projects.waiting.isEmpty)
        #expect(try await tablet.value("Note", 1, "project") == .null)
        // What has gone with it is sent.
        #expect(try await tablet.entries("Task").map(\.entry.id.key) == [1, 2])
        try await expectAgreementInTheEnd([tablet, phone])
    }

    @Test(arguments: StoreKind.allCases)
    func recordWhoseDeletionWaitsCanBeKeptByHand(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync("Project")
        try await tablet.put("Task", ["id": 4, "project": 1])
        try await tablet.sync("Project", "Task")
        try await phone.sync("Task")
        #expect(try await phone.waiting("Task") == [4])
        let projects = try await tablet.store.recordCollection(of: "Project")
        let waiting = try #require(try await projects.waiting.first)
        try await projects.resolve(1, with: .local, of: waiting)
        try await tablet.sync("Project")
        // The task that waits for the project is stored with it.
        try await phone.sync("Project")
        #expect(try await phone.value("Project", 1, "name") == "a")
        #expect(try await phone.value("Task", 4, "project") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func resolutionOfWhatWaitsHoldsForWhatWasShown(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync("Project")
        try await tablet.sync("Project")
        let projects = try await tablet.store.recordCollection(of: "Project")
        let waiting = try #require(try await projects.waiting.first)
        try await tablet.update("Project", 1, ["name": "edited"])
        let changed = await #expect(throws: ConflictError.self) {
            try await projects.resolve(1, with: .remote, of: waiting)
        }
        #expect(changed?.code == .changed)
        let unknown = await #expect(throws: ConflictError.self) {
            try await projects.resolve(2, with: .remote, of: waiting)
        }
        #expect(unknown?.code == .unknown)
        #expect(try await tablet.value("Project", 1, "name") == "edited")
    }

    @Test(arguments: StoreKind.allCases)
    func arrivalThatLacksWhatItNamesCanBeDeclined(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Project", ["id": 9])
        try await phone.put("Task", ["id": 9, "project": 9])
        try await phone.sync("Task")
        try await tablet.sync("Task")
        let tasks = try await tablet.store.recordCollection(of: "Task")
        let waiting = try #require(try await tasks.waiting.first)
        let error = await #expect(throws: PersistenceError.self) {
            try await tasks.resolve(9, with: .remote, of: waiting)
        }
        #expect(error?.code == .danglingReference)
        try await tasks.resolve(9, with: .local, of: waiting)
        try await tablet.sync("Task")
        try await phone.sync("Task", "Project")
        #expect(try await phone.keys("Task") == [1, 2, 3])
        // What is declined does not come back with what it named.
        try await tablet.sync("Project", "Task")
        #expect(try await tablet.keys("Task") == [1, 2, 3])
    }
}
