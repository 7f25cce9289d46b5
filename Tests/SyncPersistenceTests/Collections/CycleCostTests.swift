import DifferentialSync
import DifferentialSyncTesting
import Dispatch
import SyncPersistence
import TestSupport
import Testing

/// What a cycle reads and writes is counted, not timed.
struct CycleCostTests {
    @Test(arguments: [false, true])
    func cycleCostGrowsWithTheChangesNotWithTheCollection(isEverythingPulled: Bool) async throws {
        var costs: [Int] = []
        for size in [100, 1_000] {
            let store = CountingStore(try emptyStore())
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

            store.count.reset()
            let everything = PullingEverything(server: server)
            if isEverythingPulled {
                try await items.synchronize(with: everything, pushID: "second", policy: .unexpected)
            } else {
                try await items.synchronize(with: server, pushID: "second", policy: .unexpected)
            }
            costs.append(store.count.value)
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

/// A count that several threads add to.
// because all access to the number goes through the serial queue.
final class Count: @unchecked Sendable {
    private let queue = DispatchQueue(label: "count")
    private var number = 0
    var value: Int { queue.sync { number } }
    func add() { queue.sync { number += 1 } }
    func reset() { queue.sync { number = 0 } }
}

/// A store that counts the records that are read and written; digests do not count.
final class CountingStore: PersistenceAdapter {
    let count = Count()
    private let base: InMemoryAdapter

    init(_ base: InMemoryAdapter) {
        self.base = base
    }

    var schema: Schema { base.schema }
    func commits() -> AsyncStream<Commit> { base.commits() }
    func add(_ entities: [Entity]) async throws { try await base.add(entities) }
    func close() async { await base.close() }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        let count = count
        return try await base.read { try ReadTransaction.run(on: CountingStorage($0.storage, count), body) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        let count = count
        return try await base.write { try WriteTransaction.run(on: CountingStorage($0.storage, count), body) }.result
    }
}

private final class CountingStorage: RecordStorage {
    private let base: any RecordStorage
    private let counter: Count

    init(_ base: any RecordStorage, _ counter: Count) {
        self.base = base
        self.counter = counter
    }

    var schema: Schema { base.schema }

    func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        counter.add()
        return try base.record(key, in: hierarchy)
    }

    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        try base.forEach(query) { record in
            counter.add()
            return try body(record)
        }
    }

    func count(_ query: Query) throws -> Int { try base.count(query) }

    func forEachDigest(_ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void) throws {
        try base.forEachDigest(entity, where: filter, body)
    }

    func digest(of record: Record) -> UInt64 { base.digest(of: record) }

    func put(_ record: Record) throws -> Record? {
        counter.add()
        return try base.put(record)
    }

    func insert(_ record: Record) throws {
        counter.add()
        try base.insert(record)
    }

    func remove(_ key: Value, in hierarchy: Shape) throws -> Record? {
        counter.add()
        return try base.remove(key, in: hierarchy)
    }
}
