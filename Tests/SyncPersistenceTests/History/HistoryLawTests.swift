import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// Laws of the history that hold after any change sets.
struct HistoryLawTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func numbersOfACommitFollowThoseBeforeAndBelongToItsChanges(seed: UInt64) async throws {
        let schema = try RandomSchema(seed: seed).schema
        let store = InMemoryAdapter(schema: schema)
        var changes = RandomChanges(of: schema, seed: seed)
        var begin = ChangeSet()
        begin.keepHistory(true)
        try await store.commit(begin)
        var before: [HistoryEntry] = []
        for _ in 0..<30 {
            let image = try await store.read { try StoreImage(of: $0) }
            let random = changes.next(for: image)
            var next = ChangeSet(origin: random.origin)
            for operation in random.operations {
                if case .keepHistory = operation { continue }
                next.add(operation)
            }
            guard let commit = try? await store.commit(next) else { continue }
            let forgets = next.operations.contains { if case .forgetHistory = $0 { true } else { false } }
            let (entries, ids) = try await store.read { transaction in
                let ids = try transaction.schema.referenceOrder.roots.flatMap { root in
                    try transaction.keys(of: root.name).map { RecordID(root.name, $0) }
                }
                return (try transaction.history(after: 0, limit: .max), ids)
            }
            let last = before.last?.sequence ?? 0
            let changed = commit.changes.compactMap { ($0.new ?? $0.old).map { RecordID($0.shape.root, $0.key) } }
            #expect(entries.filter { $0.sequence > last }.map(\.id) == changed, "in the order of the changes")
            if !forgets {
                let others = before.filter { !changed.contains($0.id) }
                #expect(entries.filter { $0.sequence <= last } == others)
            }
            #expect(Set(entries.map(\.sequence)).count == entries.count)
            #expect(Set(entries.map(\.id)).isSuperset(of: ids))
            if !entries.isEmpty { before = entries }
        }
    }
}
