import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// What a service reads and writes for a message.
@Suite struct ServiceCostTests {
    /// A storage that counts the keys of tasks that are announced to it.
    private final class AnnouncedKeys: ForwardingStorage {
        private let count: Locked<Int>

        init(_ base: any RecordStorage, _ count: Locked<Int>) {
            self.count = count
            super.init(base)
        }

        override func prefetch(_ lookups: () throws -> [KeyLookup]) throws {
            // A store in memory reads none of them.
            for lookup in try lookups() where lookup.hierarchy.name == "Task" {
                count.withLock { $0 += lookup.keys.count }
            }
        }
    }

    private struct Costs: Hashable {
        var reads: [Int] = []
        var writes: [Int] = []
    }

    /// Returns the costs of a handshake, a pull of nothing, a pull of one change and a push of one change.
    private func costs(records: Int, devices: Int) async throws -> Costs {
        let counts = Locked(StorageCounts())
        // What is read to find the keys that are announced counts too.
        let store = ForwardingAdapter(InMemoryAdapter(schema: ServiceWorld.schema)) { AnnouncedKeys($0, Locked(0)) }
        let world = ServiceWorld(store.counted(by: counts))
        try await world.edit { changes in
            for number in 0..<records {
                try changes.put(Record("Task", in: ServiceWorld.schema, ["id": .integer(Int64(number))]))
            }
        }
        for number in 0..<devices { _ = try await HandDevice("device \(number)", to: world.service) }
        var phone = try await HandDevice("phone", to: world.service)
        var costs = Costs()
        func measure(_ body: () async throws -> Void) async throws {
            counts.reset()
            try await body()
            let total = counts.current
            costs.reads.append(total.lookups + total.queries + total.rows)
            costs.writes.append(total.writes)
        }
        try await measure { _ = try await world.service.handshake(HandDevice.request("phone", phone.cursor)) }
        try await measure { _ = try await phone.pull() }
        try await world.edit { $0.update(RecordID("Task", 1), ["title": "x"]) }
        try await measure { _ = try await phone.pull() }
        try await measure { _ = try await phone.push(.update("Task", 1, ["title": "y"])) }
        return costs
    }

    @Test func costsFollowTheChangesAlone() async throws {
        let small = try await costs(records: 10, devices: 1)
        let large = try await costs(records: 1_000, devices: 300)
        #expect(small == large)
        #expect(small.reads.allSatisfy { $0 < 30 })
        // A poll of a device that has everything writes at most its unchanged row.
        #expect(small.writes[..<3] == [1, 0, 0])
    }
}

extension ServiceCostTests {
    @Test func pagesAndPushesReadFewMoreBytesThanTheirLimits() async throws {
        let announced = Locked(0)
        let store = ForwardingAdapter(InMemoryAdapter(schema: ServiceWorld.schema)) { AnnouncedKeys($0, announced) }
        let world = ServiceWorld(store, limits: SyncLimits(bytes: 100_000, pushBytes: 100_000))
        let tablet = try await HandDevice("tablet", to: world.service)
        var phone = try await HandDevice("phone", to: world.service)
        let title = Value.string(String(repeating: "a", count: 10_000))
        try await world.edit { changes in
            for number in 0..<2_000 as Range<Int64> {
                try changes.put(Record("Task", in: ServiceWorld.schema, ["id": .integer(number), "title": title]))
            }
        }
        announced.exchange(with: 0)
        #expect(try await tablet.page(after: 0).entries.count == 9)
        #expect(announced.current == 100)
        // Deletions are small, whatever they delete.
        phone.cursor = SyncCursor(epoch: phone.cursor.epoch, sequence: 2_000)
        let outcomes = try await phone.push((0..<2_000).map { .delete("Task", .integer(Int64($0))) })
        #expect(outcomes.count { $0 == .ok } == 80)
        #expect(outcomes[80...].allSatisfy { $0 == .later(after: 0) })
        #expect(try await world.records("Task").count == 1_920)
    }

    @Test func refusedChangesOfLargeRecordsEndAPushToo() async throws {
        let announced = Locked(0)
        let store = ForwardingAdapter(InMemoryAdapter(schema: ServiceWorld.schema)) { AnnouncedKeys($0, announced) }
        let world = ServiceWorld(store, limits: SyncLimits(bytes: 100_000, pushBytes: 100_000))
        let title = Value.string(String(repeating: "a", count: 10_000))
        try await world.edit { changes in
            for number in 0..<500 as Range<Int64> {
                try changes.put(Record("Task", in: ServiceWorld.schema, ["id": .integer(number), "title": title]))
            }
        }
        var phone = try await HandDevice("phone", to: world.service)
        announced.exchange(with: 0)
        let outcomes = try await phone.push((0..<500).map { .update("Task", .integer(Int64($0)), ["none": 1]) })
        #expect(outcomes.count { $0.code == "unknownName" } == 80)
        #expect(outcomes[80...].allSatisfy { $0 == .later(after: 0) })
        #expect(announced.current == 100)
    }
}

/// Several services over one store, and an app that changes it meanwhile.
@Suite struct ConcurrentServiceTests {
    @Test func pushesOfManyDevicesTakeTurns() async throws {
        let world = ServiceWorld()
        let other = SyncService(world.store, account: "ada", makeName: { "other epoch" })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let service = number.isMultiple(of: 2) ? world.service : other
                    var device = try await HandDevice("device \(number)", to: service)
                    for push in 0..<10 {
                        let key = Value.string("\(number) \(push)")
                        #expect(try await device.push(.insert("Tag", key)) == [.ok])
                        _ = try await device.pull(limit: 3)
                    }
                }
            }
            group.addTask {
                for number in 0..<10 {
                    try await world.edit {
                        try $0.put(Record("Task", in: ServiceWorld.schema, ["id": .integer(Int64(number))]))
                    }
                }
            }
            try await group.waitForAll()
        }
        let phone = try await HandDevice("phone", to: other)
        let page = try await phone.page(after: 0)
        #expect(page.entries.count == 90 && page.cursor.sequence == 90 && page.fingerprint?.count == 90)
    }
}
