import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Entities whose records belong to others of the same entity.
@Suite(.needsStores) struct SyncTreeTests {
    static func schema(_ rule: DeleteRule) throws -> Schema {
        try Schema {
            Entity("Region") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("parent", to: "Region", inverse: "children")
                Relationship("children", toMany: "Region", inverse: "parent", deleteRule: rule)
            }
        }
    }

    /// A tree of random shape.
    private static func tree(_ count: Int, _ random: inout SeededGenerator) -> [Int: Int?] {
        var parents: [Int: Int?] = [:]
        for node in 1...count {
            parents[node] = .some(node == 1 || random.happens(0.1) ? nil : Int.random(in: 1..<node, using: &random))
        }
        return parents
    }

    private static func nested(_ parents: [Int: Int?], below parent: Int? = nil) -> Value {
        .array(
            parents.keys.filter { parents[$0]! == parent }.sorted().map {
                ["id": .integer(Int64($0)), "children": nested(parents, below: $0)]
            })
    }

    private static func flat(_ parents: [Int: Int?]) -> Value {
        .array(
            parents.keys.sorted().map { node in
                ["id": .integer(Int64(node)), "parent_id": parents[node]!.map { .integer(Int64($0)) } ?? .null]
            })
    }

    /// Removes some nodes with all below them.
    private static func pruned(_ parents: [Int: Int?], _ random: inout SeededGenerator) -> [Int: Int?] {
        var rest: [Int: Int?] = [:]
        for node in parents.keys.sorted() where !random.happens(0.1) {
            if let parent = parents[node]!, rest[parent] == nil { continue }
            rest[node] = parents[node]!
        }
        return rest
    }

    @Test(arguments: StoreKind.allCases, [DeleteRule.cascade, .nullify])
    func oneSyncRemovesSubtreesAndTheNextHasNothingToDo(kind: StoreKind, rule: DeleteRule) async throws {
        for isFlat in [false, true] {
            let seed = environmentSeed ?? (isFlat ? 3 : 4)
            var random = SeededGenerator(seed: seed)
            let store = try await SyncStore(kind, Self.schema(rule))
            var parents = Self.tree(120, &random)
            for _ in 0..<5 {
                let payload = isFlat ? Self.flat(parents) : Self.nested(parents)
                let result = try await store.adapter.sync(payload, into: "Region")
                #expect(result.reports.isEmpty, "seed \(seed)")
                #expect(try await store.keys("Region") == parents.keys.sorted().map { .integer(Int64($0)) })
                for (node, parent) in parents {
                    let stored = try await store.value("Region", .integer(Int64(node)), "parent")
                    #expect(stored == parent.map { .integer(Int64($0)) } ?? .null, "seed \(seed)")
                }
                #expect(try await store.adapter.sync(payload, into: "Region").isUnchanged, "seed \(seed)")
                parents = Self.pruned(parents, &random)
            }
            try await store.sync("[]", into: "Region")
            #expect(try await store.keys("Region").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases, [DeleteRule.cascade, .nullify])
    func nodesBelowAnObjectThatDoesNotListItsChildrenAreKept(kind: StoreKind, rule: DeleteRule) async throws {
        let store = try await SyncStore(kind, Self.schema(rule))
        try await store.sync(
            """
            [{"id": 1, "children": [{"id": 2, "children": [{"id": 3}]}, {"id": 4, "children": [{"id": 5}]}]},
             {"id": 6, "children": [{"id": 7, "children": [{"id": 8}]}]}]
            """, into: "Region")
        try await store.sync(#"[{"id": 1, "children": [{"id": 2}]}]"#, into: "Region")
        #expect(try await store.keys("Region") == [1, 2, 3])
        try await store.sync(#"[{"id": 1}]"#, into: "Region")
        #expect(try await store.keys("Region") == [1, 2, 3])
        try await store.sync(#"[{"id": 9}]"#, into: "Region", operations: [.insert, .update])
        #expect(try await store.keys("Region") == [1, 2, 3, 9])
    }

    @Test(arguments: StoreKind.allCases)
    func flatListOfRootsAloneIsTheWholeEntity(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema(.nullify))
        try await store.sync(#"[{"id": 1, "parent_id": null}, {"id": 2, "parent_id": 1}]"#, into: "Region")
        try await store.sync(#"[{"id": 1, "parent_id": null}]"#, into: "Region")
        #expect(try await store.keys("Region") == [1])
        try await store.sync(
            #"[{"id": 1, "children_ids": [2, 3]}, {"id": 2}, {"id": 3, "children_ids": [4]}, {"id": 4}]"#,
            into: "Region")
        try await store.sync(#"[{"id": 1, "children_ids": [2]}, {"id": 2}]"#, into: "Region")
        #expect(try await store.keys("Region") == [1, 2])
    }
}
