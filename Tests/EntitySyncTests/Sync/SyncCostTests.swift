import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

@testable import EntitySync

/// The number of queries and rows that a sync reads.
struct SyncCostTests {
    private static func schema() throws -> Schema {
        try Schema {
            Entity("Group") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("members", toMany: "User", inverse: "groups")
                Relationship("ranks", toMany: "User", isOrdered: true, inverse: "ranked")
                Relationship("owned", toMany: "User", inverse: "owner")
            }
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("groups", toMany: "Group", inverse: "members")
                Relationship("ranked", toMany: "Group", inverse: "ranks")
                Relationship("owner", to: "Group", inverse: "owned")
            }
            Entity("Tag") { Attribute("label", .string, userInfo: ["sync.isPrimaryKey": "YES"]) }
        }
    }

    /// Returns what syncs of an empty store read, without the first payloads.
    private func reads(_ payloads: [(json: String, entity: String)], last: Int) async throws -> StorageCounts {
        let reads = Locked(StorageCounts())
        let store = InMemoryAdapter(schema: try Self.schema()).counted(by: reads)
        var options = SyncOptions()
        options.keepsPendingLinks = true
        for (number, (json, entity)) in payloads.enumerated() {
            if number == payloads.count - last { reads.reset() }
            try await store.sync(json, into: entity, operations: .page, options: options)
        }
        return reads.current
    }

    @Test(arguments: ["members", "ranks", "owned"])
    func pendingLinksOfAnOwnerAreMadeTogether(relationship: String) async throws {
        func rows(_ count: Int) async throws -> Int {
            let keys = (0..<count).map { String($0) }
            let group = "[{\"id\": 1, \"\(relationship)_ids\": [\(keys.joined(separator: ","))]}]"
            let users = "[\(keys.map { "{\"id\": \($0)}" }.joined(separator: ","))]"
            return try await reads([(group, "Group"), (users, "User")], last: 1).rows
        }
        let (few, many) = try await (rows(20), rows(200))
        #expect(many < 20 * max(few, 20))
    }

    @Test(arguments: [1, 2])
    func recordsWithoutAPrimaryKeyAreFoundTogether(last: Int) async throws {
        let tags = "[\((0..<1_000).map { "{\"label\": \"\($0)\"}" }.joined(separator: ","))]"
        #expect(try await reads([(tags, "Tag"), (tags, "Tag")], last: last).queries < 300)
    }
}

extension SyncCostTests {
    @Test(.timeLimit(.minutes(1)))
    func reportsOfLongNamesInAMapAreSortedQuickly() async throws {
        let store = try await SyncStore(
            .inMemory,
            Schema {
                Entity("User") {
                    Attribute("id", .string, isPrimaryKey: true, userInfo: ["sync.isMapKey": "YES"])
                    Attribute("age", .integer)
                }
            })
        let name = String(repeating: "a.", count: 600_000)
        let result = try await store.sync(
            "{\"\(name)b\": {\"age\": \"x\"}, \"\(name)c\": {\"age\": \"y\"}, \"d\": {\"age\": \"z\"}}", into: "User")
        #expect(result.reports.map { String($0.path.suffix(5)) } == ["b.age", "c.age", "d.age"])
    }

    @Test func objectThatCannotBeStoredLeavesTheOthersRemembered() async throws {
        let store = try await SyncStore(
            .inMemory,
            Schema {
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string, isOptional: false)
                    Attribute("text", .string, transformer: "count")
                }
            })
        let count = Locked(0)
        var options = SyncOptions()
        options.transformers["count"] = AttributeTransformer(pureVersion: 1) { value in
            count.withLock { $0 += 1 }
            return value
        }
        let others = (2..<82).map { ", {\"id\": \($0), \"name\": \"a\", \"text\": \"x\"}" }.joined()
        let json = "[{\"id\": 1, \"text\": \"y\"}\(others)]"
        #expect(try await store.sync(json, into: "User", options: options).reportCount == 1)
        count.withLock { $0 = 0 }
        #expect(try await store.sync(json, into: "User", options: options).reportCount == 1)
        #expect(count.current < 10)
    }

    @Test(.timeLimit(.minutes(1)))
    func manyTokensOfNewRecordsAreLookedUpQuickly() {
        let footprint = SyncFootprint()
        footprint.beginObject()
        let tokens = 0..<UInt64(60_000)
        for token in tokens { footprint.specify(relationship: token, isNew: true) }
        for token in tokens { footprint.writeUnlessNew(token) }
        #expect(footprint.isUnwritten)
        footprint.beginObject()
        footprint.writeUnlessNew(0)
        #expect(!footprint.isUnwritten)
    }
}
