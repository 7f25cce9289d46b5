import DifferentialSync
import StoreSync
import Testing

/// One-to-one references that a device and the remote have given to different records.
@Suite struct TakenReferenceTests {
    private let phone: Device
    private let laptop: Device
    private let service: SyncService

    init() throws {
        let schema = try Schema([
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("seat", to: "Seat", inverse: "person")
            },
            Entity("Seat") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("person", to: "Person", inverse: "seat")
            },
        ])
        phone = try Device("phone", InMemoryAdapter(schema: schema))
        laptop = try Device("laptop", InMemoryAdapter(schema: schema))
        service = SyncService(
            InMemoryAdapter(schema: schema), account: "ada", makeName: Planner.names("epoch"))
    }

    /// Both devices have three seats and two persons, of whom the first may have a seat.
    private func share(seat: Value) async throws {
        try await phone.edit { changes, schema in
            for id in [Value.integer(7), 8, 9] { try changes.put(Record("Seat", in: schema, ["id": id])) }
            try changes.put(Record("Person", in: schema, ["id": 1, "seat": seat]))
            try changes.put(Record("Person", in: schema, ["id": 2]))
        }
        try await phone.sync(with: service)
        try await laptop.sync(with: service)
    }

    /// Changes a person on a device, without a cycle.
    private func edit(_ device: Device, _ person: Value, _ values: [String: Value]) async throws {
        try await device.edit { changes, _ in changes.update(RecordID("Person", person), values) }
    }

    /// Changes a person on the phone, and sends the change.
    private func send(_ person: Value, _ values: [String: Value]) async throws {
        try await edit(phone, person, values)
        #expect(try await phone.sync(with: service).isSynced)
    }

    private func expectSeats(_ first: Value, _ second: Value, on device: Device) async throws {
        #expect(try await device.value("Person", 1, "seat") == first)
        #expect(try await device.value("Person", 2, "seat") == second)
    }

    @Test func aSeatThatTheRemoteHasTakenAndGivenToAnotherIsAConflictForThePolicy() async throws {
        try await share(seat: 7)
        try await edit(laptop, 1, ["seat": 8])
        try await send(1, ["seat": .null])
        try await send(2, ["seat": 8])
        let outcome = try await laptop.sync(with: service, SyncPolicies(.remoteWins))
        #expect(outcome.isSynced)
        #expect(outcome.conflicts.map(\.id) == [RecordID("Person", 1)])
        try await expectSeats(.null, 8, on: laptop)
    }

    @Test func anOpenConflictAboutASeatStaysOpenIfTheRemoteGivesTheSeatToAnother() async throws {
        for (shared, remote) in [(Value.integer(7), Value.null), (.null, 9)] {
            let tests = try TakenReferenceTests()
            try await tests.expectOpenConflict(shared: shared, remote: remote)
        }
    }

    private func expectOpenConflict(shared: Value, remote: Value) async throws {
        try await share(seat: shared)
        try await edit(laptop, 1, ["seat": 8])
        try await send(1, ["seat": remote])
        #expect(try await laptop.sync(with: service).conflicts.map(\.isOpen) == [true])
        try await send(2, ["seat": 8])
        try await send(1, ["name": "Ada"])
        for _ in 1...2 {
            let outcome = try await laptop.sync(with: service)
            #expect(outcome.waiting == [RecordID("Person", 2)])
            #expect(try await laptop.store.openConflicts.map(\.id) == [RecordID("Person", 1)])
            try await expectSeats(8, .null, on: laptop)
        }
        let conflict = try #require(try await laptop.store.openConflicts.first)
        try await laptop.store.resolve(conflict, with: .remote)
        #expect(try await laptop.sync(with: service).isSynced)
        try await expectSeats(remote, 8, on: laptop)
        #expect(try await laptop.value("Person", 1, "name") == "Ada")
    }

    @Test func aDeletionThatArrivesWithTheNewOwnerOfASeatKeepsTheConflict() async throws {
        try await share(seat: .null)
        try await edit(laptop, 1, ["seat": 8])
        try await send(1, ["seat": 9])
        #expect(try await laptop.sync(with: service).conflicts.map(\.isOpen) == [true])
        try await sendSeatAndDeletion()
    }

    /// The new owner has a local change too, so that both are merged, in the order of their edits or of the page.
    @Test(arguments: [true, false])
    func aDeletionThatArrivesWithTheNewOwnerOfASeatIsAConflictWithTheEdit(isOwnerFirst: Bool) async throws {
        try await share(seat: .null)
        if isOwnerFirst { try await edit(laptop, 2, ["name": "Ben"]) }
        try await edit(laptop, 1, ["seat": 8])
        if !isOwnerFirst { try await edit(laptop, 2, ["name": "Ben"]) }
        try await sendSeatAndDeletion()
    }

    @Test(arguments: [Value.null, 7])
    func aSeatIsNotLostToARecordThatIsMergedBefore(seat: Value) async throws {
        try await share(seat: seat)
        try await edit(laptop, 2, ["name": "Ben"])
        try await edit(laptop, 1, ["seat": 8])
        try await send(2, ["seat": 8])
        try await send(1, ["name": "Ada"])
        for device in [laptop, laptop, phone, laptop, phone] { try await device.sync(with: service) }
        for device in [laptop, phone] {
            try await expectSeats(8, .null, on: device)
            #expect(try await device.value("Person", 1, "name") == "Ada")
            #expect(try await device.value("Person", 2, "name") == "Ben")
        }
    }

    /// The phone gives the seat to the second person and deletes the first one, and the laptop keeps its edit.
    private func sendSeatAndDeletion() async throws {
        try await send(2, ["seat": 8])
        try await phone.edit { changes, _ in changes.delete(RecordID("Person", 1)) }
        #expect(try await phone.sync(with: service).isSynced)
        for _ in 1...2 {
            try await laptop.sync(with: service)
            let conflict = try #require(try await laptop.store.openConflicts.first)
            #expect(conflict.versions.kind == .editedHereDeletedThere)
            try await expectSeats(8, .null, on: laptop)
        }
        let conflict = try #require(try await laptop.store.openConflicts.first)
        try await laptop.store.resolve(conflict, with: .remote)
        #expect(try await laptop.sync(with: service).isSynced)
        #expect(try await laptop.record("Person", 1) == nil)
        #expect(try await laptop.value("Person", 2, "seat") == 8)
    }

    @Test func aSeatThatWasGivenHereAndToAnotherThereIsNotLost() async throws {
        try await share(seat: .null)
        try await edit(laptop, 1, ["seat": 8])
        try await send(2, ["seat": 8])
        try await send(1, ["name": "Ada"])
        #expect(try await laptop.sync(with: service).waiting == [RecordID("Person", 2)])
        try await expectSeats(8, .null, on: laptop)
        #expect(try await laptop.value("Person", 1, "name") == "Ada")
        // The service has accepted the device's change after that of the other person.
        for device in [laptop, phone] {
            #expect(try await device.sync(with: service).isSynced)
            try await expectSeats(8, .null, on: device)
        }
    }
}
