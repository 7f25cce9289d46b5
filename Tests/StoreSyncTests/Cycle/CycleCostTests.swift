import CDifferentialSyncSQLite
import DifferentialSyncTesting
import StoreSync
import SyncPersistence
import TestSupport
import Testing

@testable import SQLitePersistence

/// How many statements and bytes a cycle costs.
@Suite struct CycleCostTests {
    /// Counts the statements of a store in memory.
    // because: only the connection's thread counts, and the test reads while no statement runs.
    private final class StatementCounter: @unchecked Sendable {
        var count = 0

        static func counting(_ store: SQLiteAdapter) async throws -> StatementCounter {
            let counter = StatementCounter()
            try await store.pool.read { connection in
                // because: the counter is never released, so SQLite may count until the store is closed.
                let context = Unmanaged.passRetained(counter).toOpaque()
                sqlite3_trace_v2(
                    connection.handle, UInt32(SQLITE_TRACE_PROFILE),
                    { _, context, _, _ in
                        guard let context else { return 0 }
                        // because: the counter is never released.
                        Unmanaged<StatementCounter>.fromOpaque(context).takeUnretainedValue().count += 1
                        return 0
                    }, context)
            }
            return counter
        }
    }

    /// A service that counts the messages and their bytes.
    private struct MeasuredRemote: Remote {
        let service: SyncService
        let sizes = Locked<[Int]>([])

        func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
            try await measured(request, service.handshake)
        }

        func pull(_ request: PullRequest) async throws -> PullResponse { try await measured(request, service.pull) }

        func push(_ request: PushRequest) async throws -> PushResponse { try await measured(request, service.push) }

        private func measured<Request: SyncMessage, Response: SyncMessage>(
            _ request: Request, _ send: (Request) async throws -> Response
        ) async throws -> Response {
            let response = try await send(request)
            sizes.withLock { $0 += [request.data.count, response.data.count] }
            return response
        }
    }

    private struct Cost {
        /// The statements at the device and at the service.
        var statements: [Int]
        var bytes: Int
        var messageCount: Int
        var outcome: StoreSync.StoreOutcome
    }

    /// A device and a service with the same tags.
    private struct World {
        let device: Device
        let service: SyncService
        private let serviceStore: SQLiteAdapter
        private let counters: [StatementCounter]

        init(count: Int) async throws {
            let stores = [
                try await SQLiteAdapter.inMemory(schema: Planner.schema()),
                try await SQLiteAdapter.inMemory(schema: Planner.schema()),
            ]
            device = try Device("phone", stores[0])
            serviceStore = stores[1]
            service = SyncService(
                stores[1], account: "ada", limits: SyncLimits(pageRecords: 10_000, bytes: 10_000_000),
                makeName: Planner.names("epoch"))
            try await Device("service", stores[1]).edit { changes, schema in
                for id in 0..<count {
                    try changes.put(Record("Tag", in: schema, ["id": .integer(Int64(id)), "name": "a tag"]))
                }
            }
            #expect(try await device.sync(with: service).isSynced)
            // The first cycles may still write what later ones keep.
            #expect(try await device.sync(with: service).isSynced)
            counters = [
                try await StatementCounter.counting(stores[0]), try await StatementCounter.counting(stores[1]),
            ]
        }

        func cost() async throws -> Cost {
            for counter in counters { counter.count = 0 }
            let remote = MeasuredRemote(service: service)
            let outcome = try await device.sync(with: remote)
            let sizes = remote.sizes.withLock { $0 }
            return Cost(
                statements: counters.map(\.count), bytes: sizes.reduce(0, +), messageCount: sizes.count,
                outcome: outcome)
        }

        /// Costs of a poll, of a push of 100 changes and of a pull of 100 changes.
        func costs() async throws -> [Cost] {
            let poll = try await cost()
            try await CycleCostTests.rename(device, "here")
            let push = try await cost()
            try await CycleCostTests.rename(try Device("service", serviceStore), "there")
            return [poll, push, try await cost()]
        }
    }

    private static func name(_ id: Int, _ place: String) -> Value {
        .string("the new name of the tag \(id) that was given \(place)")
    }

    private static func rename(_ device: Device, _ place: String) async throws {
        try await device.edit { changes, _ in
            for id in 0..<100 { changes.update(RecordID("Tag", .integer(Int64(id * 7))), ["name": name(id, place)]) }
        }
    }

    @Test func costsFollowTheChangesAndNotTheRecords() async throws {
        let small = try await World(count: 1_000).costs()
        let large = try await World(count: isFullScale ? 100_000 : 8_000).costs()
        for (small, large) in zip(small, large) {
            for (few, many) in zip(small.statements, large.statements) {
                #expect(Double(many) <= 1.5 * Double(few), "\(few) and \(many) statements")
            }
            #expect(Double(large.bytes) <= 1.5 * Double(small.bytes))
        }
        #expect(small[1].outcome.pushedCount == 100 && small[2].outcome.pulledCount == 100)
        let poll = large[0]
        #expect(poll.messageCount == 2 && poll.statements[0] <= 70 && poll.statements[1] <= 10, "\(poll.statements)")
        for (cost, place) in zip(large[1...], ["here", "there"]) {
            let attributes = try (0..<100).map { id -> Value in
                ["id": .integer(Int64(id * 7)), "name": Self.name(id, place)]
            }.reduce(0) { try $0 + $1.json.utf8.count }
            #expect(
                Double(cost.bytes) <= 1.3 * Double(attributes) + 300 * Double(cost.messageCount),
                "\(cost.bytes) bytes in \(cost.messageCount) messages for \(attributes)")
        }
    }

    @Test func uploadTakesTwoStatementsForARecordAtTheDeviceAndThreeAtTheService() async throws {
        let stores = [
            try await SQLiteAdapter.inMemory(schema: Planner.schema()),
            try await SQLiteAdapter.inMemory(schema: Planner.schema()),
        ]
        let device = try Device("phone", stores[0])
        let limits = SyncLimits(pushRecords: 1_000)
        let service = SyncService(stores[1], account: "ada", limits: limits, makeName: Planner.names("epoch"))
        let count = 4_000
        try await device.edit { changes, schema in
            try changes.put(Record("Project", in: schema, ["id": 0]))
            for id in 1..<count {
                try changes.put(Record("Task", in: schema, ["id": .integer(Int64(id)), "project": 0]))
            }
        }
        let counters = [
            try await StatementCounter.counting(stores[0]), try await StatementCounter.counting(stores[1]),
        ]
        let outcome = try await device.sync(with: service)
        #expect(outcome.isSynced && outcome.pushedCount == count)
        #expect(Double(counters[0].count) <= 2.1 * Double(count), "\(counters[0].count) statements at the device")
        #expect(Double(counters[1].count) <= 3.1 * Double(count), "\(counters[1].count) statements at the service")
    }
}
