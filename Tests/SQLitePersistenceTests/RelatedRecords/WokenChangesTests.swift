import DifferentialSync
import SyncPersistence
import Testing

/// A change that arrived and waits is made by the local transaction that takes away, or brings, what it waits for.
@Suite(.needsStores) struct WokenChangesTests {
    private func devices(_ kind: StoreKind) async throws -> (phone: RelatedDevice, tablet: RelatedDevice) {
        let remotes = try RelatedRemotes()
        let (phone, tablet) = (try await remotes.device(kind), try await remotes.device(kind))
        try await phone.put("Project", ["id": 1], ["id": 2])
        try await phone.put("Task", ["id": 1, "project": 1], ["id": 2, "project": 1, "parent": 1], ["id": 3])
        try await phone.put("Note", ["id": 1, "project": 1])
        for device in [phone, tablet] { try await device.sync(remotes.names) }
        return (phone, tablet)
    }

    @Test(arguments: StoreKind.allCases)
    func deletionIsMadeWithTheLastLocalChangeThatItWaitsFor(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync("Project")
        try await tablet.sync("Project")
        try await tablet.delete("Task", 1)
        #expect(try await tablet.waiting("Project") == [1])
        let commit = try await tablet.change { $0.update(RecordID("Note", 1), ["project": .null]) }
        #expect(commit.changes.compactMap(\.id) == [RecordID("Note", 1), RecordID("Project", 1)])
        #expect(try await tablet.keys("Project") == [2])
        #expect(try await tablet.entries("Project").isEmpty)
        for device in [tablet, phone, tablet] { try await device.sync(device.remotes.names) }
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func deletionWaitsOnWhereTheTransactionNamesTheRecordAgain(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 1)
        try await phone.sync("Project")
        try await tablet.sync("Project")
        try await tablet.change { changes in
            changes.delete(RecordID("Task", 1))
            changes.update(RecordID("Note", 1), ["project": .null])
            changes.update(RecordID("Task", 3), ["project": 1])
        }
        #expect(try await tablet.keys("Project") == [1, 2])
        #expect(try await tablet.waiting("Project") == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func recordIsStoredWithTheLocalRecordThatItNames(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Project", ["id": 9])
        try await phone.put("Task", ["id": 9, "project": 9])
        try await phone.sync("Task")
        try await tablet.sync("Task")
        #expect(try await tablet.waiting("Task") == [9])
        try await tablet.put("Project", ["id": 9])
        #expect(try await tablet.value("Task", 9, "project") == 9)
        #expect(try await tablet.entries("Task").isEmpty)
        for device in [tablet, phone, tablet] { try await device.sync(device.remotes.names) }
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func deletionIsMadeOnceALocalReferenceIsTakenBack(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Project", 2)
        try await phone.sync("Project")
        try await tablet.update("Note", 1, ["project": 2])
        try await tablet.sync("Project")
        #expect(try await tablet.waiting("Project") == [2])
        try await tablet.update("Note", 1, ["project": 1])
        #expect(try await tablet.keys("Project") == [1])
    }
}
