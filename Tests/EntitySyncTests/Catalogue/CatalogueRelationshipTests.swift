import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about objects within objects: children of one owner, and what an owner names.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of conformance cases is not there; set DIFFSYNC_SHARED"))
struct CatalogueRelationshipTests {
    @Test("S04: one company of many users", arguments: StoreKind.allCases)
    func s04(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Contacts")
        try await store.sync("users_company", into: "User")
        #expect(try await store.count("User") == 5)
        #expect(try await store.count("Company") == 2)
        let company = try await store.record("User", 0)["company"]
        #expect(try await store.record("Company", company)["name"] == "Apple")
        #expect(try await store.record("Company", 1)["name"] == "Facebook")
    }

    @Test("S12: children under a remote key", arguments: StoreKind.allCases)
    func s12(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Notes")
        try await store.sync("users_notes", into: "SuperUser")
        #expect(try await store.count("SuperUser") == 4)
        #expect(try await store.record("SuperUser", 6)["name"] == "Shawn Merrill")
        #expect(try await store.count("SuperNote", where: Field("superUser") == 6) == 5)
    }

    @Test("S15: a remote key of children", arguments: StoreKind.allCases)
    func s15(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "CustomRelationshipKey")
        try await store.sync("custom_relationship_key_to_many", into: "User")
        #expect(try await store.count("User") == 1)
        #expect(try await store.count("Note", where: !Field("user").isNull) == 3)
    }

    @Test("S17: what a record names has no key", arguments: StoreKind.allCases)
    func s17(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Recursive")
        #expect(try await store.sync("numbers_in_collection", into: "Number").reports.isEmpty)
        #expect(try await store.count("Collection") == 1)
        let parent = try await store.record("Number", 0)["parent"]
        #expect(try await store.record("Collection", parent)["name"] == "Collection 1")
    }

    @Test("S19: children with a primary key of text", arguments: StoreKind.allCases)
    func s19(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Social")
        try await store.sync("stories-comments-no-ids", into: "Story")
        #expect(try await store.count("Story") == 3)
        #expect(try await store.count("SocialComment", where: Field("story") == 0) == 3)
        #expect(try await store.count("SocialComment") == 9)
        #expect(try await store.record("SocialComment", "comment 1")["story"] == 0)
        #expect(try await store.record("Story", 0)["title"] == "story 1")
    }

    @Test("S27: children with a primary key of text, of a longer name", arguments: StoreKind.allCases)
    func s27(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "113")
        try await store.sync("bug-113-stories-comments-no-ids", into: "AwesomeStory")
        #expect(try await store.count("AwesomeStory") == 3)
        #expect(try await store.count("AwesomeComment", where: Field("awesomeStory") == 0) == 3)
        #expect(try await store.count("AwesomeComment") == 9)
        #expect(try await store.record("AwesomeComment", "comment 1")["awesomeStory"] == 0)
        #expect(try await store.record("AwesomeStory", 0)["title"] == "story 1")
    }

    @Test("S24: one record that three others name", arguments: StoreKind.allCases)
    func s24(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Patients")
        try await store.sync("patients", into: "Patient")
        for entity in ["Patient", "Baseline", "Alcohol", "Fitness", "Weight", "Measure"] {
            #expect(try await store.count(entity) == 1, "\(entity)")
        }
        for relationship in ["alcohol", "fitness", "weight"] {
            #expect(try await store.related("Measure", 0, relationship) == [0], "\(relationship)")
        }
    }

    @Test("S34: two relationships to one entity", arguments: StoreKind.allCases)
    func s34(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "179")
        try await store.sync("bug-179-places", into: "Place")
        try await store.sync("bug-179-routes", into: "Route")
        #expect(try await store.count("Route") == 1)
        #expect(try await store.count("Place") == 2)
        let route = try await store.record("Route", "1")
        #expect(route["startPlace"] == "Here")
        #expect(route["endPlace"] == "There")
    }

    @Test("S43: children under a name in camel case", arguments: StoreKind.allCases)
    func s43(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "257")
        try await store.sync("bug-257", into: "Workout")
        #expect(try await store.count("Workout") == 1)
        #expect(try await store.count("Exercise", where: Field("workout") == "4yCb6LwmqwM2gnyWA") == 2)
    }

    @Test("S45: numbers are keys of text, of nested objects too", arguments: StoreKind.allCases)
    func s45(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "ToOne")
        try await store.sync("to-one-snakecase", into: "RentedHome")
        #expect(try await store.count("RentedHome") == 1)
        #expect(try await store.count("LegalPerson") == 1)
        #expect(try await store.related("RentedHome", "0", "legalTenant") == ["0"])
    }

    @Test("S47: an inherited relationship", arguments: StoreKind.allCases)
    func s47(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "239")
        try await store.sync("bug-239", into: "Racecar")
        #expect(try await store.count("Racecar") == 1)
        #expect(try await store.count("Passenger") == 2)
        #expect(try await Set(store.related("Racecar", 31, "passengers")) == [22, 7])
    }

    @Test("S51: two relationships to many", arguments: StoreKind.allCases)
    func s51(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "280")
        try await store.sync("280", into: "Route")
        for entity in ["Route", "RoutePolylineItem", "RouteStop"] {
            #expect(try await store.count(entity) == 1, "\(entity)")
        }
    }

    @Test("S52: two relationships between two entities", arguments: StoreKind.allCases)
    func s52(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "283")
        try await store.sync("283", into: "TaskList")
        #expect(try await store.count("TaskList") == 1)
        #expect(try await store.count("Owner") == 1)
        #expect(try await store.related("TaskList", "0", "owner") == ["a"])
        #expect(try await store.related("TaskList", "0", "participants") == [])
    }

    @Test("S53: null separates one from one", arguments: StoreKind.allCases)
    func s53(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "320")
        try await store.adapter.sync(#"{"id": 1, "tag": {"id": 10}}"#, into: "User")
        #expect(try await store.related("Tag", 10, "user") == [1])
        try await store.sync("320", into: "User")
        #expect(try await store.count("User") == 1)
        #expect(try await store.count("Tag") == 1)
        #expect(try await store.related("User", 1, "tag") == [])
        #expect(try await store.related("Tag", 10, "user") == [])
    }

    @Test("S56: an owner that stands in its own child is one record", arguments: StoreKind.allCases)
    func s56(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "265")
        try await store.sync("265", into: "Player")
        #expect(try await store.count("Player") == 1)
        #expect(try await store.count("PlayerGroup") == 1)
        #expect(try await store.record("Player", 1)["playerGroup"] == 1)
    }

    @Test("S62: a key deeper in the object", arguments: StoreKind.allCases)
    func s62(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "375-to-one")
        try await store.sync("375-to-many-series", into: "Serie")
        try await store.sync("375-to-one-speeches", into: "Speech")
        #expect(try await store.count("Speech", where: Field("serie") == 123) == 1)
        #expect(try await store.count("Serie") == 1)
        #expect(try await store.count("Speech") == 1)
    }

    @Test("S66: children without a key are reported", arguments: StoreKind.allCases)
    func s66(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "412")
        let result = try await store.sync("412", into: "Form")
        #expect(try await store.count("Form") == 1)
        #expect(try await store.count("Field") == 0)
        #expect(
            result.reports.map(\.description)
                == ["[0].fields[0]: expected a value of the primary key, 'id' of 'Field', found none"])
    }

    @Test("S68: a record in two places", arguments: StoreKind.allCases)
    func s68(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "447")
        try await store.sync("447", into: "Website")
        for entity in ["Website", "Tag", "Category"] { #expect(try await store.count(entity) == 1, "\(entity)") }
        #expect(try await store.record("Category", 100)["defaultTag"] == 10)
        #expect(try await store.record("Tag", 10)["website"] == 1)
    }

    @Test("S69: an object that says less keeps what is connected", arguments: StoreKind.allCases)
    func s69(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "457")
        try await store.sync("457-subcategories", into: "Subcategory")
        #expect(try await store.count("Subcategory") == 1)
        #expect(try await store.count("Category") == 1)
        try await store.sync("457-products", into: "Product")
        #expect(try await store.count("Product") == 1)
        let subcategory = try await store.record("Product", "0prod")["subcategory"]
        #expect(try await store.record("Subcategory", subcategory)["category"] == "0cat")
    }
}
