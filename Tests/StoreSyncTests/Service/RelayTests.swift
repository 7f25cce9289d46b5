import StoreSync
import SyncPersistence
import Testing

/// A service whose store is a device of another service.
@Suite struct RelayTests {
    @Test func changesOfItsDevicesAreLocal() async throws {
        let world = ServiceWorld()
        try await world.store.write { try $0.bindStore(to: "ada", without: []) }
        var phone = try await HandDevice("phone", to: world.service)
        _ = try await phone.push(
            .insert("Project", 1), .insert("Task", 1, ["project": 1]), .insert("Tag", "red"), .link(1, "red"))
        for entity in ["Project", "Task", "Tag", ServiceWorld.links] {
            #expect(try await world.store.read { try $0.localDiff(of: entity) }?.changes.count == 1)
        }
        #expect(try await phone.push(.delete("Project", 1)) == [.ok])
        #expect(try await world.content.count == 1)
        #expect(try await world.store.read { try $0.localDiff(of: "Task") } == nil)
    }

    @Test func changesReachDevicesOnBothSides() async throws {
        let hub = ServiceWorld()
        let relay = ServiceWorld()
        try await relay.store.synchronize(with: hub.service)
        var phone = try await HandDevice("phone", to: relay.service)
        var tablet = try await HandDevice("tablet", to: hub.service)
        _ = try await phone.push(.insert("Tag", "red"), .insert("Task", 1), .link(1, "red"))
        _ = try await tablet.push(.insert("Tag", "blue"))
        #expect(try await relay.store.synchronize(with: hub.service).isSynced)
        #expect(Set(try await tablet.pull().map(\.id.entity)) == ["Tag", "Task", ServiceWorld.links])
        #expect(try await phone.pull().map(\.id) == [RecordID("Tag", "blue")])
        #expect(try await hub.content == relay.content)
    }
}
