import DifferentialSync
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// An edited reference that the payload gives to another record.
extension SyncWithdrawalTests {
    /// Two teams of one person each, of whom the first was given a seat locally.
    private static func seats(_ kind: StoreKind) async throws -> SyncStore {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Team") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("people", toMany: "Person", inverse: "team", deleteRule: .cascade)
                }
                Entity("Person") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("team", to: "Team", inverse: "people")
                    Relationship("seat", to: "Seat", inverse: "person")
                }
                Entity("Seat") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("person", to: "Person", inverse: "seat")
                }
            })
        try await store.put("Seat", [["id": 8], ["id": 9]], origin: .remote)
        try await store.sync(#"[{"id": 1, "people": [{"id": 1}]}, {"id": 2, "people": [{"id": 2}]}]"#, into: "Team")
        try await store.update("Person", 1, ["seat": 8], origin: .local)
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func aDependentWhoseEditedReferenceIsTakenMayBeDeletedWithItsOwner(kind: StoreKind) async throws {
        let store = try await Self.seats(kind)
        let json = #"[{"id": 1, "seat_id": 9}]"#
        try await store.sync(json, into: "Person", operations: .page, options: options(.leaveOpen))
        try await store.update("Team", 1, ["text": "mine"], origin: .local)
        let result = try await store.sync(
            #"[{"id": 2, "people": [{"id": 2, "seat_id": 8}]}]"#, into: "Team", options: options(.remoteWins))
        #expect(Set(result.clashes.map(\.id)) == [RecordID("Team", 1), RecordID("Person", 1)])
        #expect(try await store.keys("Team") == [2])
        #expect(try await store.keys("Person") == [2])
    }

    /// Objects for a list that is long enough to be remembered, so that the next sync skips equal objects.
    private static let others = (100..<140).map { ", {\"id\": \($0)}" }.joined()

    @Test(arguments: StoreKind.allCases, [true, false])
    func aRecordThatWaitedForASeatGetsItOnceItIsFree(kind: StoreKind, isRemembered: Bool) async throws {
        let store = try await Self.seats(kind)
        let others = isRemembered ? Self.others : ""
        let json = #"[{"id": 1}, {"id": 2, "seat_id": 8}\#(others)]"#
        for isFirst in [true, false, false] {
            let result = try await store.sync(json, into: "Person")
            #expect(result.heldBack == [RecordID("Person", 2)])
            #expect(result.isUnchanged || isFirst && result["Person"].updated == [])
            #expect(try await store.value("Person", 1, "seat") == 8)
            #expect(try await store.value("Person", 2, "seat") == .null)
        }
        try await store.update("Person", 1, ["seat": 9], origin: .local)
        for _ in 0..<2 {
            #expect(try await store.sync(json, into: "Person").heldBack == [])
            #expect(try await store.value("Person", 1, "seat") == 9)
            #expect(try await store.value("Person", 2, "seat") == 8)
            #expect(try await entry(store, "Person", 2) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordThatWaitsGetsTheSeatThatThePolicyFrees(kind: StoreKind) async throws {
        let store = try await Self.seats(kind)
        try await store.sync(#"[{"id": 1}, {"id": 2, "seat_id": 8}]"#, into: "Person")
        let json = #"[{"id": 1, "seat_id": 9}, {"id": 2, "seat_id": 8}]"#
        let result = try await store.sync(json, into: "Person", options: options(.remoteWins))
        #expect(result.clashes.map(\.id) == [RecordID("Person", 1)] && result.heldBack == [])
        #expect(try await store.value("Person", 1, "seat") == 9)
        #expect(try await store.value("Person", 2, "seat") == 8)
    }

    /// The second person leaves a seat to the third one, and both wait for the first one's local change.
    @Test(arguments: StoreKind.allCases, [true, false])
    func recordsThatWaitForEachOtherAreStoredTogether(kind: StoreKind, isFollowerFirst: Bool) async throws {
        let store = try await Self.seats(kind)
        try await store.sync(#"[{"id": 1}, {"id": 2, "seat_id": 9}, {"id": 3}\#(Self.others)]"#, into: "Person")
        let (leaving, following) = (#"{"id": 2, "seat_id": 8}"#, #"{"id": 3, "seat_id": 9}"#)
        var json = #"[{"id": 1}, \#(leaving), \#(following)\#(Self.others)]"#
        for _ in 0..<3 {
            let result = try await store.sync(json, into: "Person")
            #expect(result.heldBack.map(\.key).sorted(by: Value.areInIncreasingOrder) == [2, 3])
            #expect(result.isUnchanged)
            #expect(try await store.value("Person", 1, "seat") == 8)
            #expect(try await store.value("Person", 2, "seat") == 9)
            #expect(try await store.value("Person", 3, "seat") == .null)
            if isFollowerFirst { json = #"[{"id": 1}, \#(following), \#(leaving)\#(Self.others)]"# }
        }
        try await store.update("Person", 1, ["seat": .null], origin: .local)
        #expect(try await store.sync(json, into: "Person").heldBack == [])
        #expect(try await store.value("Person", 2, "seat") == 8)
        #expect(try await store.value("Person", 3, "seat") == 9)
        #expect(try await store.adapter.read { try $0.journal(of: "Person") } == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordWhoseEditedReferenceIsTakenIsNewForTheRemote(kind: StoreKind) async throws {
        let store = try await Self.seats(kind)
        var open = options(.leaveOpen)
        let deletion = try await store.sync(#"[{"id": 2}]"#, into: "Person", options: open)
        #expect(deletion.clashes.map(\.id) == [RecordID("Person", 1)])
        open.willInsert = { object, _, _ in
            var object = object
            object["text"] = "completed"
            return object
        }
        try await store.sync(#"[{"id": 3, "seat_id": 8}, {"id": 1}]"#, into: "Person", operations: .page, options: open)
        #expect(try await store.value("Person", 1, "text") == "completed")
        #expect(try await store.value("Person", 1, "seat") == 8)
    }
}
