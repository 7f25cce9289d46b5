import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about the counts of inserted, updated and deleted records; the comments name the cases.
@Suite(.needsStores) struct CatalogueDiffTests {
    /// Returns a store of guests with the given keys, each with other values than any payload has.
    private func guests(_ kind: StoreKind, _ keys: ClosedRange<Int64>) async throws -> CatalogueStore {
        let store = try await CatalogueStore(kind)
        try await store.put("Guest", keys.map { ["remoteID": .integer($0), "givenName": "former", "age": 1] })
        return store
    }

    private func keys(_ ids: [RecordID]) -> [Value] { ids.map(\.key).sorted(by: Value.areInIncreasingOrder) }

    /// Returns a payload of guests with the given keys and names.
    private func payload(_ guests: [(key: Int, name: String)]) -> String {
        let objects = guests.map { key, name in
            #"{"id": \#(key), "given_name": "\#(name)", "family_name": "Hill", "age": \#(30 + key)}"#
        }
        return "[\(objects.joined(separator: ", "))]"
    }

    private var six: String {
        payload([(0, "Ola"), (1, "Pia"), (2, "Rut"), (3, "Siv"), (6, "Tor"), (7, "Ulf")])
    }

    // D01
    @Test(arguments: StoreKind.allCases)
    func storedRecordsAreCounted(kind: StoreKind) async throws {
        #expect(try await guests(kind, 0...4).count("Guest") == 5)
    }

    // D02
    @Test(arguments: StoreKind.allCases)
    func insertedUpdatedAndDeletedRecordsAreReported(kind: StoreKind) async throws {
        let store = try await guests(kind, 0...4)
        let changes = try await store.sync(six, into: "Guest")["Guest"]
        #expect(keys(changes.inserted) == [6, 7])
        #expect(keys(changes.updated.map(\.id)) == [0, 1, 2, 3])
        #expect(changes.updated.allSatisfy { $0.properties.sorted() == ["age", "familyName", "givenName"] })
        #expect(keys(changes.deleted) == [4])
        #expect(changes.unchangedCount == 0)
        let again = try await store.sync(six, into: "Guest")
        #expect(again["Guest"].unchangedCount == 6)
    }

    // D04
    @Test(arguments: StoreKind.allCases)
    func anObjectWithoutAKeyDoesNotShiftItsNeighbours(kind: StoreKind) async throws {
        let store = try await guests(kind, 0...4)
        let json = six.replacing(#""id": 3, "#, with: "")
        let result = try await store.sync(json, into: "Guest")
        #expect(keys(result["Guest"].inserted) == [6, 7])
        #expect(keys(result["Guest"].updated.map(\.id)) == [0, 1, 2])
        #expect(keys(result["Guest"].deleted) == [3, 4])
        let names = try await store.adapter.read {
            try $0.records(Query("Guest", sort: [Query.SortKey("remoteID")])).map { $0["givenName"] }
        }
        #expect(names == ["Ola", "Pia", "Rut", "Tor", "Ulf"])
        #expect(result.reports.map(\.kind) == [.noKey])
        #expect(
            result.reports.first?.description
                == "[3]: expected a value of the primary key, 'remoteID' of 'Guest', found none")
    }

    // D05
    @Test(arguments: StoreKind.allCases)
    func aPayloadWithTheSameKeysUpdatesAllRecords(kind: StoreKind) async throws {
        let json = payload([(0, "Ola"), (1, "Pia"), (2, "Rut"), (3, "Siv"), (4, "Una")])
        let changes = try await guests(kind, 0...4).sync(json, into: "Guest")["Guest"]
        #expect(changes.inserted.isEmpty)
        #expect(keys(changes.updated.map(\.id)) == [0, 1, 2, 3, 4])
        #expect(changes.deleted.isEmpty)
    }

    // D07
    @Test(arguments: StoreKind.allCases)
    func aKeyHasOneRecord(kind: StoreKind) async throws {
        let store = try await guests(kind, 0...4)
        for _ in 0..<3 { try await store.put("Guest", [["remoteID": 0, "givenName": "again"]]) }
        #expect(try await store.count("Guest") == 5)
        try await store.sync(six, into: "Guest", operations: .delete)
        #expect(try await store.count("Guest") == 4)
        #expect(try await store.record("Guest", 0)["givenName"] == "again")
    }

    // D09
    @Test(arguments: StoreKind.allCases)
    func insertAloneNeitherUpdatesNorDeletes(kind: StoreKind) async throws {
        let store = try await guests(kind, 0...1)
        let json = payload([(0, "Ola"), (7, "Ulf")])
        let changes = try await store.sync(json, into: "Guest", operations: .insert)["Guest"]
        #expect(keys(changes.inserted) == [7])
        #expect(changes.updated.isEmpty)
        #expect(changes.deleted.isEmpty)
        #expect(try await store.record("Guest", 0)["givenName"] == "former")
    }

    // D11
    @Test(arguments: StoreKind.allCases)
    func deleteAloneNeitherInsertsNorUpdates(kind: StoreKind) async throws {
        let store = try await guests(kind, 0...1)
        let json = payload([(0, "Ola"), (7, "Ulf")])
        let changes = try await store.sync(json, into: "Guest", operations: .delete)["Guest"]
        #expect(changes.inserted.isEmpty)
        #expect(changes.updated.isEmpty)
        #expect(keys(changes.deleted) == [1])
        #expect(try await store.count("Guest") == 1)
    }

    // D12
    @Test(arguments: StoreKind.allCases)
    func aRecordOutsideTheScopeIsUpdatedAndNeverDeleted(kind: StoreKind) async throws {
        let store = try await guests(kind, 0...4)
        let changes = try await store.sync(six, into: "Guest", filter: Field("remoteID") == 0)["Guest"]
        #expect(keys(changes.inserted) == [6, 7])
        #expect(keys(changes.updated.map(\.id)) == [0, 1, 2, 3])
        #expect(changes.deleted.isEmpty)
        #expect(try await store.count("Guest") == 7)
    }

    // D13
    @Test(arguments: StoreKind.allCases)
    func objectsAreInsertedInTheirOrder(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let order = Locked<[Value?]>([])
        var options = SyncOptions()
        options.willInsert = { object, entity, _ in
            if entity == "Truck" { order.withLock { $0.append(object["id"]) } }
            return object
        }
        let result = try await store.sync(
            #"[{"id": 61, "riders": [{"id": 5}]}, {"id": 60, "riders": [{"id": 5}]}]"#, into: "Truck",
            options: options)
        #expect(order.withLock { $0 } == [61, 60])
        #expect(result["Truck"].inserted.count == 2)
        #expect(result["Truck"].updated.isEmpty)
    }
}
