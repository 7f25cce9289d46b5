import SyncPersistence
import Testing

/// Attributes that only stand in another order in the newer schema.
struct ReorderedAttributeTests {
    private static let first = Attribute("first", .string)
    private static let last = Attribute("last", .string)

    @Test(arguments: Medium.allCases)
    func diffFindsValuesThatWereSwapped(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Schema([entity("User", [Self.first, Self.last])]))
        try await old.store.put("User", ["id": 1, "first": "Ada", "last": "Byron"])
        let new = try await old.reopened(Schema([entity("User", [Self.last, Self.first])]))
        let user = try #require(new.schema["User"])
        let swapped = Record(user, ["id": 1, "first": "Byron", "last": "Ada"])
        try await new.read { (transaction) throws -> Void in
            #expect(try transaction.diff(wins: [swapped], loses: "User")?.changes.count == 1)
            #expect(try transaction.diff(wins: transaction.records(Query("User")), loses: "User") == nil)
        }
        await new.close()
    }
}
