import EntitySync
import Foundation
import SyncPersistence
import Testing

/// Calls about one object.
@Suite(.needsStores) struct SingleObjectTests {
    static func keyed(_ type: AttributeType) throws -> Schema {
        try Schema {
            Entity("Thing") {
                Attribute("id", type, isPrimaryKey: true)
                Attribute("text", .string)
            }
        }
    }

    /// A type of key, and the same key as a remote gives it and as it is stored.
    static let keys: [(type: AttributeType, remote: Value, other: Value)] = [
        (.integer, 7, "7"), (.string, "7", 7), (.double, 1.5, "1.5"), (.bool, true, "1"),
        (.date, "2020-01-02T03:04:05Z", 1_577_934_245), (.decimal, "12.5", 12.5),
        (.url, "https://a.b/c", "https://a.b/c"),
        (.uuid, "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
    ]

    @Test(arguments: StoreKind.allCases, keys.indices)
    func keysOfAnyTypeAreFoundInAnyForm(kind: StoreKind, index: Int) async throws {
        let (type, remote, other) = Self.keys[index]
        let store = try await SyncStore(kind, Self.keyed(type))
        let first = try await store.adapter.insertOrUpdate(["id": remote, "text": "a"], into: "Thing")
        #expect(first.result["Thing"].inserted.count == 1)
        let second = try await store.adapter.insertOrUpdate(["id": other, "text": "b"], into: "Thing")
        #expect(second.result["Thing"].updated.map(\.properties) == [["text"]])
        #expect(first.record?.key == second.record?.key)
        #expect(try await store.adapter.fetch("Thing", other)?["text"] == "b")
        #expect(try await store.adapter.fetch("Thing", remote)?["text"] == "b")
        #expect(try await store.adapter.sync([["id": remote], ["id": other]], into: "Thing").reportCount == 1)
        let third = try await store.adapter.update("Thing", other, with: ["text": "c"]).record
        #expect(third?["text"] == "c")
        #expect(try await store.adapter.delete("Thing", other)["Thing"].deleted.count == 1)
        #expect(try await store.adapter.fetch("Thing", remote) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectMayGiveItsRecordAnotherKey(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let user = try await store.adapter.update("User", 1, with: ["id": "9", "text": "new"]).record
        #expect(user?.key == 9)
        #expect(user?["text"] == "new")
        #expect(try await store.keys("User") == [2, 9])
        for name in ["notes", "letters", "tags", "groups", "badges"] {
            #expect(try await store.members("User", 9, name) == [1, 2], "\(name)")
        }
        for name in ["company", "boss", "desk"] { #expect(try await store.related("User", 9, name) == [1], "\(name)") }
        #expect(try await store.value("Note", 1, "author") == 9)
        let company = try await store.adapter.update("Company", 1, with: ["id": 10]).record
        #expect(company?.key == 10)
        #expect(try await store.value("User", 9, "company") == 10)
        let note = try await store.adapter.update("Note", 1, with: ["id": 11]).record
        #expect(note?["author"] == 9)
        #expect(try await store.members("User", 9, "notes") == [2, 11])
    }

    @Test(arguments: StoreKind.allCases)
    func aKeyOfAnotherRecordIsRefused(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let error = await #expect(throws: PersistenceError.self) {
            try await store.adapter.update("User", 1, with: ["id": 2])
        }
        #expect(error?.code == .mismatch)
        #expect(
            error?.description
                == "User 2: another record has the key 2: delete one of them first, or give a policy that merges them")
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func nestedObjectsAreSyncedWithTheirObject(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let synced = try await store.adapter.insertOrUpdate(
            ["id": 1, "notes": [["id": 2], ["id": 6]], "company": ["id": 2, "text": "x"]], into: "User")
        let (user, result) = (synced.record, synced.result)
        #expect(user?["company"] == 2)
        #expect(result["Note"].deleted == [RecordID("Note", 1)])
        #expect(result["Note"].inserted == [RecordID("Note", 6)])
        #expect(try await store.members("User", 1, "notes") == [2, 6])
        #expect(try await store.keys("User") == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectWithoutAKeyIsAnError(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        for (json, message): (Value, String) in [
            (["text": "x"], "the object has no value of the primary key, 'id' of 'User': give it one"),
            (["id": nil], "the object has no value of the primary key, 'id' of 'User': give it one"),
            ([["id": 1]], "one object is to be stored, and an array was given"),
            (nil, "one object is to be stored, and null was given"),
        ] {
            let error = await #expect(throws: SyncError.self) {
                try await store.adapter.insertOrUpdate(json, into: "User")
            }
            #expect(error?.code == .noKey)
            #expect(error?.message == message)
        }
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func aMissingRecordIsNilAndChangesNothing(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        #expect(try await store.adapter.fetch("User", "x") == nil)
        #expect(try await store.adapter.fetch("User", nil) == nil)
        // A truth value is no key, here as in a payload.
        #expect(try await store.adapter.fetch("User", true) == nil)
        #expect(try await store.adapter.delete("User", true).isUnchanged)
        let error = await #expect(throws: SyncError.self) {
            try await store.sync("[]", into: "Note", parent: RecordID("User", true))
        }
        #expect(error?.code == .noParent)
        let synced = try await store.adapter.update("User", 9, with: ["notes": [["id": 9]]])
        let (user, result) = (synced.record, synced.result)
        #expect(user == nil)
        #expect(result.isUnchanged)
        #expect(try await store.adapter.delete("User", [1]).isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func deletionFollowsTheDeleteRules(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let result = try await store.adapter.delete("User", "1")
        #expect(result["User"].deleted == [RecordID("User", 1)])
        #expect(try await store.value("Note", 1, "author").isNull)
        #expect(try await store.keys("Note") == [1, 2, 3, 4])
    }
}
