import StoreSync
import SyncPersistence
import Testing

/// The devices that a service knows, and their removal.
@Suite(.needsServiceStore) struct KnownDeviceTests {
    private let world = ServiceWorld()

    private func identifiers() async throws -> [String] { try await world.service.devices().map(\.identifier) }

    private func put(_ tag: String, _ device: InMemoryAdapter) async throws {
        var changes = ChangeSet()
        changes.put(try Record("Tag", in: device.schema, ["name": .string(tag)]))
        try await device.commit(changes)
    }

    @Test func devicesAreListedWithTheirScopesAndPushes() async throws {
        let open = SyncScope("open", entities: ["Task", "Tag"])
        let service = SyncService(world.store, account: "ada", scopes: [open])
        #expect(try await service.devices().isEmpty)
        var tablet = try await HandDevice("tablet", to: service, scope: "open")
        _ = try await HandDevice("phone", to: service, scope: "open")
        #expect(try await tablet.push(.insert("Tag", "red")) == [.ok])
        let devices = try await service.devices()
        #expect(devices.map(\.identifier) == ["phone", "tablet"])
        #expect(devices.map(\.scope) == ["open", "open"])
        #expect(devices.map(\.pushNumber) == [0, 1])
        try await service.beginEpoch()
        #expect(try await service.devices().isEmpty)
    }

    @Test func removedDeviceMakesRoomForAnother() async throws {
        let service = SyncService(world.store, account: "ada", deviceLimit: 1)
        _ = try await service.handshake(HandDevice.request("phone"))
        await #expect(throws: RemoteError.self) { try await service.handshake(HandDevice.request("laptop")) }
        try await service.removeDevice("phone")
        _ = try await service.handshake(HandDevice.request("laptop"))
        #expect(try await service.devices().map(\.identifier) == ["laptop"])
        // The phone counts again, if it comes back.
        await #expect(throws: RemoteError.self) { try await service.handshake(HandDevice.request("phone")) }
    }

    @Test func identifiersThatLookAlikeAreDifferentDevices() async throws {
        let service = SyncService(world.store, account: "ada", deviceLimit: 3)
        let identifiers = ["\u{e9}", "e\u{301}", "\u{301}x"]
        for identifier in identifiers { _ = try await service.handshake(HandDevice.request(identifier)) }
        await #expect(throws: RemoteError.self) { try await service.handshake(HandDevice.request("\u{302}x")) }
        func listed() async throws -> Set<[UInt8]> {
            Set(try await service.devices().map { Array($0.identifier.utf8) })
        }
        #expect(try await listed() == Set(identifiers.map { Array($0.utf8) }))
        try await service.removeDevice("\u{301}x")
        #expect(try await listed().count == 2)
    }

    @Test func theNumberOfDevicesIsThatOfTheEpoch() async throws {
        let service = SyncService(world.store, account: "ada", deviceLimit: 2, makeName: Planner.names("epoch"))
        for identifier in ["phone", "laptop"] { _ = try await service.handshake(HandDevice.request(identifier)) }
        try await service.removeDevice("phone")
        try await service.removeDevice("phone")
        _ = try await service.handshake(HandDevice.request("tablet"))
        await #expect(throws: RemoteError.self) { try await service.handshake(HandDevice.request("watch")) }
        try await service.beginEpoch()
        for identifier in ["watch", "laptop"] { _ = try await service.handshake(HandDevice.request(identifier)) }
        await #expect(throws: RemoteError.self) { try await service.handshake(HandDevice.request("phone")) }
        #expect(try await service.devices().map(\.identifier) == ["laptop", "watch"])
    }

    /// The number of devices up to 20 of which the store has a row.
    private func rowCount() async throws -> Int {
        try await world.store.read { transaction in
            try (1...20).filter { try transaction.metadata("sync.service.device.device \($0)") != nil }.count
        }
    }

    @Test func devicesThatTakeOtherIdentifiersTakeABoundedNumberOfRows() async throws {
        let service = SyncService(world.store, account: "ada", deviceLimit: 2, makeName: { "epoch" })
        let foreign = SyncCursor(epoch: "other", sequence: 0)
        for number in 1...20 {
            _ = try await service.handshake(HandDevice.request("device \(number)"))
            _ = try await service.handshake(HandDevice.request("device \(number)", foreign))
        }
        #expect(try await service.devices().isEmpty)
        #expect(try await rowCount() == 2)
    }

    @Test func anEpochBeginsWithoutRowsOfDevices() async throws {
        let service = SyncService(world.store, account: "ada", makeName: Planner.names("epoch"))
        for number in 1...3 { _ = try await service.handshake(HandDevice.request("device \(number)")) }
        #expect(try await rowCount() == 3)
        try await service.beginEpoch()
        #expect(try await rowCount() == 0)
        _ = try await service.handshake(HandDevice.request("device 4"))
        #expect(try await service.devices().map(\.identifier) == ["device 4"])
    }

    @Test func removedDeviceMustIntroduceItselfAgain() async throws {
        var phone = try await HandDevice("phone", to: world.service)
        #expect(try await phone.push(.insert("Tag", "red")) == [.ok])
        try await world.service.removeDevice("phone")
        let request = phone.request([.insert("Tag", "blue")], name: "other")
        await #expect(throws: RemoteError.handshakeNeeded("the service does not know the device in this epoch")) {
            try await world.service.push(request)
        }
        #expect(try await world.record("Tag", "blue") == nil)
    }

    @Test func removedDeviceReceivesTheStoredAnswerToItsLastPush() async throws {
        var phone = try await HandDevice("phone", to: world.service)
        #expect(try await phone.push(.insert("Tag", "red")) == [.ok])
        let sequence = try await world.store.read { try $0.historySequence }
        try await world.service.removeDevice("phone")
        let greeting = try await world.service.handshake(HandDevice.request("phone", phone.cursor))
        #expect(greeting.lastPush?.name == PushName(number: 1, name: "push 1"))
        let again = try await world.service.push(phone.request([.insert("Tag", "red")]))
        #expect(again == greeting.lastPush)
        #expect(try await world.store.read { try $0.historySequence } == sequence)
    }

    @Test func removedDeviceGoesOnWhereItWas() async throws {
        let devices = [InMemoryAdapter(schema: ServiceWorld.schema), InMemoryAdapter(schema: ServiceWorld.schema)]
        for (device, tag) in zip(devices, ["red", "blue"]) {
            try await put(tag, device)
            #expect(try await device.synchronize(with: world.service).isSynced)
        }
        let identifier = try #require(try await devices[0].syncState.device)
        try await world.service.removeDevice(identifier)
        #expect(try await !identifiers().contains(identifier))
        try await devices[1].synchronize(with: world.service)
        var deletion = ChangeSet()
        deletion.delete(RecordID("Tag", "red"))
        try await devices[1].commit(deletion)
        try await devices[1].synchronize(with: world.service)
        try await put("green", devices[0])

        let outcome = try await devices[0].synchronize(with: world.service)
        #expect(outcome.isSynced && outcome.pushedCount == 1)
        #expect(try await devices[0].syncState.device == identifier)
        #expect(try await identifiers().contains(identifier))
        // What was deleted meanwhile does not come back.
        #expect(try await world.records("Tag").map(\.key) == ["blue", "green"])
        #expect(try await devices[0].read { try $0.fingerprint() } == world.store.read { try $0.fingerprint() })
    }

    @Test func unknownDeviceIsNotRemoved() async throws {
        _ = try await HandDevice("phone", to: world.service)
        try await world.service.removeDevice("laptop")
        #expect(try await identifiers() == ["phone"])
    }
}
