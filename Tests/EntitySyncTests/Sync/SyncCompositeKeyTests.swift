import EntitySync
import SyncPersistence
import Testing

/// Primary keys of several attributes.
@Suite(.needsStores) struct SyncCompositeKeyTests {
    static func schema() throws -> Schema {
        try Schema {
            Entity("Seat") {
                Attribute("row", .string, isPrimaryKey: true)
                Attribute("number", .integer, isPrimaryKey: true, remoteKey: "place.no")
                Attribute("taken", .bool)
                Relationship("guests", toMany: "Guest", inverse: "seat")
            }
            Entity("Guest") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("seat", to: "Seat", inverse: "guests")
                Relationship("wishes", toMany: "Seat")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreIdentifiedByAllPartsOfTheirKey(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let json = """
            [{"row": "A", "place": {"no": 1}}, {"row": "A", "place": {"no": "2"}, "taken": true},
             {"row": "B", "place": {"no": 1}}]
            """
        let result = try await store.sync(json, into: "Seat")
        #expect(result["Seat"].inserted.map(\.key) == [["A", 1], ["A", 2], ["B", 1]])
        #expect(try await store.sync(json, into: "Seat").isUnchanged)
        let second = try await store.sync(
            #"[{"row": "A", "place": {"no": 2}, "taken": false}, {"row": "C"}, {"place": {"no": 1}}]"#, into: "Seat")
        #expect(second["Seat"].updated.map(\.id.key) == [["A", 2]])
        #expect(second["Seat"].deleted.count == 2)
        #expect(
            second.reports.map(\.description) == [
                "[1]: expected a value of the primary key, 'row', 'number' of 'Seat', found none",
                "[2]: expected a value of the primary key, 'row', 'number' of 'Seat', found none",
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func aPartThatCannotBeReadMakesTheKeyUnreadableWhateverTheOthersAre(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"row": "A", "place": {"no": 1}}, {"row": "A", "place": {"no": 2}}]"#, into: "Seat")
        for (object, path) in [
            (#"{"row": null, "place": {"no": "x"}}"#, "place.no"), (#"{"place": {"no": "x"}}"#, "place.no"),
            (#"{"row": [], "place": {"no": null}}"#, "row"), (#"{"row": []}"#, "row"),
        ] {
            let result = try await store.sync(#"[{"row": "A", "place": {"no": 1}}, \#(object)]"#, into: "Seat")
            #expect(result.reports.map { "\($0.kind) \($0.path)" } == ["unconvertible [1].\(path)"])
            #expect(try await store.keys("Seat") == [["A", 1], ["A", 2]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func keysInRelationshipsAreArrays(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(
            #"[{"row": "A", "place": {"no": 1}}, {"row": "A", "place": {"no": 2}}]"#, into: "Seat")
        let json = #"[{"id": 1, "seat_id": ["A", "2"], "wishes_ids": [["A", 1], ["A", 2]]}]"#
        let result = try await store.sync(json, into: "Guest")
        #expect(result.reports.isEmpty)
        #expect(try await store.related("Guest", 1, "seat") == [["A", 2]])
        #expect(try await store.members("Guest", 1, "wishes") == [["A", 1], ["A", 2]])
        #expect(try await store.sync(json, into: "Guest").isUnchanged)
        let wrong = try await store.sync(
            #"[{"id": 1, "seat_id": "A", "wishes_ids": [["A", 1], ["A"], ["B", 1]]}]"#, into: "Guest")
        #expect(
            Set(wrong.reports.map(\.description)) == [
                "[0].seat_id: expected 2 values in an array, which make a key of 'Seat', found the text \"A\"",
                "[0].wishes_ids[1]: expected 2 values in an array, which make a key of 'Seat', found an array",
                "[0].wishes_ids[2] (Guest 1.wishes): expected the key of a record of 'Seat', found [\"B\", 1], which none has",
            ])
        #expect(try await store.related("Guest", 1, "seat") == [["A", 2]])
        // A value that is no key may mean any seat.
        #expect(try await store.members("Guest", 1, "wishes") == [["A", 1], ["A", 2]])
    }

    @Test(arguments: StoreKind.allCases)
    func nestedObjectsAreFoundByTheirCompositeKey(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let json =
            #"[{"id": 1, "seat": {"row": "A", "place": {"no": 1}}, "wishes": [{"row": "B", "place": {"no": 2}}]}]"#
        try await store.sync(json, into: "Guest")
        #expect(try await store.related("Guest", 1, "seat") == [["A", 1]])
        #expect(try await store.members("Guest", 1, "wishes") == [["B", 2]])
        #expect(try await store.sync(json, into: "Guest").isUnchanged)
        try await store.sync(
            #"[{"row": "A", "place.no": 1, "guests": [{"id": 2}]}]"#, into: "Seat",
            operations: [.update, .insertRelationships])
        #expect(try await store.members("Seat", ["A", 1], "guests") == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func singleObjectsAreFoundByTheirCompositeKey(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let seat = try await store.adapter.insertOrUpdate(["row": "A", "place": ["no": 1]], into: "Seat").record
        #expect(seat?.key == ["A", 1])
        #expect(try await store.adapter.fetch("Seat", ["A", "1"])?.key == ["A", 1])
        #expect(try await store.adapter.fetch("Seat", "A") == nil)
        #expect(try await store.adapter.fetch("Seat", ["A", 2]) == nil)
        let moved = try await store.adapter.update("Seat", ["A", 1], with: ["row": "B", "place": ["no": 1]]).record
        #expect(moved?.key == ["B", 1])
        #expect(try await store.keys("Seat") == [["B", 1]])
        try await store.adapter.delete("Seat", ["B", 1])
        #expect(try await store.keys("Seat") == [])
    }
}
