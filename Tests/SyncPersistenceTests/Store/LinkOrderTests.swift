import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// Ordered relationships whose records are linked one by one.
@Suite struct LinkOrderTests {
    private static let schema = try! Schema {
        Entity("List") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("items", toMany: "Item", isOrdered: true, inverse: "list")
            Relationship("tags", toMany: "Tag", isOrdered: true, inverse: "lists")
        }
        Entity("Item") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("list", to: "List", inverse: "items")
        }
        Entity("Tag") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("lists", toMany: "List", isOrdered: true, inverse: "tags")
        }
    }

    private func put(_ entity: String, _ id: Int, in changes: inout ChangeSet) throws {
        changes.put(try Record(entity, in: Self.schema, ["id": .integer(Int64(id))]))
    }

    /// Returns how many rows are read and written to insert records and link each behind the others.
    private func cost(_ entity: String, _ relationship: String, count: Int) async throws -> Int {
        let counts = Locked(StorageCounts())
        let store = InMemoryAdapter(schema: Self.schema).counted(by: counts)
        var changes = ChangeSet()
        try put("List", 0, in: &changes)
        for id in 0..<count {
            try put(entity, id, in: &changes)
            changes.link(RecordID("List", 0), relationship, to: .integer(Int64(id)))
        }
        counts.reset()
        try await store.commit(changes)
        let cost = counts.current.records
        let linked = try await store.read { try $0.related(RecordID("List", 0), relationship) }
        #expect(linked == (0..<count).map { .integer(Int64($0)) })
        return cost
    }

    @Test(arguments: [("Item", "items"), ("Tag", "tags")])
    func aLinkAtTheEndCostsTheSameBehindAnyNumber(entity: String, relationship: String) async throws {
        let (few, many) = try await (
            cost(entity, relationship, count: 20), cost(entity, relationship, count: 200)
        )
        #expect(Double(many) <= 11 * Double(few), "\(few) and \(many) rows")
    }

    @Test(arguments: [("Item", "items"), ("Tag", "tags")])
    func anyChangesOfLinksKeepTheirOrder(entity: String, relationship: String) async throws {
        let seed = SeededGenerator.testSeed(43)
        for run in 0..<UInt64(isFullScale ? 500 : 50) {
            var generator = SeededGenerator(seed: seed &+ run)
            let store = InMemoryAdapter(schema: Self.schema)
            var changes = ChangeSet()
            for id in 0..<2 { try put("List", id, in: &changes) }
            for id in 0..<8 { try put(entity, id, in: &changes) }
            var lists: [[Int]] = [[], []]
            for step in 0..<40 {
                let (list, id) = (Int.random(in: 0..<2, using: &generator), Int.random(in: 0..<8, using: &generator))
                let (owner, key) = (RecordID("List", .integer(Int64(list))), Value.integer(Int64(id)))
                let known = lists[list].filter { $0 != id }
                switch Int.random(in: 0..<8, using: &generator) {
                case 0:
                    changes.unlink(owner, relationship, from: key)
                    lists[list] = known
                case 1:
                    changes.delete(RecordID(entity, key))
                    try put(entity, id, in: &changes)
                    lists = lists.map { $0.filter { $0 != id } }
                case 2:
                    let place = Int.random(in: 0...known.count, using: &generator)
                    changes.link(owner, relationship, to: key, at: place)
                    if entity == "Item" { lists = lists.map { $0.filter { $0 != id } } }
                    lists[list] = known
                    lists[list].insert(id, at: place)
                default:
                    changes.link(owner, relationship, to: key)
                    if entity == "Item" { lists = lists.map { $0.filter { $0 != id } } }
                    lists[list] = known + [id]
                }
                if step % 10 < 9 { continue }
                try await store.commit(changes)
                changes = ChangeSet()
                for (list, ids) in lists.enumerated() {
                    let owner = RecordID("List", .integer(Int64(list)))
                    let linked = try await store.read { try $0.related(owner, relationship) }
                    #expect(linked == ids.map { .integer(Int64($0)) }, "seed \(seed &+ run), step \(step)")
                }
            }
        }
    }
}
