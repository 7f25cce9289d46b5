import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// What transactions do with random changes is what a plain model of them does.
struct NaiveStoreTests {
    @Test func randomSchemas() async throws {
        for seed in seeds {
            let schema = try RandomSchema(seed: seed).schema
            let difference = try await firstDifference(
                between: InMemoryAdapter(schema: schema), and: NaiveStore(schema: schema), seed: seed, rounds: 60)
            if let difference {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    /// Some of the entities have remotes of their own, whose deletions alone delete their records.
    @Test func randomSchemasWithSynchronizedEntities() async throws {
        for seed in seeds {
            let schema = try RandomSchema(seed: seed).schema
            var generator = SeededGenerator(seed: seed)
            var changes = ChangeSet()
            for root in schema.roots where (root.role == nil || root.role == .links) && generator.happens(0.7) {
                changes.setMetadata("cycle.\(root.name).turn", "1")
            }
            let (store, model) = (InMemoryAdapter(schema: schema), NaiveStore(schema: schema))
            let difference = try await firstDifference(
                between: store, and: model, seed: seed, rounds: 60, beginning: changes)
            if let difference {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    /// Many changes in the first transaction of a store, which answers what it can from what it has done itself.
    @Test func firstTransactions() async throws {
        var committed = 0
        for seed in seeds {
            let schema = try RandomSchema(seed: seed).schema
            let origin = ([.local, .remote, .agreed] as [ChangeSet.Origin])[Int(seed % 3)]
            var random = RandomChanges(of: schema, seed: seed)
            var model = NaiveStore(schema: schema)
            var all = ChangeSet(origin: origin)
            all.keepHistory(true)
            var keys: [String: Set<Value>] = [:]
            for _ in 0..<25 {
                var changes = random.next(for: model.image)
                changes.origin = origin
                guard case .committed = model.commit(changes) else { continue }
                for operation in changes.operations {
                    if case .keepHistory = operation { continue }
                    all.add(operation)
                }
                for (root, records) in model.image.records { keys[root, default: []].formUnion(records.map(\.key)) }
            }
            var expected = NaiveStore(schema: schema)
            let outcome = expected.commit(all)
            let store = InMemoryAdapter(schema: schema)
            do {
                let (changes, known) = (all, keys)
                let commit = try await store.write { transaction in
                    for operation in changes.operations {
                        var one = ChangeSet(origin: origin)
                        one.add(operation)
                        try transaction.apply(one)
                        try expectSameRecords(transaction, keys: known, seed: seed)
                    }
                }.commit
                #expect(StoreOutcome(commit) == outcome, "seed \(seed)")
                committed += 1
            } catch let error as PersistenceError {
                #expect(outcome == .refused(error.code), "seed \(seed)")
            }
            let image = try await store.read { try StoreImage(of: $0) }
            #expect(image.differences(from: expected.image) == [], "seed \(seed)")
        }
        #expect(environmentSeed != nil || committed > seeds.count / 2)
    }

    /// What a transaction answers is what its storage holds.
    private func expectSameRecords(
        _ transaction: WriteTransaction, keys: [String: Set<Value>], seed: UInt64
    ) throws {
        for root in transaction.schema.roots where root.role == nil || root.role == .links {
            for key in keys[root.name] ?? [] {
                let record = try transaction.record(RecordID(root.name, key))
                #expect(try record == transaction.storage.record(key, in: root), "seed \(seed), \(root.name) \(key)")
            }
        }
    }

    private var seeds: Range<UInt64> {
        #if DEBUG
            let count: UInt64 = 150
        #else
            let count: UInt64 = 400
        #endif
        return environmentSeed.map { $0..<($0 + 1) } ?? 0..<count
    }
}
