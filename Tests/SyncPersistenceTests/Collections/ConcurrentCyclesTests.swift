import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct ConcurrentCyclesTests {
    private func world() async throws -> (SimulatedRemoteServer<Item, Int>, PersistentCollection<Item, Int>) {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1)])
        let server = SimulatedRemoteServer(remote)
        let phone = try await itemCollection()
        try await phone.synchronize(with: server, pushID: "first", policy: .unexpected)
        return (server, phone)
    }

    @Test func laterCycleFailsAsOvertakenAndLosesNothing() async throws {
        let (server, phone) = try await world()
        try await phone.upsert(Item(1, 5))
        var first = DurableCycle(phone, pushID: "a", account: "account", policy: .unexpected)
        guard case .push(let push) = try await first.begin() else { fatalError("it begins with a push") }
        var second = DurableCycle(phone, pushID: "b", account: "account", policy: .unexpected)
        #expect(try await second.begin() == .confirm(pushID: "a"))
        #expect(try await second.confirmed(.notApplied) == .push(push))
        guard case .accepted(let version, _) = try await server.push(push) else { fatalError("it is taken") }
        guard case .pull = try await second.pushed(.accepted(version)) else { fatalError("a pull follows") }
        let error = await #expect(throws: PersistenceError.self) { _ = try await first.pushed(.accepted(version)) }
        #expect(error?.code == .cycleOvertaken)
        guard case .finished(let outcome) = try await second.pulled(server.pull(since: version)) else {
            fatalError("it ends")
        }
        #expect(outcome.isSynced)
        #expect(try await phone.version == version)
        #expect(try await phone.localDiff == nil)
    }

    @Test func cycleWithoutChangesDoesNotOvertakeAnother() async throws {
        let (server, phone) = try await world()
        var first = DurableCycle(phone, pushID: "a", account: "account", policy: .unexpected)
        _ = try await first.begin()
        try await phone.synchronize(with: server, pushID: "b", policy: .unexpected)
        guard case .finished(let outcome) = try await first.pulled(await server.pull(since: phone.version)) else {
            fatalError("it ends")
        }
        #expect(outcome.isSynced)
    }

    @Test func manyConcurrentCyclesLoseNoEdit() async throws {
        let (server, phone) = try await world()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<10 {
                        try await phone.upsert(Item(10 * task + round, round))
                        do {
                            try await phone.synchronize(
                                with: server, pushID: "\(task), \(round)", policy: .localWins)
                        } catch let error as PersistenceError where error.code == .cycleOvertaken {}
                    }
                }
            }
            try await group.waitForAll()
        }
        try await phone.synchronize(with: server, pushID: "last", policy: .unexpected)
        try await phone.synchronize(with: server, pushID: "really", policy: .unexpected)
        #expect(try await phone.count == 80)
        #expect(Set(try await phone.elements()) == Set(await server.remote.elements))
        #expect(try await phone.localDiff == nil)
        #expect(try await phone.pendingPush == nil)
    }
}
