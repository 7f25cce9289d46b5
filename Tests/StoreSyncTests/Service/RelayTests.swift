import StoreSync
import SyncPersistence
import Testing

/// A service whose store is a device of another service.
@Suite(.needsServiceStore) struct RelayTests {
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

    /// The records with local changes.
    private func localChanges(of store: any PersistenceAdapter) async throws -> Set<RecordID> {
        try await store.read { transaction in
            var found: Set<RecordID> = []
            for entity in transaction.schema.shapes.filter(\.isRoot).map(\.name) + [ServiceWorld.links] {
                found.formUnion(try transaction.journal(of: entity).map(\.id))
            }
            return found
        }
    }

    /// Lets a device insert records that refer to each other.
    private func insertRecords(_ phone: inout HandDevice) async throws {
        let outcomes = try await phone.push(
            .insert("Project", 1), .insert("Task", 1, ["project": 1]), .insert("Tag", "red"), .link(1, "red"),
            .insert("Task", 2, ["parent": 1]), .insert("Desk", 1), .insert("Desk", 2),
            .insert("Person", 1, ["desk": 1]), .insert("Person", 2, ["desk": 2]))
        #expect(outcomes.allSatisfy { $0 == .ok })
    }

    /// Lets a device make changes with consequences for others of these records.
    private func pushConsequences(_ phone: inout HandDevice, to world: ServiceWorld) async throws {
        #expect(try await phone.push(.delete("Project", 1), .update("Person", 1, ["partner": 2])) == [.ok, .ok])
        #expect(try await world.record("Task", 1) == nil)
        #expect(try await world.record("Task", 2)?["parent"] == .null)
        #expect(try await world.record("Person", 2)?["partner"] == 1)
    }

    @Test func aServiceThatIsNoDeviceHasNoLocalChanges() async throws {
        let world = ServiceWorld()
        var phone = try await HandDevice("phone", to: world.service)
        try await insertRecords(&phone)
        try await pushConsequences(&phone, to: world)
        #expect(try await localChanges(of: world.store) == [])
    }

    @Test func aRelaySendsTheConsequencesOn() async throws {
        let (hub, relay) = (ServiceWorld(), ServiceWorld())
        try await relay.store.synchronize(with: hub.service)
        var phone = try await HandDevice("phone", to: relay.service)
        try await insertRecords(&phone)
        #expect(try await relay.store.synchronize(with: hub.service).isSynced)
        #expect(try await localChanges(of: relay.store) == [])
        try await pushConsequences(&phone, to: relay)
        #expect(
            try await localChanges(of: relay.store) == [
                RecordID("Project", 1), RecordID("Task", 1), RecordID(ServiceWorld.links, ["red", 1]),
                RecordID("Task", 2), RecordID("Person", 1), RecordID("Person", 2),
            ])
        #expect(try await relay.store.synchronize(with: hub.service).isSynced)
        #expect(try await localChanges(of: relay.store) == [])
        #expect(try await localChanges(of: hub.store) == [])
        #expect(try await hub.content == relay.content)
    }
}
