import DifferentialSync
import StoreSync
import Testing

/// Deleted folders that come back, because folders of the other device refer to them.
@Suite(.needsServiceStore) struct ReturningRecordTests {
    private let phone: Device
    private let laptop: Device
    private let service: SyncService

    init() throws {
        let schema = try Schema([
            Entity("Folder") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("parent", to: "Folder", inverse: "children")
                Relationship("children", toMany: "Folder", inverse: "parent", deleteRule: .cascade)
            }
        ])
        phone = try Device("phone", ServiceStores.make(schema))
        laptop = try Device("laptop", ServiceStores.make(schema))
        service = SyncService(ServiceStores.make(schema), account: "ada", makeName: Planner.names("epoch"))
    }

    /// Stores folders with their parents on the phone, and shares them.
    private func share(_ parents: KeyValuePairs<Value, Value>) async throws {
        let folders = parents.map { ($0.key, $0.value) }
        try await phone.edit { changes, schema in
            for (id, parent) in folders {
                try changes.put(Record("Folder", in: schema, ["id": id, "name": "new", "parent": parent]))
            }
        }
        for device in [phone, laptop] { try await device.sync(with: service) }
    }

    private func move(_ folder: Value, into parent: Value, on device: Device) async throws {
        try await device.edit { changes, _ in changes.update(RecordID("Folder", folder), ["parent": parent]) }
    }

    /// The phone deletes folder 2 with folder 3 in it, and the laptop moves folders 1 and 2 into folder 3.
    private func deleteWhatOthersMove() async throws {
        try await share([1: .null, 2: 1, 3: 2])
        try await phone.edit { changes, _ in changes.delete(RecordID("Folder", 2)) }
        try await move(2, into: 3, on: laptop)
        try await move(1, into: 3, on: laptop)
        try await laptop.sync(with: service)
    }

    private func expectTheLaptopsFolders() async throws {
        for device in [phone, laptop, phone] { try await device.sync(with: service, SyncPolicies(.remoteWins)) }
        for device in [phone, laptop] {
            #expect(try await device.value("Folder", 1, "parent") == 3)
            #expect(try await device.value("Folder", 2, "parent") == 3)
            #expect(try await device.value("Folder", 3, "parent") == 2)
            #expect(try await device.store.openConflicts.isEmpty)
        }
    }

    @Test func aFolderThatAnotherOneNeedsComesBackAsItIsThere() async throws {
        try await deleteWhatOthersMove()
        // It has no reason to compare everything.
        #expect(try await phone.sync(with: service, SyncPolicies(.remoteWins)).pulledCount == 2)
        try await expectTheLaptopsFolders()
    }

    @Test func aFolderThatAUserBringsBackTakesItsParentAsItIsThere() async throws {
        try await deleteWhatOthersMove()
        try await phone.sync(with: service, SyncPolicies(.leaveOpen))
        let needed = try #require(try await phone.store.openConflicts.first { $0.id == RecordID("Folder", 3) })
        try await phone.store.resolve(needed, with: .remote)
        try await expectTheLaptopsFolders()
    }

    @Test func aChangedFolderThatComesBackTakesAnotherDeletedOneWithIt() async throws {
        try await share([1: .null, 2: .null])
        try await phone.edit { changes, _ in
            changes.delete(RecordID("Folder", 1))
            changes.delete(RecordID("Folder", 2))
        }
        try await move(2, into: 1, on: laptop)
        try await laptop.sync(with: service)
        try await phone.sync(with: service, SyncPolicies(.remoteWins))
        #expect(try await phone.store.openConflicts.isEmpty)
        #expect(try await phone.value("Folder", 2, "parent") == 1)
    }

    @Test func anEditedFolderTakesTheDeletedOneWithItIntoWhichItWasMoved() async throws {
        try await share([1: .null, 2: .null, 3: .null])
        try await phone.edit { changes, _ in changes.delete(RecordID("Folder", 1)) }
        try await phone.edit { changes, _ in changes.update(RecordID("Folder", 2), ["name": "edited"]) }
        try await move(2, into: 1, on: laptop)
        try await laptop.sync(with: service)
        try await phone.sync(with: service, SyncPolicies(.remoteWins))
        #expect(try await phone.store.openConflicts.isEmpty)
        #expect(try await phone.value("Folder", 2, "parent") == 1)
        #expect(try await phone.value("Folder", 2, "name") == "edited")
    }

    @Test func aUserWhoChoosesAMovedFolderTakesTheDeletedOneWithIt() async throws {
        try await share([1: .null, 2: .null])
        try await phone.edit { changes, _ in
            changes.delete(RecordID("Folder", 1))
            changes.delete(RecordID("Folder", 2))
        }
        try await move(2, into: 1, on: laptop)
        try await laptop.sync(with: service)
        try await phone.sync(with: service, SyncPolicies(.leaveOpen))
        let conflict = try #require(try await phone.store.openConflicts.first)
        try await phone.store.resolve(conflict, with: .remote)
        #expect(try await phone.store.openConflicts.isEmpty)
        #expect(try await phone.value("Folder", 2, "parent") == 1)
        #expect(try await phone.sync(with: service, SyncPolicies(.leaveOpen)).isSynced)
    }
}
