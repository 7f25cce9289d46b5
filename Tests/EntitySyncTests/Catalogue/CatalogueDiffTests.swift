import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about what is inserted, updated and deleted: what is counted is what was really done.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of conformance cases is not there; set DIFFSYNC_SHARED"))
struct CatalogueDiffTests {
    /// A store of users with the given keys, each with other values than any payload has.
    private func users(_ kind: StoreKind, _ keys: ClosedRange<Int64>) async throws -> CatalogueStore {
        let store = try await CatalogueStore(kind, model: "DataFilter")
        try await store.put("User", keys.map { ["remoteID": .integer($0), "firstName": "old", "age": 1] })
        return store
    }

    private func keys(_ ids: [RecordID]) -> [Value] { ids.map(\.key).sorted(by: Value.areInIncreasingOrder) }

    @Test("D01: users are counted", arguments: StoreKind.allCases)
    func d01(kind: StoreKind) async throws {
        #expect(try await users(kind, 0...4).count("User") == 5)
    }

    @Test("D02: inserted, updated and deleted", arguments: StoreKind.allCases)
    func d02(kind: StoreKind) async throws {
        let store = try await users(kind, 0...4)
        let changes = try await store.sync("users", into: "User")["User"]
        #expect(keys(changes.inserted) == [6, 7])
        #expect(keys(changes.updated.map(\.id)) == [0, 1, 2, 3])
        #expect(changes.updated.allSatisfy { $0.properties.sorted() == ["age", "firstName", "lastName"] })
        #expect(keys(changes.deleted) == [4])
        #expect(changes.unchangedCount == 0)
        let again = try await store.sync("users", into: "User")
        #expect(again["User"].unchangedCount == 6)
    }

    @Test("D04: an object without a key does not shift its neighbours", arguments: StoreKind.allCases)
    func d04(kind: StoreKind) async throws {
        let store = try await users(kind, 0...4)
        let result = try await store.sync("users-with-nil", into: "User")
        #expect(keys(result["User"].inserted) == [6, 7])
        #expect(keys(result["User"].updated.map(\.id)) == [0, 1, 2])
        #expect(keys(result["User"].deleted) == [3, 4])
        let names = try await store.adapter.read {
            try $0.records(Query("User", sort: [Query.SortKey("remoteID")])).map { $0["firstName"] }
        }
        #expect(names == ["Amy", "Ben", "Ricky", "Ashley", "Lauren"])
        #expect(result.reports.map(\.kind) == [.noKey])
        #expect(
            result.reports.first?.description
                == "[3]: expected a value of the primary key, 'remoteID' of 'User', found none")
    }

    @Test("D05: all are updated", arguments: StoreKind.allCases)
    func d05(kind: StoreKind) async throws {
        let changes = try await users(kind, 0...4).sync("users2", into: "User")["User"]
        #expect(changes.inserted.isEmpty)
        #expect(keys(changes.updated.map(\.id)) == [0, 1, 2, 3, 4])
        #expect(changes.deleted.isEmpty)
    }

    @Test("D07: a key has one record", arguments: StoreKind.allCases)
    func d07(kind: StoreKind) async throws {
        let store = try await users(kind, 0...4)
        for _ in 0..<3 { try await store.put("User", [["remoteID": 0, "firstName": "again"]]) }
        #expect(try await store.count("User") == 5)
        try await store.sync("users", into: "User", operations: .delete)
        #expect(try await store.count("User") == 4)
        #expect(try await store.record("User", 0)["firstName"] == "again")
    }

    @Test("D09: insert alone", arguments: StoreKind.allCases)
    func d09(kind: StoreKind) async throws {
        let store = try await users(kind, 0...1)
        let changes = try await store.sync("simple", into: "User", operations: .insert)["User"]
        #expect(keys(changes.inserted) == [7])
        #expect(changes.updated.isEmpty)
        #expect(changes.deleted.isEmpty)
        #expect(try await store.record("User", 0)["firstName"] == "old")
    }

    @Test("D11: delete alone", arguments: StoreKind.allCases)
    func d11(kind: StoreKind) async throws {
        let store = try await users(kind, 0...1)
        let changes = try await store.sync("simple", into: "User", operations: .delete)["User"]
        #expect(changes.inserted.isEmpty)
        #expect(changes.updated.isEmpty)
        #expect(keys(changes.deleted) == [1])
        #expect(try await store.count("User") == 1)
    }

    @Test(
        "D12: a record outside of the scope is updated, not inserted again, and never deleted",
        arguments: StoreKind.allCases)
    func d12(
        kind: StoreKind
    ) async throws {
        let store = try await users(kind, 0...4)
        let changes = try await store.sync("users", into: "User", filter: Field("remoteID") == 0)["User"]
        #expect(keys(changes.inserted) == [6, 7])
        #expect(keys(changes.updated.map(\.id)) == [0, 1, 2, 3])
        #expect(changes.deleted.isEmpty)
        #expect(try await store.count("User") == 7)
    }

    @Test("D13: objects are inserted in their order", arguments: StoreKind.allCases)
    func d13(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "277")
        let order = Locked<[Value?]>([])
        var options = SyncOptions()
        options.willInsert = { object, entity, _ in
            if entity == "Racecar" { order.withLock { $0.append(object["id"]) } }
            return object
        }
        let result = try await store.sync("277", into: "Racecar", options: options)
        #expect(order.withLock { $0 } == [31, 32])
        #expect(result["Racecar"].inserted.count == 2)
        #expect(result["Racecar"].updated.isEmpty)
    }
}
