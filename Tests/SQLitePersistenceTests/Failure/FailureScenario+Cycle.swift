import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

extension FailureScenario {
    /// A phone and its remote, which both store their state in the file that fails.
    static let cycle = FailureScenario(
        "a cycle with a conflict", try! Schema([]), leastFailures: 40,
        prepare: { store in
            let world = try await World(store)
            try await world.remote.reset(to: [Item(1), Item(2), Item(3)])
            try await world.phone.synchronize(with: world.remote, pushID: "phone 1", policy: .localWins)
            let tablet = try await InMemoryAdapter(schema: Schema([])).collection(of: Item.self, entity: "Item")
            try await tablet.synchronize(with: world.remote, pushID: "tablet 1", policy: .localWins)
            try await tablet.upsert(contentsOf: [Item(1, 7), Item(3, 7), Item(4)])
            try await tablet.synchronize(with: world.remote, pushID: "tablet 2", policy: .localWins)
        },
        run: { store in
            let outcome = try await World(store).edit(pushID: "phone 2")
            #expect(outcome.isSynced && outcome.counts.resolved == 1)
        },
        check: { store, failure in
            // A restart from the file ends in the same state.
            let world = try await World(store)
            try await world.edit(pushID: "phone 3")
            for collection in [world.phone, world.remote.collection] {
                let elements = try await collection.elements().sorted { $0.id < $1.id }
                #expect(elements == [Item(1, 9), Item(3, 7), Item(4), Item(5)], "\(String(describing: failure))")
                #expect(try await collection.localDiff == nil)
            }
            #expect(try await world.phone.pendingPush == nil)
        })

    private struct World {
        let phone: PersistentCollection<Item, Int>
        let remote: StoredRemote<Item, Int>

        init(_ store: any PersistenceAdapter) async throws {
            phone = try await store.collection(of: Item.self, entity: "Phone")
            remote = try await StoredRemote(store.collection(of: Item.self, entity: "Remote"))
        }

        /// Changes item 1, as the tablet has, removes 2, adds 5, and synchronizes.
        @discardableResult
        func edit(pushID: String) async throws -> CycleOutcome {
            try await phone.upsert(contentsOf: [Item(1, 9), Item(5)])
            try await phone.remove(2)
            return try await phone.synchronize(with: remote, pushID: pushID, policy: .localWins)
        }
    }
}
