import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about relationships from many to many, and about links by keys.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of conformance cases is not there; set DIFFSYNC_SHARED"))
struct CatalogueLinkTests {
    @Test("S14: tags that notes share", arguments: StoreKind.allCases)
    func s14(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Notes")
        try await store.sync("tagged_notes", into: "SuperNote")
        #expect(try await store.count("SuperNote") == 3)
        #expect(try await store.related("SuperNote", 0, "superTags").count == 2)
        #expect(try await store.count("SuperTag") == 2)
        #expect(try await store.related("SuperTag", 1, "superNotes").count == 2)
    }

    @Test("S18: a relationship that is its own inverse", arguments: StoreKind.allCases)
    func s18(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Social")
        // What is nested is no root of the payload, so the payload again without a scope would take it away.
        try await store.sync("comments-no-id", into: "SocialComment")
        #expect(try await store.count("SocialComment") == 8)
        #expect(try await store.count("SocialComment", where: Field("body") == "comment 1") == 1)
        #expect(try await store.related("SocialComment", "comment 1", "comments").count == 3)
        #expect(try await store.related("SocialComment", "sub-comment 1", "comments") == ["comment 1"])
    }

    @Test("S21: an item of two markets", arguments: StoreKind.allCases)
    func s21(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Markets")
        try await store.sync("markets_items", into: "Market")
        #expect(try await store.count("Market") == 2)
        #expect(try await store.record("Market", "1")["otherAttribute"] == "Market 1")
        #expect(try await store.related("Market", "1", "items") == ["1"])
        #expect(try await store.count("Item") == 1)
        #expect(try await store.record("Item", "1")["otherAttribute"] == "Item 1")
        #expect(try await Set(store.related("Item", "1", "markets")) == ["1", "2"])
    }

    @Test("S26: a relationship that is its own inverse, of a longer name", arguments: StoreKind.allCases)
    func s26(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "113")
        try await store.sync("bug-113-comments-no-id", into: "AwesomeComment")
        #expect(try await store.count("AwesomeComment") == 8)
        #expect(try await store.related("AwesomeComment", "comment 1", "awesomeComments").count == 3)
    }

    @Test("S31: a key names the owner", arguments: StoreKind.allCases)
    func s31(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Notes")
        try await store.sync("users_a", into: "SuperUser")
        #expect(try await store.count("SuperUser") == 8)
        try await store.sync("notes_with_user_id", into: "SuperNote")
        #expect(try await store.count("SuperNote") == 5)
        let owner = try await store.record("SuperNote", 0)["superUser"]
        #expect(try await store.record("SuperUser", owner)["name"] == "Melisa White")
    }

    @Test("S33: an ordered relationship that is its own inverse", arguments: StoreKind.allCases)
    func s33(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "OrderedSocial")
        try await store.sync("comments-no-id", into: "Comment")
        #expect(try await store.count("Comment") == 8)
        #expect(
            try await store.related("Comment", "comment 1", "comments")
                == ["sub-comment 1", "sub-comment 2", "sub-comment 3"])
    }

    @Test("S35: an empty list leaves what was shared", arguments: StoreKind.allCases)
    func s35(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "202")
        try await store.sync("bug-202-a", into: "User")
        #expect(try await store.count("Tag") == 1)
        try await store.sync("bug-202-b", into: "User")
        #expect(try await store.count("Tag") == 1)
        #expect(try await store.related("User", "1", "favoriteTags") == [])
    }

    @Test("S37: keys of records that come later", arguments: StoreKind.allCases)
    func s37(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "157")
        let cities = { try await (0...2).asyncMap { try await store.record("Location", .integer($0))["city"] } }
        let first = try await store.sync("157-locations", into: "Location")
        #expect(try await store.count("Location") == 3)
        #expect(try await store.count("City") == 0)
        #expect(
            first.reports.map(\.description) == [
                "[0].city_id (Location 0.city): expected the key of a record of 'City', found 0, which none has",
                "[1].city_id (Location 1.city): expected the key of a record of 'City', found 1, which none has",
            ])
        try await store.sync("157-cities", into: "City")
        #expect(try await store.count("City") == 3)
        let second = try await store.sync("157-locations", into: "Location")
        #expect(second.reports.isEmpty)
        let names = try await cities().asyncMap { $0.isNull ? .null : try await store.record("City", $0)["name"] }
        #expect(names == ["Oslo", "Paris", .null])
        try await store.sync("157-locations-update", into: "Location")
        let moved = try await cities().asyncMap { $0.isNull ? .null : try await store.record("City", $0)["name"] }
        #expect(moved == [.null, "Oslo", "Paris"])
    }

    @Test("S39: keys of children", arguments: StoreKind.allCases)
    func s39(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "151-to-many")
        let owners = { try await (0...2).asyncMap { try await store.record("Note", .integer($0))["user"] } }
        try await store.sync("151-to-many-users", into: "User")
        #expect(try await store.count("User") == 3)
        #expect(try await store.count("Note") == 0)
        try await store.sync("151-to-many-notes", into: "Note")
        #expect(try await store.count("Note") == 3)
        #expect(try await owners() == [.null, .null, .null])
        try await store.sync("151-to-many-users", into: "User")
        #expect(try await owners() == [10, 10, 11])
        try await store.sync("151-to-many-users-update", into: "User")
        #expect(try await owners() == [12, 12, 11])
        #expect(try await store.count("User") == 3)
        #expect(try await store.count("Note") == 3)
    }

    @Test("S42: keys of an ordered relationship", arguments: StoreKind.allCases)
    func s42(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "151-ordered-many-to-many")
        let tags = { try await (0...3).asyncMap { try await store.related("Note", .integer($0), "tags") } }
        try await store.sync("151-many-to-many-notes", into: "Note")
        #expect(try await store.count("Note") == 4)
        #expect(try await store.count("Tag") == 0)
        try await store.sync("151-many-to-many-tags", into: "Tag")
        #expect(try await store.count("Tag") == 2)
        #expect(try await tags() == [[], [], [], []])
        try await store.sync("151-many-to-many-notes", into: "Note")
        #expect(try await tags() == [["0", "1"], ["0"], [], ["1"]])
        try await store.sync("151-many-to-many-notes-update", into: "Note")
        #expect(try await tags() == [["0"], [], ["0", "1"], []])
        #expect(try await store.count("Tag") == 2)
    }

    @Test("S48: another tag takes the place of one", arguments: StoreKind.allCases)
    func s48(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "225")
        try await store.sync("225-a", into: "User")
        #expect(try await store.count("Tag") == 1)
        try await store.sync("225-a-replaced", into: "User")
        #expect(try await store.count("User") == 1)
        #expect(try await store.count("Tag") == 2)
        #expect(try await store.related("User", 1, "tags") == [20])
    }

    @Test("S50: null is no tags", arguments: StoreKind.allCases)
    func s50(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "225")
        try await store.sync("225-a", into: "User")
        try await store.sync("225-a-null", into: "User")
        #expect(try await store.count("User") == 1)
        #expect(try await store.count("Tag") == 1)
        #expect(try await store.related("User", 1, "tags") == [])
    }

    @Test("S54: keys in another order", arguments: StoreKind.allCases)
    func s54(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "233")
        try await store.adapter.sync(#"{"id": 1, "slides": [{"id": 1}, {"id": 2}]}"#, into: "Presentation")
        #expect(try await store.related("Presentation", 1, "slides") == [1, 2])
        try await store.sync("233", into: "Presentation")
        #expect(try await store.count("Presentation") == 1)
        #expect(try await store.related("Presentation", 1, "slides") == [2, 1])
    }

    @Test("S57: an ordered relationship on both sides", arguments: StoreKind.allCases)
    func s57(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "3ca82a0")
        try await store.sync("3ca82a0", into: "Article")
        #expect(try await store.count("Article") == 2)
        #expect(try await store.count("ArticleTag") == 1)
        #expect(try await Set(store.related("ArticleTag", 6, "articles")) == [1, 2])
    }

    @Test("S59: objects deeper in the object", arguments: StoreKind.allCases)
    func s59(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "375")
        try await store.sync("375", into: "Speech")
        #expect(try await store.count("Speech") == 1)
        #expect(try await store.count("Serie") == 1)
        #expect(try await store.related("Speech", 4865, "series") == [123])
    }

    @Test("S64: an empty list concerns its own object alone", arguments: StoreKind.allCases)
    func s64(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "225")
        try await store.sync("417", into: "User")
        #expect(try await store.count("User") == 2)
        #expect(try await store.count("Tag") == 1)
        #expect(try await store.related("User", 3, "tags") == [10])
    }

    @Test("S78: objects three levels deeper", arguments: StoreKind.allCases)
    func s78(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "519")
        try await store.sync("519", into: "Book")
        #expect(try await store.count("Book") == 2)
        #expect(try await store.count("Author") == 3)
        #expect(try await Set(store.related("Book", "2", "author")) == ["200", "300"])
    }

    @Test("S81: keys added and in another order", arguments: StoreKind.allCases)
    func s81(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "ordered-many-to-many-update")
        try await store.sync("453-to-many-ordered-relationship-objects-initial", into: "List")
        #expect(try await store.related("List", 453, "items") == [1, 2, 3])
        try await store.sync("453-to-many-ordered-relationship-item-insert", into: "Item")
        #expect(try await store.count("Item") == 5)
        try await store.sync("453-to-many-ordered-relationship-ids-update", into: "List")
        #expect(try await store.count("List") == 1)
        #expect(try await store.count("Item") == 5)
        #expect(try await store.related("List", 453, "items") == [3, 4, 5, 2])
    }
}
