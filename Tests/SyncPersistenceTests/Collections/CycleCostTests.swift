import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// What a cycle reads and writes is counted, not timed.
struct CycleCostTests {
    @Test(arguments: [false, true])
    func cycleCostGrowsWithTheChangesNotWithTheCollection(isEverythingPulled: Bool) async throws {
        var costs: [Int] = []
        for size in [100, 1_000] {
            let counts = Locked(StorageCounts())
            let store = try emptyStore().counted(by: counts)
            let items = try await store.collection(of: Item.self, entity: "Item")
            var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
            remote.reset(to: (0..<size).map { Item($0) })
            let server = SimulatedRemoteServer(remote)
            try await items.synchronize(with: server, pushID: "first", policy: .unexpected)

            let tablet = try await itemCollection()
            try await tablet.synchronize(with: server, pushID: "tablet", policy: .unexpected)
            try await tablet.upsert(contentsOf: [Item(10, 1), Item(size)])
            try await tablet.remove(11)
            try await tablet.synchronize(with: server, pushID: "tablet 2", policy: .unexpected)
            try await items.upsert(contentsOf: [Item(20, 1), Item(size + 1)])
            try await items.remove(21)

            counts.reset()
            let everything = PullingEverything(server: server)
            if isEverythingPulled {
                try await items.synchronize(with: everything, pushID: "second", policy: .unexpected)
            } else {
                try await items.synchronize(with: server, pushID: "second", policy: .unexpected)
            }
            costs.append(counts.current.records)
            #expect(Set(try await items.elements()) == Set(await server.remote.elements))
            #expect(try await items.localDiff == nil)
        }
        #expect(costs[1] <= costs[0] + 10, "\(costs)")
        #expect(costs[1] < 200, "\(costs)")
    }
}

/// A remote that answers each pull with everything.
private struct PullingEverything: RemoteCollection {
    let server: SimulatedRemoteServer<Item, Int>

    var account: String { server.account }
    func status(of pushID: String) async -> PushStatus<Item> { await server.status(of: pushID) }
    func pull(since version: RemoteVersion?) async -> Pull<Item, Int> { await server.pull(since: nil) }
    func push(_ push: Push<Item>) async throws -> PushAnswer<Item> { try await server.push(push) }
}
