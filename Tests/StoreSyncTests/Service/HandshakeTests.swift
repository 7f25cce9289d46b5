import StoreSync
import SyncPersistence
import Testing

/// How a service answers a handshake.
@Suite(.needsServiceStore) struct HandshakeTests {
    @Test func firstHandshakeBeginsTheHistory() async throws {
        let world = ServiceWorld()
        try await world.edit { try $0.put(Record("Tag", in: ServiceWorld.schema, ["name": "red"])) }
        let response = try await world.service.handshake(HandDevice.request("phone"))
        #expect(response.account == "ada" && response.epoch == "epoch" && response.sequence == 1)
        #expect(response.lastPush == nil && response.horizon == 0)
        #expect(response.entities?["Tag"]?.contains("color") == true && response.entities?["Animal"] == nil)
        #expect(response.entities?.keys.contains { $0.hasPrefix("sync.") && $0 != ServiceWorld.links } == false)
        let phone = try await HandDevice("phone", to: world.service)
        #expect(try await phone.page(after: 0).entries.map(\.id) == [RecordID("Tag", "red")])
    }

    @Test func repeatedHandshakeChangesNothing() async throws {
        let world = ServiceWorld()
        let phone = try await HandDevice("phone", to: world.service)
        let request = HandDevice.request("phone", phone.cursor)
        let first = try await world.service.handshake(request)
        let sequence = try await world.store.read { try $0.sequence }
        #expect(try await world.service.handshake(request) == first)
        #expect(try await world.store.read { try $0.sequence } == sequence)
    }

    @Test func deviceWithoutCommonVersionIsIncompatible() async throws {
        var request = HandDevice.request("phone")
        request.versions = [2, Int.max, -1]
        await #expect {
            try await ServiceWorld().service.handshake(request)
        } throws: {
            if case .incompatible = $0 as? RemoteError { true } else { false }
        }
    }

    @Test(arguments: ["", String(repeating: "a", count: 1_000_000)])
    func identifierOfAnotherLengthIsRefused(id: String) async throws {
        let world = ServiceWorld()
        await #expect(throws: RemoteError.self) { try await world.service.handshake(HandDevice.request(id)) }
        #expect(try await world.store.read { try $0.sequence } == 0)
    }

    @Test func deviceBeyondTheLimitIsRefused() async throws {
        let store = ServiceStores.make(ServiceWorld.schema)
        let service = SyncService(store, account: "ada", deviceLimit: 2)
        for device in ["phone", "tablet", "phone"] { _ = try await service.handshake(HandDevice.request(device)) }
        let message = "the account has 2 devices, and the service accepts no more of them"
        await #expect(throws: RemoteError.incompatible(message)) {
            _ = try await service.handshake(HandDevice.request("laptop"))
        }
        _ = try await SyncService(store, account: "ada").handshake(HandDevice.request("laptop"))
        // In a new epoch devices introduce themselves anew, under other identifiers.
        try await service.beginEpoch()
        for device in ["tablet", "watch"] { _ = try await service.handshake(HandDevice.request(device)) }
        await #expect(throws: RemoteError.incompatible(message)) {
            _ = try await service.handshake(HandDevice.request("car"))
        }
    }

    @Test func requestNamesItsScopeInJSON() throws {
        let request = HandDevice.request("phone", scope: "open")
        #expect(try HandshakeRequest(data: request.data) == request)
        #expect(try HandshakeRequest(data: HandDevice.request("phone").data).scope == nil)
    }

    @Test func newEpochForgetsTheDevices() async throws {
        let world = ServiceWorld()
        let service = SyncService(world.store, account: "ada", makeName: { "epoch 2" })
        var phone = try await HandDevice("phone", to: world.service)
        #expect(try await phone.push(.insert("Tag", "red")) == [.ok])
        try await service.beginEpoch()
        for request in [phone.request([]), phone.request([.insert("Tag", "blue")], name: "other")] {
            await #expect(throws: RemoteError.self) { try await service.push(request) }
        }
        await #expect(throws: RemoteError.self) { try await phone.page(after: 0) }
        let response = try await service.handshake(HandDevice.request("phone", phone.cursor))
        #expect(response.epoch == "epoch 2" && response.lastPush == nil && response.sequence == 1)
        (phone.number, phone.cursor) = (0, SyncCursor(epoch: "epoch 2", sequence: 1))
        await #expect(throws: RemoteError.self) { try await phone.page(after: 0) }
        _ = try await service.handshake(HandDevice.request("phone", phone.cursor))
        #expect(try await phone.push(.insert("Tag", "blue")) == [.ok])
    }

    @Test func historyThatWasOffBeginsAnotherEpoch() async throws {
        let world = ServiceWorld()
        let service = SyncService(world.store, account: "ada", makeName: { "epoch 2" })
        let phone = try await HandDevice("phone", to: world.service)
        try await world.edit { $0.keepHistory(false) }
        await #expect(throws: RemoteError.self) { try await phone.page(after: 0) }
        let again = try await HandDevice("phone", to: service)
        #expect(again.cursor.epoch == "epoch 2")
    }

    @Test func thePositionIsKnownOnceAHandshakeHasBegunTheEpoch() async throws {
        let store = ServiceStores.make(ServiceWorld.schema)
        let world = ServiceWorld(store)
        #expect(try await world.service.position() == nil)
        var phone = try await HandDevice("phone", to: world.service)
        #expect(try await phone.push(.insert("Tag", "red")) == [.ok])
        #expect(try await world.service.position() == SyncCursor(epoch: "epoch", sequence: 1))
        let restored = SyncService(store, account: "ada", restoration: "monday", makeName: { "epoch 2" })
        #expect(try await restored.position() == nil)
        _ = try await restored.handshake(HandDevice.request("tablet"))
        #expect(try await restored.position() == SyncCursor(epoch: "epoch 2", sequence: 1))
    }

    @Test func notificationsComeWithChangedRecords() async throws {
        let world = ServiceWorld()
        var notifications = world.service.notifications().makeAsyncIterator()
        try await world.edit { try $0.put(Record("Tag", in: ServiceWorld.schema, ["name": "red"])) }
        #expect(await notifications.next() != nil)
        await world.store.close()
        #expect(await notifications.next() == nil)
    }
}
