import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about many-to-many relationships and links by keys; the comments name the cases.
@Suite(.needsStores) struct CatalogueLinkTests {
    // S14
    @Test(arguments: StoreKind.allCases)
    func nestedRecordsAreShared(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            """
            [{"id": 30, "labels": [{"id": 1, "name": "rain"}, {"id": 2, "name": "mud"}]},
             {"id": 31, "labels": [{"id": 1, "name": "rain"}]}, {"id": 32, "text": "sun"}]
            """, into: "Page")
        #expect(try await store.count("Page") == 3)
        #expect(try await store.related("Page", 30, "labels").count == 2)
        #expect(try await store.count("Label") == 2)
        #expect(try await store.related("Label", 1, "pages").count == 2)
    }

    // S18, S26
    @Test(arguments: StoreKind.allCases)
    func aRelationshipMayBeItsOwnInverse(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            """
            [{"body": "loud", "long_remarks": [{"body": "too loud"}, {"body": "not at all"}]},
             {"body": "late", "long_remarks": [{"body": "as always"}]}]
            """, into: "LongRemark")
        #expect(try await store.count("LongRemark") == 5)
        #expect(try await store.count("LongRemark", where: Field("body") == "loud") == 1)
        #expect(try await store.related("LongRemark", "loud", "longRemarks").count == 2)
        #expect(try await store.related("LongRemark", "too loud", "longRemarks") == ["loud"])
    }

    // S21
    @Test(arguments: StoreKind.allCases)
    func aRecordNestedInTwoOthersIsConnectedWithBoth(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let goods = #""goods": [{"id": "tea", "other_name": "Tea"}]"#
        try await store.sync(
            "[{\"id\": \"east\", \"other_name\": \"East stall\", \(goods)}, {\"id\": \"west\", \(goods)}]",
            into: "Stall")
        #expect(try await store.count("Stall") == 2)
        #expect(try await store.record("Stall", "east")["otherName"] == "East stall")
        #expect(try await store.related("Stall", "east", "goods") == ["tea"])
        #expect(try await store.count("Good") == 1)
        #expect(try await store.record("Good", "tea")["otherName"] == "Tea")
        #expect(try await Set(store.related("Good", "tea", "stalls")) == ["east", "west"])
    }

    // S31
    @Test(arguments: StoreKind.allCases)
    func aKeyNamesTheOwner(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": 3, "name": "Ida"}, {"id": 4, "name": "Jon"}]"#, into: "Visitor")
        try await store.sync(
            #"[{"id": 30, "visitor_id": 4}, {"id": 31, "visitor_id": 3}, {"id": 32, "visitor_id": 4}]"#, into: "Page")
        #expect(try await store.count("Page") == 3)
        let owner = try await store.record("Page", 32)["visitor"]
        #expect(try await store.record("Visitor", owner)["name"] == "Jon")
    }

    // S33
    @Test(arguments: StoreKind.allCases)
    func anOrderedRelationshipMayBeItsOwnInverse(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            #"[{"body": "loud", "replies": [{"body": "yes"}, {"body": "no"}, {"body": "maybe"}]}]"#, into: "Reply")
        #expect(try await store.count("Reply") == 4)
        #expect(try await store.related("Reply", "loud", "replies") == ["yes", "no", "maybe"])
    }

    // S35
    @Test(arguments: StoreKind.allCases)
    func anEmptyListKeepsSharedRecords(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            #"[{"id": "c1", "favorite_stamps": [{"id": "s1", "colour": "blue"}]}]"#, into: "Collector")
        #expect(try await store.count("Stamp") == 1)
        try await store.sync(#"[{"id": "c1", "favorite_stamps": []}]"#, into: "Collector")
        #expect(try await store.count("Stamp") == 1)
        #expect(try await store.related("Collector", "c1", "favoriteStamps") == [])
    }

    // S37
    @Test(arguments: StoreKind.allCases)
    func keysOfRecordsThatArriveLaterAreReported(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let venues = #"[{"id": 40, "town_id": 7}, {"id": 41, "town_id": 8}, {"id": 42, "town_id": null}]"#
        let towns = { try await (40...42).asyncMap { try await store.record("Venue", .integer($0))["town"] } }
        let first = try await store.sync(venues, into: "Venue")
        #expect(try await store.count("Venue") == 3)
        #expect(try await store.count("Town") == 0)
        #expect(
            first.reports.map(\.description) == [
                "[0].town_id (Venue 40.town): expected the key of a record of 'Town', found 7, which none has",
                "[1].town_id (Venue 41.town): expected the key of a record of 'Town', found 8, which none has",
            ])
        try await store.sync(#"[{"id": 7, "name": "Bergen"}, {"id": 8}, {"id": 9}]"#, into: "Town")
        #expect(try await store.count("Town") == 3)
        let second = try await store.sync(venues, into: "Venue")
        #expect(second.reports.isEmpty)
        #expect(try await towns() == [7, 8, .null])
        try await store.sync(
            #"[{"id": 40, "town_id": null}, {"id": 41, "town_id": 7}, {"id": 42, "town_id": 8}]"#, into: "Venue")
        #expect(try await towns() == [.null, 7, 8])
    }

    // S39
    @Test(arguments: StoreKind.allCases)
    func keysOfChildrenMoveThemBetweenOwners(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let owners = { try await (50...52).asyncMap { try await store.record("Score", .integer($0))["conductor"] } }
        let conductors =
            #"[{"id": 5, "scores_ids": [50, 51]}, {"id": 6, "scores_ids": [52]}, {"id": 7, "scores_ids": []}]"#
        try await store.sync(conductors, into: "Conductor")
        #expect(try await store.count("Conductor") == 3)
        #expect(try await store.count("Score") == 0)
        try await store.sync(#"[{"id": 50}, {"id": 51}, {"id": 52}]"#, into: "Score")
        #expect(try await owners() == [.null, .null, .null])
        try await store.sync(conductors, into: "Conductor")
        #expect(try await owners() == [5, 5, 6])
        try await store.sync(
            #"[{"id": 5, "scores_ids": []}, {"id": 6, "scores_ids": [52]}, {"id": 7, "scores_ids": [50, 51]}]"#,
            into: "Conductor")
        #expect(try await owners() == [7, 7, 6])
        #expect(try await store.count("Conductor") == 3)
        #expect(try await store.count("Score") == 3)
    }

    // S42
    @Test(arguments: StoreKind.allCases)
    func keysOfAnOrderedRelationshipReplaceItsMembers(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let spices = { try await (1...4).asyncMap { try await store.related("Recipe", .integer($0), "spices") } }
        let recipes = """
            [{"id": 1, "spices_ids": ["dill", "salt"]}, {"id": 2, "spices_ids": ["dill"]}, {"id": 3, "spices_ids": []},
             {"id": 4, "spices_ids": ["salt"]}]
            """
        try await store.sync(recipes, into: "Recipe")
        #expect(try await store.count("Recipe") == 4)
        #expect(try await store.count("Spice") == 0)
        try await store.sync(#"[{"id": "dill"}, {"id": "salt"}]"#, into: "Spice")
        #expect(try await spices() == [[], [], [], []])
        try await store.sync(recipes, into: "Recipe")
        #expect(try await spices() == [["dill", "salt"], ["dill"], [], ["salt"]])
        try await store.sync(
            """
            [{"id": 1, "spices_ids": ["dill"]}, {"id": 2, "spices_ids": []}, {"id": 3, "spices_ids": ["dill", "salt"]},
             {"id": 4, "spices_ids": null}]
            """, into: "Recipe")
        #expect(try await spices() == [["dill"], [], ["dill", "salt"], []])
        #expect(try await store.count("Spice") == 2)
    }

    // S48
    @Test(arguments: StoreKind.allCases)
    func aChangedListReplacesItsMembers(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": 2, "badges": [{"id": 11}]}]"#, into: "Fan")
        #expect(try await store.count("Badge") == 1)
        try await store.sync(#"[{"id": 2, "badges": [{"id": 12}]}]"#, into: "Fan")
        #expect(try await store.count("Fan") == 1)
        #expect(try await store.count("Badge") == 2)
        #expect(try await store.related("Fan", 2, "badges") == [12])
    }

    // S50
    @Test(arguments: StoreKind.allCases)
    func nullEmptiesAList(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": 2, "badges": [{"id": 11}]}]"#, into: "Fan")
        try await store.sync(#"[{"id": 2, "badges": null}]"#, into: "Fan")
        #expect(try await store.count("Fan") == 1)
        #expect(try await store.count("Badge") == 1)
        #expect(try await store.related("Fan", 2, "badges") == [])
    }

    // S54
    @Test(arguments: StoreKind.allCases)
    func keysInAnotherOrderReorderAList(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.adapter.sync(#"{"id": 3, "slides": [{"id": 31}, {"id": 32}]}"#, into: "Show")
        #expect(try await store.related("Show", 3, "slides") == [31, 32])
        try await store.sync(#"[{"id": 3, "slides_ids": [32, 31]}]"#, into: "Show")
        #expect(try await store.count("Show") == 1)
        #expect(try await store.related("Show", 3, "slides") == [32, 31])
    }

    // S57
    @Test(arguments: StoreKind.allCases)
    func aRelationshipMayBeOrderedOnBothSides(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            #"[{"id": 1, "spices": [{"id": "dill"}]}, {"id": 2, "spices": [{"id": "dill"}]}]"#, into: "Recipe")
        #expect(try await store.count("Recipe") == 2)
        #expect(try await store.count("Spice") == 1)
        #expect(try await Set(store.related("Spice", "dill", "recipes")) == [1, 2])
    }

    // S59
    @Test(arguments: StoreKind.allCases)
    func objectsAtAPathAreConnected(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": 70, "extra": {"series": [{"id": 700}]}}]"#, into: "Talk")
        #expect(try await store.count("Talk") == 1)
        #expect(try await store.count("Series") == 1)
        #expect(try await store.related("Talk", 70, "series") == [700])
    }

    // S64
    @Test(arguments: StoreKind.allCases)
    func anEmptyListConcernsItsOwnObjectAlone(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": 4, "badges": [{"id": 11}]}, {"id": 2, "badges": []}]"#, into: "Fan")
        #expect(try await store.count("Fan") == 2)
        #expect(try await store.count("Badge") == 1)
        #expect(try await store.related("Fan", 4, "badges") == [11])
    }

    // S78
    @Test(arguments: StoreKind.allCases)
    func objectsAtAPathOfThreeNamesAreConnected(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        func book(_ key: String, by authors: String) -> String {
            #"{"id": "\#(key)", "title": "\#(key)", "relationships": {"authors": {"data": [\#(authors)]}}}"#
        }
        let json = """
            [\(book("b1", by: #"{"id": "a1", "name": "Lind"}"#)),
             \(book("b2", by: #"{"id": "a2", "name": "Moe"}, {"id": "a3"}"#))]
            """
        try await store.sync(json, into: "Book")
        #expect(try await store.count("Book") == 2)
        #expect(try await store.count("Author") == 3)
        #expect(try await Set(store.related("Book", "b2", "author")) == ["a2", "a3"])
    }

    // S81
    @Test(arguments: StoreKind.allCases)
    func keysCanBeAddedAndReordered(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": 8, "songs": [{"id": 21}, {"id": 22}, {"id": 23}]}]"#, into: "Playlist")
        #expect(try await store.related("Playlist", 8, "songs") == [21, 22, 23])
        try await store.sync(#"[{"id": 21}, {"id": 22}, {"id": 23}, {"id": 24}, {"id": 25}]"#, into: "Song")
        #expect(try await store.count("Song") == 5)
        try await store.sync(#"[{"id": 8, "songs_ids": [23, 25, 24, 22]}]"#, into: "Playlist")
        #expect(try await store.count("Playlist") == 1)
        #expect(try await store.count("Song") == 5)
        #expect(try await store.related("Playlist", 8, "songs") == [23, 25, 24, 22])
    }
}
