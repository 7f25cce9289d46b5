import EntitySync
import SyncPersistence
import Testing

/// Lists of objects that have no key.
@Suite(.needsStores) struct SyncPartListTests {
    static func shops(isOrdered: Bool = true, inverse: String? = "shop", hasName: Bool = false) throws -> Schema {
        try Schema {
            Entity("Shop") {
                Attribute("id", .integer, isPrimaryKey: true)
                if hasName { Attribute("name", .string) }
                Relationship(
                    "hours", toMany: "Hours", isOrdered: isOrdered, inverse: inverse,
                    userInfo: ["sync.morePath": "hasMore"])
            }
            Entity(
                "Hours",
                attributes: [
                    Attribute("day", .string), Attribute("opens", .string), Attribute("open", .bool, default: true),
                ],
                relationships: [Relationship("breaks", toMany: "Break", inverse: "hours", deleteRule: .cascade)]
                    + (inverse.map { [Relationship($0, to: "Shop", inverse: "hours")] } ?? []))
            Entity("Break") {
                Attribute("at", .string, userInfo: ["sync.isElement": "YES"])
                Relationship("hours", to: "Hours", inverse: "breaks")
            }
        }
    }

    private func days(_ store: SyncStore, _ shop: Value = 1) async throws -> [Value] {
        var days: [Value] = []
        for key in try await store.related("Shop", shop, "hours") {
            days.append(try await store.value("Hours", key, "day"))
        }
        return days
    }

    private func shop(_ hours: String, id: Int = 1) -> String { "{\"id\": \(id), \"hours\": [\(hours)]}" }

    @Test(arguments: StoreKind.allCases, ["shop", nil])
    func listKeepsItsOrderAndChangesNothingTheSecondTime(kind: StoreKind, inverse: String?) async throws {
        let store = try await SyncStore(kind, Self.shops(inverse: inverse))
        let json = "[\(shop(#"{"day": "mo"}, {"day": "tu"}, {"day": "tu"}"#)), \(shop(#"{"day": "mo"}"#, id: 2))]"
        let result = try await store.sync(json, into: "Shop")
        #expect(result.reports.isEmpty)
        #expect(result.parts.count == 4)
        #expect(try await days(store) == ["mo", "tu", "tu"])
        #expect(try await store.sync(json, into: "Shop").isUnchanged)
        var options = SyncOptions()
        options.isStrict = true
        #expect(try await store.sync(json, into: "Shop", options: options).isUnchanged)
    }

    @Test(arguments: StoreKind.allCases, ["shop", nil])
    func changedListReplacesOnlyTheChangedParts(kind: StoreKind, inverse: String?) async throws {
        let store = try await SyncStore(kind, Self.shops(inverse: inverse))
        try await store.sync(shop(#"{"day": "mo", "opens": "8"}, {"day": "tu"}, {"day": "we"}"#), into: "Shop")
        let keys = try await store.related("Shop", 1, "hours")
        let changed = try await store.sync(
            shop(#"{"day": "we"}, {"day": "mo"}, {"day": "tu"}, {"day": "th"}"#), into: "Shop")
        #expect(try await days(store) == ["we", "mo", "tu", "th"])
        // A value that an object no longer contains is removed.
        #expect(try await store.value("Hours", keys[0], "opens") == .null)
        #expect(changed["Hours"].inserted.count == 1)
        #expect(changed["Hours"].deleted.isEmpty)
        #expect(changed["Hours"].updated.filter { $0.properties.contains("day") }.isEmpty)
        let fewer = try await store.sync(shop(#"{"day": "tu"}"#), into: "Shop")
        #expect(fewer["Hours"].deleted.count == 3)
        #expect(try await store.keys("Hours").count == 1)
        #expect(try await store.related("Shop", 1, "hours") == [keys[1]])
    }

    @Test(arguments: StoreKind.allCases, ["shop", nil])
    func partsOfAListAreDeletedWithTheirOwnerAndByNull(kind: StoreKind, inverse: String?) async throws {
        let store = try await SyncStore(kind, Self.shops(inverse: inverse))
        let hours = #"{"day": "mo", "breaks": ["12:00", "15:00"]}, {"day": "tu", "breaks": ["12:00"]}"#
        try await store.sync("[\(shop(hours)), \(shop(hours, id: 2)), \(shop(hours, id: 3))]", into: "Shop")
        #expect(try await store.keys("Hours").count == 6)
        #expect(try await store.keys("Break").count == 9)
        try await store.sync("[\(shop(hours)), {\"id\": 2, \"hours\": null}]", into: "Shop")
        #expect(try await store.keys("Hours").count == 2)
        #expect(try await store.keys("Break").count == 3)
        try await store.sync(shop(#"{"day": "mo"}, {"day": "tu", "breaks": []}"#), into: "Shop")
        #expect(try await store.keys("Hours").count == 2)
        #expect(try await store.keys("Break") == [])
        try await store.adapter.delete("Shop", 1)
        #expect(try await store.contents().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func listWithoutAUsableObjectKeepsTheParts(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.shops())
        try await store.sync(shop(#"{"day": "mo"}"#), into: "Shop")
        let before = try await store.contents()
        for hours in ["5", "\"x\"", "null", "[]"] {
            let result = try await store.sync(shop(hours), into: "Shop")
            #expect(result.reports.count == 1)
            #expect(try await store.contents() == before, "\(hours)")
        }
        for hours in ["5", "{\"day\": \"tu\"}", "true"] {
            let result = try await store.sync("{\"id\": 1, \"hours\": \(hours)}", into: "Shop")
            #expect(result.reports.map(\.kind) == [.wrongShape])
            #expect(try await store.contents() == before, "\(hours)")
        }
        let result = try await store.sync(shop(#"{"day": "tu"}, null, {"day": [1], "opens": 9}"#), into: "Shop")
        #expect(result.reports.map(\.path) == ["[0].hours[1]", "[0].hours[2].day"])
        #expect(try await days(store) == ["tu", .null])
    }

    @Test(arguments: StoreKind.allCases)
    func withoutDeletionsPartsAreAddedAndNoneIsOverwritten(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.shops(isOrdered: false))
        try await store.sync(shop(#"{"day": "mo"}"#), into: "Shop")
        var operations = SyncOperations.all
        operations.remove(.deleteRelationships)
        for _ in 0..<2 {
            try await store.sync(shop(#"{"day": "tu"}"#), into: "Shop", operations: operations)
            #expect(Set(try await days(store)) == ["mo", "tu"])
        }
        try await store.sync(shop(#"{"day": "we"}"#), into: "Shop", operations: [.insert, .update])
        #expect(Set(try await days(store)) == ["mo", "tu"])
    }

    @Test(arguments: StoreKind.allCases, ["shop", nil])
    func partialListKeepsThePartsThatItDoesNotList(kind: StoreKind, inverse: String?) async throws {
        for isOrdered in inverse == nil ? [true] : [true, false] {
            let store = try await SyncStore(kind, Self.shops(isOrdered: isOrdered, inverse: inverse))
            try await store.sync(shop(#"{"day": "a"}, {"day": "b"}, {"day": "a"}"#), into: "Shop")
            let json = #"{"id": 1, "hasMore": true, "hours": [{"day": "c"}]}"#
            for _ in 0..<2 {
                let result = try await store.sync(json, into: "Shop")
                #expect(result.reports.isEmpty && result["Hours"].updated.allSatisfy { !$0.properties.contains("day") })
                let days = try await days(store)
                #expect(days.sorted(by: Value.areInIncreasingOrder) == ["a", "a", "b", "c"])
                if isOrdered { #expect(days == ["c", "a", "b", "a"]) }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func editsOfPartsAreKept(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.shops())
        let json = shop(#"{"day": "mo"}, {"day": "tu"}, {"day": "we"}"#)
        try await store.sync(json, into: "Shop")
        let keys = try await store.related("Shop", 1, "hours")
        try await store.update("Hours", keys[0], ["opens": "9"], origin: .local)
        var deletion = ChangeSet()
        deletion.delete(RecordID("Hours", keys[1]))
        try await store.adapter.commit(deletion)
        // The same list contains the edited part and the deleted one.
        try await store.sync(json, into: "Shop")
        #expect(try await store.keys("Hours").count == 2)
        #expect(try await store.value("Hours", keys[0], "opens") == "9")
        // Another list does not replace locally edited parts.
        try await store.sync(shop(#"{"day": "th"}, {"day": "tu"}"#), into: "Shop")
        #expect(try await store.value("Hours", keys[0], "opens") == "9")
        #expect(try await store.record("Hours", keys[1]) == nil)
        let days = try await store.adapter.read { try $0.records(Query("Hours")).map { $0["day"] } }
        #expect(Set(days) == ["mo", "th"])
    }

    @Test(arguments: StoreKind.allCases, ["shop", nil])
    func partsOfALocallyDeletedOwnerAreNotStoredWithoutIt(kind: StoreKind, inverse: String?) async throws {
        var options = SyncOptions()
        options.usesPayloadMemory = false
        let store = try await SyncStore(kind, Self.shops(inverse: inverse, hasName: true))
        try await store.sync("[\(shop(""))]", into: "Shop", options: options)
        var deletion = ChangeSet()
        deletion.delete(RecordID("Shop", 1))
        try await store.adapter.commit(deletion)
        let json = "[\(shop(#"{"day": "mo", "breaks": ["9"]}, {"day": "tu"}"#))]"
        for _ in 1...3 {
            #expect(try await store.sync(json, into: "Shop", options: options).parts.isEmpty)
            for entity in ["Hours", "Break"] { #expect(try await store.keys(entity).isEmpty) }
        }
        // The remote's edit brings the shop back.
        options.conflictPolicy = .remoteWins
        let named = json.replacing("\"id\": 1", with: "\"id\": 1, \"name\": \"b\"")
        try await store.sync(named, into: "Shop", options: options)
        #expect(try await days(store) == ["mo", "tu"])
        #expect(try await store.keys("Hours").count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func recordsBelowAPartOfALocallyDeletedOwnerAreKeptIfTheyAreListed(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Order") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("details", to: "Detail", inverse: "order")
                }
                Entity("Detail") {
                    Attribute("text", .string)
                    Relationship("order", to: "Order", inverse: "details")
                    Relationship("items", toMany: "Item", inverse: "detail", deleteRule: .cascade)
                }
                Entity("Item") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("detail", to: "Detail", inverse: "items")
                }
            })
        let payload = #"[{"id": 1, "details": {"text": "a", "items": [{"id": 7}]}}]"#
        try await store.sync(#"[{"id": 1}]"#, into: "Order")
        var deletion = ChangeSet()
        deletion.delete(RecordID("Order", 1))
        try await store.adapter.commit(deletion)
        for _ in 1...2 {
            try await store.sync(payload, into: "Order")
            #expect(try await store.keys("Item") == [7])
            #expect(try await store.keys("Detail").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func locallyInsertedRecordIsNoPart(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.shops())
        let json = shop(#"{"day": "mo"}"#)
        try await store.sync(json, into: "Shop")
        try await store.put("Hours", [[Schema.implicitKey: 77, "day": "su", "shop": 1]])
        try await store.sync(json, into: "Shop")
        #expect(try await store.value("Hours", 77, "day") == "su")
        try await store.sync(shop(#"{"day": "tu"}"#), into: "Shop")
        #expect(try await store.value("Hours", 77, "day") == "su")
        #expect(try await store.keys("Hours").count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func longListOfEqualAndNewObjectsIsPairedOnce(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.shops())
        let first = (0..<300).map { "{\"day\": \"\($0 % 7)\"}" }.joined(separator: ",")
        let second = (0..<300).map { "{\"day\": \"\(($0 + 3) % 9)\"}" }.joined(separator: ",")
        try await store.sync(shop(first), into: "Shop")
        try await store.sync(shop(second), into: "Shop")
        #expect(try await days(store) == (0..<300).map { .string("\(($0 + 3) % 9)") })
        #expect(try await store.keys("Hours").count == 300)
        #expect(try await store.sync(shop(second), into: "Shop").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases, ["shop", nil])
    func objectsThatContradictEachOtherLeaveNoPartWithoutAnOwner(kind: StoreKind, inverse: String?) async throws {
        let street = Entity("Street") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("shops", toMany: "Shop")
        }
        let store = try await SyncStore(kind, Schema([street] + Self.shops(inverse: inverse).entities))
        let json = """
            [{"id": 1, "shops": [\(shop(#"{"day": "mo"}, {"day": "tu", "breaks": ["9"]}"#))]},
             {"id": 2, "shops": [\(shop(#"{"day": "mo"}"#))]}]
            """
        for _ in 0..<3 {
            try await store.sync(json, into: "Street")
            #expect(try await days(store) == ["mo"])
            #expect(try await store.keys("Hours").count == 1)
            #expect(try await store.keys("Break") == [])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func partDeletedHereAndNoLongerListedIsResolved(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.shops())
        try await store.sync(shop(#"{"day": "mo"}, {"day": "tu"}"#), into: "Shop")
        let keys = try await store.related("Shop", 1, "hours")
        var deletion = ChangeSet()
        deletion.delete(RecordID("Hours", keys[1]))
        try await store.adapter.commit(deletion)
        #expect(try await store.adapter.read { try $0.localDiff(of: "Hours") } != nil)
        try await store.sync(shop(#"{"day": "mo"}, {"day": "tu"}"#), into: "Shop")
        #expect(try await store.adapter.read { try $0.localDiff(of: "Hours") } != nil)
        #expect(try await days(store) == ["mo"])
        try await store.sync(shop(#"{"day": "mo"}"#), into: "Shop")
        #expect(try await store.adapter.read { try $0.localDiff(of: "Hours") } == nil)
        // From now on it is a new part.
        try await store.sync(shop(#"{"day": "mo"}, {"day": "tu"}"#), into: "Shop")
        #expect(try await days(store) == ["mo", "tu"])
    }

    @Test(arguments: StoreKind.allCases)
    func listOfSharedRecordsNeedsKeys(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("trips", toMany: "Trip", inverse: "users")
            }
            Entity("Trip") {
                Attribute("name", .string)
                Relationship("users", toMany: "User", inverse: "trips")
            }
        }
        let store = try await SyncStore(kind, schema)
        let result = try await store.sync(#"[{"id": 1, "trips": [{"name": "a"}]}]"#, into: "User")
        #expect(
            result.reports.map(\.description) == [
                "[0].trips (User 1.trips): expected no objects, as 'Trip' has no primary key to tell them apart and may "
                    + "belong to several records, found an array"
            ])
        #expect(try await store.keys("Trip") == [])
    }
}
