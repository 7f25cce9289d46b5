import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

@Suite("Cycles that run on one collection at once")
struct ConcurrentCyclesTests {
    private func world() async throws -> (SimulatedRemoteServer<Item, Int>, PersistentCollection<Item, Int>) {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1)])
        let server = SimulatedRemoteServer(remote)
        let phone = try await itemCollection()
        try await phone.synchronize(with: server, pushID: "first", policy: .unexpected)
        return (server, phone)
    }

    @Test("the first that goes on wins; the other one says so, and nothing is lost")
    func overtaken() async throws {
        let (server, phone) = try await world()
        try await phone.upsert(Item(1, 5))
        var first = DurableCycle(phone, pushID: "a", policy: .unexpected)
        guard case .push(let push) = try await first.begin() else { fatalError("it begins with a push") }
        var second = DurableCycle(phone, pushID: "b", policy: .unexpected)
        guard case .confirm(let doubtful) = try await second.begin() else { fatalError("the push is in doubt") }
        #expect(doubtful == push)
        guard case .push(let again) = try await second.confirmed(.notApplied) else { fatalError("it is sent again") }
        #expect(again == push)
        guard case .accepted(let version) = await server.push(push) else { fatalError("it is taken") }
        let error = await #expect(throws: PersistenceError.self) { _ = try await first.pushed(version) }
        #expect(error?.code == .cycleOvertaken)
        #expect(await server.push(again) == .refused)
        guard case .confirm = try await second.refused() else { fatalError("its copy may have been taken") }
        guard case .finished = try await second.confirmed(.applied(version)) else { fatalError("it has been") }
        #expect(try await phone.version == version)
        #expect(try await phone.localDiff == nil)
    }

    @Test("a cycle that ends without a change does not disturb another")
    func undisturbed() async throws {
        let (server, phone) = try await world()
        var first = DurableCycle(phone, pushID: "a", policy: .unexpected)
        _ = try await first.begin()
        try await phone.synchronize(with: server, pushID: "b", policy: .unexpected)
        guard case .finished(.synced) = try await first.pulled(await server.pull(since: phone.version)) else {
            fatalError("it ends")
        }
    }

    @Test("many at once")
    func many() async throws {
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
