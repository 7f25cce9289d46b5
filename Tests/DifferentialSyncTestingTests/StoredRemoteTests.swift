import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

struct StoredRemoteTests {
    private let store = InMemoryAdapter(schema: try! Schema([]))

    private func remote() async throws -> StoredRemote<Item, Int> {
        try await StoredRemote(store.collection(of: Item.self, entity: "Item"))
    }

    private func device() async throws -> PersistentCollection<Item, Int> {
        try await InMemoryAdapter(schema: Schema([])).collection(of: Item.self, entity: "Item")
    }

    @Test func storedRemoteAgreesWithASimulatedOneAcrossRestarts() async throws {
        let seed = SeededGenerator.testSeed(3)
        print("StoredRemoteTests.storedRemoteAgreesWithASimulatedOneAcrossRestarts: DIFFSYNC_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        var simulated = SimulatedRemote<Item, Int>(primaryKey: \.id)
        var versions: [RemoteVersion?] = [nil]
        for step in 0..<(isFullScale ? 2_000 : 300) {
            let stored = try await remote()
            #expect(try await stored.version == simulated.version)
            if generator.happens(0.02) {
                let items = generator.items(5, keys: 10, values: 5)
                try await stored.reset(to: items)
                simulated.reset(to: items)
            }
            // The simulated one does not know the state before its first commit.
            let since = versions.filter { $0?.commit != "none" }.randomElement(using: &generator)!
            let pull = try await stored.pull(since: since)
            try #require(pull.sorted == simulated.pull(since: since).sorted, "seed \(seed), step \(step)")

            var client = try JournaledCollection<Item, Int>([])
            var cycle = SyncCycle<Item, Int>(pushID: "\(step)", policy: .remoteWins)
            try client.upsert(Item(Int.random(in: 0..<10, using: &generator), step))
            _ = try cycle.begin(&client)
            let everything = try await stored.pull(since: nil)
            guard case .push(let push) = try cycle.pulled(everything, &client) else { continue }
            let answer = try simulated.push(push)
            try #require(try await stored.push(push) == answer, "seed \(seed), step \(step)")
            try #require(try await remote().push(push) == answer, "it comes once more")
            for id in ["\(step)", "\(step / 2)", "none"] {
                try #require(try await stored.status(of: id) == simulated.status(of: id), "seed \(seed), step \(step)")
            }
            versions.append(try await stored.version)
        }
    }

    @Test func aPushWithTwoChangesOfOneKeyIsRefused() async throws {
        let remote = try await remote()
        try await remote.reset(to: [Item(1)])
        let version = try await remote.version
        let before = try await StoreDump(of: store)
        for changes in [
            [.replace(old: Item(1), new: Item(1, 1)), .replace(old: Item(1), new: Item(1, 2))],
            [.add(Item(2)), .add(Item(2, 1))], [.delete(Item(1)), .add(Item(1, 1))],
        ] as [[Change<Item>]] {
            let push = Push(id: "a", changes: try #require(Diff(changes)), expected: version)
            let data = try JSONEncoder().encode(push)
            guard let decoded = try? JSONDecoder().decode(Push<Item>.self, from: data) else { continue }
            let error = await #expect(throws: KeyError.self) { try await remote.push(decoded) }
            #expect(error?.collection == "push")
            #expect(try await StoreDump(of: store) == before)
        }
    }

    @Test func anotherPushUnderAKnownNameIsRefusedAndLeavesTheNameInDoubt() async throws {
        let remote = try await remote()
        var version = try await remote.version
        func push(_ name: String, _ change: Change<Item>) async throws -> PushAnswer<Item> {
            let push = Push(id: name, changes: try #require(Diff([change])), expected: version)
            let answer = try await remote.push(push)
            version = try await remote.version
            return answer
        }
        #expect(try await push("a", .add(Item(1))) != .refused)
        #expect(try await push("b", .add(Item(2))) != .refused)
        #expect(try await push("a", .replace(old: Item(1), new: Item(1, 1))) == .refused)
        #expect(try await Array(remote.collection.elements()) == [Item(1), Item(2)])
        let again = try await self.remote()
        #expect(try await again.status(of: "a") == .unknown)
        #expect(try await again.status(of: "b") == .applied(#require(version)))
        try await remote.reset(to: [])
        #expect(try await again.status(of: "a") == .notApplied, "a new epoch knows no names")
    }

    @Test func secondCopyOfAPushIsAnsweredAsTheFirst() async throws {
        let remote = try await remote()
        func push(_ name: String, _ changes: [Change<Item>], _ version: RemoteVersion?) throws -> Push<Item> {
            Push(id: name, changes: try #require(Diff(changes)), expected: version)
        }
        let first = try push("a", [.add(Item(1)), .add(Item(2))], nil)
        let answer = try await remote.push(first)
        let version = try await remote.version
        #expect(answer == .accepted(try #require(version)))
        _ = try await remote.push(push("b", [.delete(Item(1)), .replace(old: Item(2), new: Item(2, 3))], version))
        let again = try await self.remote()
        #expect(try await again.push(first) == answer)
        #expect(try await again.push(push("a", [.add(Item(2)), .add(Item(1))], nil)) == answer)
        #expect(try await Array(remote.collection.elements()) == [Item(2, 3)], "the copies have changed nothing")
        #expect(try await again.status(of: "a") == .applied(try #require(version)))
        let others = try [
            push("a", [.add(Item(1)), .add(Item(2, 1))], nil), push("a", first.changes.changes, version),
        ]
        for other in others {
            #expect(try await again.push(other) == .refused)
            #expect(try await again.status(of: "a") == .unknown)
        }
    }

    @Test func entitiesConnectedByRelationshipRulesAreRefused() async throws {
        let schema = try Schema {
            Entity("Project") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tasks", toMany: "Task", inverse: "project", deleteRule: .cascade)
            }
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("project", to: "Project", inverse: "tasks")
                Relationship("label", to: "Label", deleteRule: .noAction)
            }
            Entity("Label") { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) }
        }
        let store = InMemoryAdapter(schema: schema)
        for (entity, property) in [("Project", "tasks"), ("Task", "project"), ("Label", nil)] {
            let error = try await #require(throws: PersistenceError.self) {
                _ = try await StoredRemote(store.recordCollection(of: entity))
            }
            #expect(error.code == .wrongType && error.property == property)
        }
        _ = try await StoredRemote(store.recordCollection(of: "Note"))
    }

    @Test func changesSinceAResetAreKnown() async throws {
        let remote = try await remote()
        try await remote.reset(to: [Item(1)])
        let version = try #require(try await remote.version)
        #expect(try await remote.pull(since: version) == .changes(changed: [], deleted: [], version))
    }

    @Test func removedCollectionReturnsInANewEpoch() async throws {
        let phone = try await device()
        try await phone.insert(Item(1))
        try await phone.synchronize(with: remote(), pushID: "a", policy: .localWins)
        try await remote().removeCollection()
        #expect(try await remote().version == nil)
        #expect(try await remote().pull(since: phone.version) == .nothing)
        #expect(try await remote().status(of: "a") == .notApplied)
        try await phone.synchronize(with: remote(), pushID: "b", policy: .localWins)
        #expect(try await remote().version == RemoteVersion(epoch: "epoch 2", commit: "b"))
        #expect(try await phone.elements() == [Item(1)])
    }

    @Test func devicesSynchronizeThroughItAndItsStoreKeepsNoJournal() async throws {
        let (phone, tablet) = try await (device(), device())
        try await phone.upsert(contentsOf: [Item(1), Item(2), Item(3)])
        try await phone.synchronize(with: remote(), pushID: "a", policy: .localWins)
        try await tablet.synchronize(with: remote(), pushID: "b", policy: .localWins)
        try await tablet.remove(2)
        try await tablet.upsert(Item(3, 5))
        try await tablet.synchronize(with: remote(), pushID: "c", policy: .localWins)
        try await phone.synchronize(with: remote(), pushID: "d", policy: .localWins)
        #expect(try await phone.elements() == [Item(1), Item(3, 5)])
        #expect(try await store.collection(of: Item.self, entity: "Item").localDiff == nil)
    }

    @Test func forgottenPushIsNotDeniedAndAbsentDevicesPullEverything() async throws {
        let (phone, tablet) = try await (device(), device())
        for step in 0..<6 {
            try await phone.upsert(Item(step))
            try await phone.synchronize(with: remote(), pushID: "phone \(step)", policy: .localWins)
            if step == 1 { try await tablet.synchronize(with: remote(), pushID: "tablet", policy: .localWins) }
        }
        let remote = try await remote()
        let version = try #require(try await remote.version)
        let known = try #require(try await tablet.version)
        try await remote.forgetHistory(keepingLatest: 2)
        #expect(try await remote.version == version)
        #expect(try await remote.status(of: "phone 1") == .unknown)
        #expect(try await remote.status(of: "phone 5") == .applied(version))
        #expect(try await remote.status(of: "never") == .unknown)
        guard case .everything = try await remote.pull(since: known) else {
            Issue.record("a version that was forgotten leaves only everything")
            return
        }
        try await tablet.remove(0)
        try await tablet.synchronize(with: remote, pushID: "tablet 2", policy: .localWins)
        #expect(try await tablet.count == 5)
        try await remote.forgetHistory(keepingLatest: 0)
        #expect(try await remote.version?.commit == "tablet 2.2")
        try await phone.synchronize(with: remote, pushID: "last", policy: .localWins)
        #expect(Set(try await phone.elements()) == Set((1..<6).map { Item($0) }))
    }

    @Test func messageReadsOnlyWhatItConcerns() async throws {
        var costs: [Int] = []
        for size in [10, 1_000] {
            let bytes = Locked(0)
            let store = ForwardingAdapter(InMemoryAdapter(schema: try Schema([]))) { ReadBytes($0, bytes) }
            let remote = try await StoredRemote(store.collection(of: Item.self, entity: "Item"))
            let device = try await device()
            try await device.upsert(contentsOf: (0..<size).map { Item($0) })
            try await device.synchronize(with: remote, pushID: "first", policy: .localWins)
            bytes.exchange(with: 0)
            #expect(try await remote.status(of: "first") == .applied(try #require(try await remote.version)))
            _ = try await remote.pull(since: device.version)
            try await device.upsert(Item(1, 1))
            try await device.synchronize(with: remote, pushID: "second", policy: .localWins)
            costs.append(bytes.current)
        }
        #expect(costs[1] < costs[0] + 100, "bytes read after a push of 10 and of 1,000: \(costs)")
    }

    @Test func pushWithWrongOldValuesIsAnErrorAndChangesNothing() async throws {
        let remote = try await remote()
        try await remote.reset(to: [Item(1, 5)])
        let version = try await remote.version
        var client = try JournaledCollection([Item(1, 4)], version: version)
        try client.update(Item(1, 6))
        var cycle = SyncCycle<Item, Int>(pushID: "a", policy: .localWins)
        guard case .push(let push) = try cycle.begin(&client) else { fatalError("it begins with a push") }
        let error = await #expect(throws: PersistenceError.self) { _ = try await remote.push(push) }
        #expect(error?.description == "Item 1: the push fits the version, but its old value is not the remote's")
        #expect(try await remote.status(of: "a") == .notApplied)
    }
}

extension Pull<Item, Int> {
    /// The pull with its elements by their keys.
    fileprivate var sorted: Pull {
        switch self {
        case .nothing: .nothing
        case .everything(let items, let version, let unreadable):
            .everything(items.sorted { $0.id < $1.id }, version, unreadable: unreadable)
        case .changes(let changed, let deleted, let version, _):
            .changes(changed: changed.sorted { $0.id < $1.id }, deleted: deleted.sorted(), version)
        }
    }
}

/// A storage that counts the bytes of the records that are read.
private final class ReadBytes: ForwardingStorage {
    private let bytes: Locked<Int>

    init(_ base: any RecordStorage, _ bytes: Locked<Int>) {
        self.bytes = bytes
        super.init(base)
    }

    private func add(_ record: Record) { bytes.withLock { $0 += "\(record.values)".utf8.count } }

    override func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        let record = try super.record(key, in: hierarchy)
        if let record { add(record) }
        return record
    }

    override func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        try super.forEach(query) { record in
            add(record)
            return try body(record)
        }
    }
}
