import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Ordered relationships have the order of the payload.
struct SyncOrderTests {
    static func schema() throws -> Schema {
        func item(_ name: String, _ relationships: [Relationship]) -> Entity {
            Entity(name, attributes: [Attribute("id", .integer, isPrimaryKey: true)], relationships: relationships)
        }
        return try Schema([
            item(
                "List",
                [
                    Relationship("items", toMany: "Item", isOrdered: true, inverse: "list"),
                    Relationship("tags", toMany: "Tag", isOrdered: true, inverse: "lists"),
                    Relationship("badges", toMany: "Badge", isOrdered: true),
                ]),
            item("Item", [Relationship("list", to: "List", inverse: "items")]),
            item("Tag", [Relationship("lists", toMany: "List", inverse: "tags")]),
            item("Badge", []),
        ])
    }

    static let relationships = ["items", "tags", "badges"]

    private func objects(_ keys: [Int]) -> String { "[" + keys.map { "{\"id\": \($0)}" }.joined(separator: ",") + "]" }

    private func permutations(_ keys: [Int]) -> [[Int]] {
        if keys.count < 2 { return [keys] }
        return keys.flatMap { first in permutations(keys.filter { $0 != first }).map { [first] + $0 } }
    }

    private func check(
        _ store: SyncStore, _ relationship: String, _ keys: [Int], byKey: Bool, again: Bool = true
    ) async throws {
        let member = byKey ? "\"\(relationship)_ids\": \(keys)" : "\"\(relationship)\": \(objects(keys))"
        try await store.sync("[{\"id\": 1, \(member)}]", into: "List")
        #expect(try await store.related("List", 1, relationship) == keys.map { .integer(Int64($0)) }, "\(member)")
        if !again { return }
        let result = try await store.sync("[{\"id\": 1, \(member)}]", into: "List")
        #expect(result.isUnchanged, "\(member) again changes \(result.changes)")
    }

    @Test(
        arguments: StoreKind.allCases,
        relationships)
    func everyOrderOfFiveFollowsEveryOther(kind: StoreKind, relationship: String) async throws {
        let store = try await SyncStore(kind, Self.schema())
        for (index, keys) in permutations([1, 2, 3, 4, 5]).enumerated() where kind == .inMemory || index % 7 == 0 {
            try await check(store, relationship, keys, byKey: index % 2 == 1, again: index % 20 == 0)
        }
    }

    @Test(arguments: relationships, [false, true])
    func everyOrderOfFiveFollowsTheFirst(relationship: String, byKey: Bool) async throws {
        let store = try await SyncStore(.inMemory, Self.schema())
        try await check(store, relationship, [1, 2, 3, 4, 5], byKey: false)
        for (index, keys) in permutations([1, 2, 3, 4, 5]).enumerated() where isFullScale || index % 5 == 4 {
            try await check(store, relationship, [1, 2, 3, 4, 5], byKey: byKey, again: false)
            try await check(store, relationship, keys, byKey: byKey, again: false)
        }
    }

    @Test(arguments: StoreKind.allCases, relationships)
    func newMembersAreInsertedAtAnyPlaceWhileOthersLeave(kind: StoreKind, relationship: String) async throws {
        let store = try await SyncStore(kind, Self.schema())
        for place in 0...4 {
            try await check(store, relationship, [1, 2, 3, 4], byKey: false)
            var keys = [1, 2, 3, 4]
            keys.insert(10 + place, at: place)
            try await check(store, relationship, keys, byKey: false)
            if place < 4 { keys.removeAll { $0 == place + 1 } }
            try await check(store, relationship, keys.reversed(), byKey: false)
        }
        try await check(store, relationship, [], byKey: false)
        try await check(store, relationship, [7, 3, 9], byKey: false)
    }

    @Test(arguments: StoreKind.allCases, relationships)
    func membersThatMustNotBeRemovedFollowTheListedOnes(kind: StoreKind, relationship: String) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await check(store, relationship, [1, 2, 3, 4], byKey: false)
        try await store.sync(
            "[{\"id\": 1, \"\(relationship)\": \(objects([4, 5, 2]))}]", into: "List",
            operations: .all.subtracting(.deleteRelationships))
        #expect(try await store.related("List", 1, relationship) == [4, 5, 2, 1, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func aMemberMovesFromOneOwnerToAnother(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let json = "[{\"id\": 1, \"items\": \(objects([1, 2, 3]))}, {\"id\": 2, \"items\": \(objects([4, 5]))}]"
        try await store.sync(json, into: "List")
        let moved = "[{\"id\": 1, \"items\": \(objects([3, 5]))}, {\"id\": 2, \"items\": \(objects([1, 4, 2]))}]"
        try await store.sync(moved, into: "List")
        #expect(try await store.related("List", 1, "items") == [3, 5])
        #expect(try await store.related("List", 2, "items") == [1, 4, 2])
        #expect(try await store.keys("Item") == [1, 2, 3, 4, 5])
        #expect(try await store.sync(moved, into: "List").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func aRepeatedKeyCountsAtItsFirstPlace(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await check(store, "tags", [1, 2, 3], byKey: false)
        try await store.sync(#"[{"id": 1, "tags_ids": [3, 1, 3, 2]}]"#, into: "List")
        #expect(try await store.related("List", 1, "tags") == [3, 1, 2])
    }
}
