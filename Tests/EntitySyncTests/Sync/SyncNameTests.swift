import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Which names of a remote reach which properties.
struct SyncNameTests {
    static func schema() throws -> Schema {
        try Schema {
            Entity("UserAccount") {
                Attribute("remoteID", .integer, isPrimaryKey: true)
                Attribute("firstName", .string)
                Attribute("last_name", .string)
                Attribute("idNumber", .string)
                Attribute("HTTPServer", .string)
                Attribute("userAccountType", .string)
                Attribute("rank", .string, remoteKey: "level")
                Attribute("signed", .string)
                Relationship("ownedItems", toMany: "Item", inverse: "currentOwner")
                Relationship("bestFriend", to: "UserAccount")
            }
            Entity("Item") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("currentOwner", to: "UserAccount", inverse: "ownedItems")
            }
        }
    }

    @Test(arguments: [
        ("firstName", ["first_name", "firstName", "FirstName", "first-name", "FIRST_NAME", "first name"]),
        ("last_name", ["last_name", "lastName", "LastName"]), ("idNumber", ["id_number", "idNumber", "IDNumber"]),
        ("HTTPServer", ["http_server", "HTTPServer", "httpServer"]),
        ("userAccountType", ["type", "user_account_type", "userAccountType"]), ("signed", ["signed"]),
        ("rank", ["level", "rank"]),
    ])
    func namesReachAttributesByTheirWords(name: String, spellings: [String]) async throws {
        for spelling in spellings {
            for key in ["id", "remote_id", "remoteID", "remoteId"] {
                let store = try await SyncStore(.inMemory, Self.schema())
                let result = try await store.sync(
                    "[{\"\(key)\": 1, \"\(spelling)\": \"x\"}]", into: "UserAccount")
                #expect(try await store.value("UserAccount", 1, name) == "x", "\(spelling)")
                #expect(result.unknownKeys.isEmpty)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func namesReachRelationshipsByTheirWords(kind: StoreKind) async throws {
        for (objects, ids) in [
            ("owned_items", "owned_items_ids"), ("ownedItems", "ownedItemsIDs"), ("OwnedItems", "ownedItemsIds"),
        ] {
            let store = try await SyncStore(kind, Self.schema())
            try await store.sync("[{\"id\": 1, \"\(objects)\": [{\"id\": 1}, {\"id\": 2}]}]", into: "UserAccount")
            #expect(try await store.members("UserAccount", 1, "ownedItems") == [1, 2], "\(objects)")
            try await store.sync("[{\"id\": 1, \"\(ids)\": [2]}]", into: "UserAccount")
            #expect(try await store.members("UserAccount", 1, "ownedItems") == [2], "\(ids)")
        }
        for (object, id) in [
            ("best_friend", "best_friend_id"), ("bestFriend", "bestFriendId"), ("BestFriend", "bestFriendID"),
        ] {
            let store = try await SyncStore(kind, Self.schema())
            try await store.sync(
                "[{\"id\": 1, \"\(object)\": {\"id\": 2}}]", into: "UserAccount", operations: FormRow.operations)
            #expect(try await store.value("UserAccount", 1, "bestFriend") == 2, "\(object)")
            try await store.sync("[{\"id\": 2, \"\(id)\": \"1\"}]", into: "UserAccount", operations: FormRow.operations)
            #expect(try await store.value("UserAccount", 2, "bestFriend") == 1, "\(id)")
        }
    }

    @Test func anExplicitKeyCountsBeforeANameInAnyOrder() async throws {
        for json in [#"{"id": 1, "level": "a", "rank": "b"}"#, #"{"id": 1, "rank": "b", "level": "a"}"#] {
            let store = try await SyncStore(.inMemory, Self.schema())
            let result = try await store.sync(json, into: "UserAccount")
            #expect(try await store.value("UserAccount", 1, "rank") == "a")
            #expect(result.reports.isEmpty)
        }
    }

    @Test func differingNamesOfTheKeyAreReportedAndTheAttributeNameCounts() async throws {
        let store = try await SyncStore(.inMemory, Self.schema())
        let result = try await store.sync(#"[{"id": 7, "remoteID": 1}]"#, into: "UserAccount")
        #expect(try await store.keys("UserAccount") == [1])
        #expect(result.reports.map(\.kind) == [.duplicateName])
    }

    @Test func attributesWithTheSameNamesAreFoundBeforeASync() throws {
        let schema = try Schema {
            Entity("Animal") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("ownerID", .string)
                Attribute("owner_id", .string)
            }
            Entity("Dog", parent: "Animal") { Attribute("OwnerId", .string) }
            Entity("Cat", parent: "Animal")
        }
        #expect(schema.syncProblems.allSatisfy { $0.code == .ambiguousNames })
        #expect(
            schema.syncProblems.map(\.message) == [
                "'Animal.ownerID' and 'Animal.owner_id' are both reached by 'owner_id': rename one of them",
                "'Animal.owner_id' and 'Dog.OwnerId' are both reached by 'owner_id': rename one of them",
            ])
        #expect(try Self.schema().syncProblems == [])
    }

    @Test func unknownKeysAreListedOnceForEachEntityInOrder() async throws {
        let store = try await SyncStore(.inMemory, Self.schema())
        let result = try await store.sync(
            #"[{"id": 1, "zzz": 1, "aaa": 2, "owned_items": [{"id": 1, "": 3}]}, {"id": 2, "zzz": {}}]"#,
            into: "UserAccount")
        #expect(result.unknownKeys == ["UserAccount": ["aaa", "zzz"], "Item": [""]])
        #expect(result.reports.isEmpty)
    }

    @Test func aLimitedNumberOfUnknownKeysIsListed() async throws {
        let store = try await SyncStore(.inMemory, Self.schema())
        let count = isFullScale ? 1_000_000 : 100_000
        let members = (0..<count).map { #""k\#($0)": 0"# }.joined(separator: ", ")
        let result = try await store.sync("[{\(members), \"id\": 70}]", into: "UserAccount")
        #expect(try await store.keys("UserAccount") == [70])
        #expect(result.unknownKeys["UserAccount"]?.count == 100)
    }

    @Test(arguments: ["", "_", "__", "a.b", ".", "-", "é", "\\u0000", "id."])
    func keysWithoutWordsAreHarmless(name: String) async throws {
        let store = try await SyncStore(.inMemory, Self.schema())
        try await store.sync("[{\"id\": 1, \"\(name)\": [{\"\(name)\": {}}]}]", into: "UserAccount")
        #expect(try await store.keys("UserAccount") == [1])
    }
}
