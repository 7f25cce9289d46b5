import DifferentialSyncTesting
import SyncCoordination
import SyncPersistence
import Testing

/// Two devices with coordinators and a processor, whose messages get lost and whose processes end at any time.
@Suite struct CoordinatorChaosTests {
    @Test(arguments: 0..<20 as Range<UInt64>) func bothDevicesAgreeInTheEnd(seed: UInt64) async throws {
        let world = try PhotoWorld()
        world.remote.notify()
        var generator = SeededGenerator(seed: seed)
        let stores = [world.store, InMemoryAdapter(schema: try PhotoWorld.schema())]
        let policies = SyncPolicies(.remoteWins)
        let uploader = TestProcessor("upload", .unsentPhotos) { records, call in
            if call.isMultiple(of: 3) { throw RemoteError.later() }
            return .addresses(records)
        }
        func coordinator(_ device: Int, _ run: Int) -> SyncCoordinator {
            world.coordinator([uploader], policies: policies, store: stores[device], named: "device \(device).\(run)")
        }
        var coordinators = [coordinator(0, 0), coordinator(1, 0)]
        for coordinator in coordinators { await coordinator.start() }
        world.remote.loseMessages(0.3, seed: seed)
        var added: Set<Int64> = []
        for step in 1...60 {
            let device = Int.random(in: 0...1, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...3:
                let id = Int64(step * 2 + device)
                try await world.addPhoto(id, in: stores[device])
                added.insert(id)
            case 4...6:
                guard let id = added.randomElement(using: &generator) else { continue }
                if try await world.photo(id, in: stores[device]) == nil { continue }
                try await world.setPhoto(id, ["title": .string("\(step)")], in: stores[device])
            case 7:
                await coordinators[device].stop()
                coordinators[device] = coordinator(device, step)
                await coordinators[device].start()
            default:
                world.clock.advance(by: .seconds(Int.random(in: 0...30, using: &generator)))
                await world.settle(coordinators[device])
            }
        }
        world.remote.loseMessages(0, seed: seed)
        for _ in 0..<4 {
            world.clock.advance(by: .seconds(400))
            for coordinator in coordinators { await world.sync(coordinator) }
        }
        for coordinator in coordinators { await coordinator.stop() }
        let server = try await world.server.read { try $0.records(Query("Photo", sort: [Query.SortKey("id")])) }
        #expect(server.map(\.key) == added.sorted().map { .integer($0) })
        for store in stores {
            #expect(try await store.read { try $0.records(Query("Photo", sort: [Query.SortKey("id")])) } == server)
            for record in server { #expect(try await store.syncState(of: record.id) == .synced) }
        }
        #expect(server.allSatisfy { $0["address"] != .null })
    }
}
