import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about nested objects: children of one owner, and to-one relationships.
///
/// The comments name the cases.
@Suite(.needsStores) struct CatalogueRelationshipTests {
    // S04
    @Test(arguments: StoreKind.allCases)
    func aNestedRecordIsSharedByManyObjects(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            """
            [{"id": 3, "employer": {"id": 0, "name": "Harbour"}}, {"id": 4, "employer": {"id": 0, "name": "Harbour"}},
             {"id": 5, "employer": {"id": 1, "name": "Library"}}]
            """, into: "Visitor")
        #expect(try await store.count("Visitor") == 3)
        #expect(try await store.count("Employer") == 2)
        let employer = try await store.record("Visitor", 4)["employer"]
        #expect(try await store.record("Employer", employer)["name"] == "Harbour")
        #expect(try await store.record("Employer", 1)["name"] == "Library")
    }

    // S12, S15
    @Test(arguments: StoreKind.allCases)
    func childrenAreReadUnderARemoteKey(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            """
            [{"id": 3, "name": "Ida", "pages": [{"id": 30, "text": "Monday"}, {"id": 31}, {"id": 32}]},
             {"id": 4, "name": "Jon", "pages": [{"id": 33}]}, {"id": 5, "name": "Kim"}]
            """, into: "Visitor")
        #expect(try await store.count("Visitor") == 3)
        #expect(try await store.record("Visitor", 3)["name"] == "Ida")
        #expect(try await store.count("Page", where: Field("visitor") == 3) == 3)
    }

    // S17
    @Test(arguments: StoreKind.allCases)
    func aToOneRelationshipNeedsNoKey(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let result = try await store.sync(#"[{"id": 1, "value": 9, "box": {"name": "Oak box"}}]"#, into: "Tally")
        #expect(result.reports.isEmpty)
        #expect(try await store.count("Box") == 1)
        let box = try await store.record("Tally", 1)["box"]
        #expect(try await store.record("Box", box)["name"] == "Oak box")
    }

    // S19, S27
    @Test(arguments: StoreKind.allCases)
    func childrenMayHaveKeysOfTypeText(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            """
            [{"id": 80, "title": "Overture", "long_remarks": [{"body": "short"}, {"body": "sweet"}]},
             {"id": 81, "title": "Finale", "long_remarks": [{"body": "long"}]}]
            """, into: "Act")
        #expect(try await store.count("Act") == 2)
        #expect(try await store.count("LongRemark", where: Field("act") == 80) == 2)
        #expect(try await store.count("LongRemark") == 3)
        #expect(try await store.record("LongRemark", "short")["act"] == 80)
        #expect(try await store.record("Act", 80)["title"] == "Overture")
    }

    // S24
    @Test(arguments: StoreKind.allCases)
    func threeRecordsMayNameOneRecord(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        func members(_ key: Int) -> String { #"[{"id": \#(key), "pass": {"id": 90, "text": "backstage"}}]"# }
        try await store.sync(
            "[{\"id\": 1, \"cooks\": \(members(2)), \"guards\": \(members(3)), \"pilots\": \(members(4))}]",
            into: "Crew")
        for entity in ["Crew", "Cook", "Guard", "Pilot", "Pass"] {
            #expect(try await store.count(entity) == 1, "\(entity)")
        }
        for (relationship, key) in [("cook", 2), ("guard", 3), ("pilot", 4)] as [(String, Value)] {
            #expect(try await store.related("Pass", 90, relationship) == [key], "\(relationship)")
        }
    }

    // S34
    @Test(arguments: StoreKind.allCases)
    func twoRelationshipsMayLeadToOneEntity(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"name": "Quay"}, {"name": "Hill"}]"#, into: "Halt")
        try await store.sync(#"{"code": "T1", "from": "Quay", "to": "Hill"}"#, into: "Ride")
        #expect(try await store.count("Ride") == 1)
        #expect(try await store.count("Halt") == 2)
        let ride = try await store.record("Ride", "T1")
        #expect(ride["start"] == "Quay")
        #expect(ride["end"] == "Hill")
    }

    // S43
    @Test(arguments: StoreKind.allCases)
    func childrenAreReadUnderANameInCamelCase(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            """
            {"_id": "x9Q", "trainingName": "Tent building",
             "trainingSteps": [{"_id": "y1R", "stepName": "Poles", "tool": "mallet"}, {"_id": "y2R"}]}
            """, into: "Training")
        #expect(try await store.count("Training") == 1)
        #expect(try await store.count("Step", where: Field("training") == "x9Q") == 2)
    }

    // S45
    @Test(arguments: StoreKind.allCases)
    func numbersBecomeKeysOfTypeTextInNestedObjects(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"{"id": 6, "main_tenant": {"id": 7}}"#, into: "House")
        #expect(try await store.count("House") == 1)
        #expect(try await store.count("Tenant") == 1)
        #expect(try await store.related("House", "6", "mainTenant") == ["7"])
    }

    // S47
    @Test(arguments: StoreKind.allCases)
    func inheritedRelationshipsAreFilled(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            #"[{"id": 60, "top_speed": 90, "drivers": [{"id": 8, "name": "Ann"}, {"id": 5}]}]"#, into: "Truck")
        #expect(try await store.count("Truck") == 1)
        #expect(try await store.count("Driver") == 2)
        #expect(try await Set(store.related("Truck", 60, "drivers")) == [8, 5])
    }

    // S51
    @Test(arguments: StoreKind.allCases)
    func anObjectMayHaveTwoListsOfChildren(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        var options = SyncOptions()
        options.json.allowsTrailingCommas = true
        try await store.sync(
            #"[{"lineID": "7", "signs": [{"number": "1",},], "points": [{"number": "1"}],}]"#, into: "Line",
            options: options)
        for entity in ["Line", "Sign", "Point"] { #expect(try await store.count(entity) == 1, "\(entity)") }
    }

    // S52
    @Test(arguments: StoreKind.allCases)
    func oneOfTwoRelationshipsBetweenTwoEntitiesIsFilled(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": "reading", "owner": {"id": "ida"}}]"#, into: "Circle")
        #expect(try await store.count("Circle") == 1)
        #expect(try await store.count("Member") == 1)
        #expect(try await store.related("Circle", "reading", "owner") == ["ida"])
        #expect(try await store.related("Circle", "reading", "members") == [])
    }

    // S53
    @Test(arguments: StoreKind.allCases)
    func nullSeparatesAOneToOneRelationship(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.adapter.sync(#"{"id": 3, "key": {"id": 33}}"#, into: "Lock")
        #expect(try await store.related("Key", 33, "lock") == [3])
        try await store.sync(#"[{"id": 3, "key": null}]"#, into: "Lock")
        #expect(try await store.count("Lock") == 1)
        #expect(try await store.count("Key") == 1)
        #expect(try await store.related("Lock", 3, "key") == [])
        #expect(try await store.related("Key", 33, "lock") == [])
    }

    // S56
    @Test(arguments: StoreKind.allCases)
    func anOwnerNestedInItsOwnChildIsOneRecord(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            #"[{"id": 4, "actor_troupe": {"id": 44, "actors": [{"id": 4}]}}]"#, into: "Actor")
        #expect(try await store.count("Actor") == 1)
        #expect(try await store.count("Troupe") == 1)
        #expect(try await store.record("Actor", 4)["actorTroupe"] == 44)
    }

    // S62
    @Test(arguments: StoreKind.allCases)
    func aKeyAtAPathIsConnected(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"id": 600}]"#, into: "Course")
        try await store.sync(#"[{"id": 61, "extra": {"course": 600}}]"#, into: "Lecture")
        #expect(try await store.count("Lecture", where: Field("course") == 600) == 1)
        #expect(try await store.count("Course") == 1)
        #expect(try await store.count("Lecture") == 1)
    }

    // S66
    @Test(arguments: StoreKind.allCases)
    func childrenWithoutAKeyAreReported(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let result = try await store.sync(#"[{"id": 2, "questions": [{"text": "How was it?"}]}]"#, into: "Survey")
        #expect(try await store.count("Survey") == 1)
        #expect(try await store.count("Question") == 0)
        #expect(
            result.reports.map(\.description)
                == ["[0].questions[0]: expected a value of the primary key, 'id' of 'Question', found none"])
    }

    // S68
    @Test(arguments: StoreKind.allCases)
    func aRecordNestedInTwoPlacesIsOneRecord(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(
            #"[{"id": 1, "recent_topics": [{"id": 15}], "sections": [{"id": 150, "mainTopic": {"id": 15}}]}]"#,
            into: "Site")
        for entity in ["Site", "Topic", "Section"] { #expect(try await store.count(entity) == 1, "\(entity)") }
        #expect(try await store.record("Section", 150)["mainTopic"] == 15)
        #expect(try await store.record("Topic", 15)["site"] == 1)
    }

    // S69
    @Test(arguments: StoreKind.allCases)
    func anObjectThatOmitsARelationshipKeepsIt(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.sync(#"[{"itemCode": "s1", "room": {"itemCode": "r1"}}]"#, into: "Shelf")
        #expect(try await store.count("Shelf") == 1)
        #expect(try await store.count("Room") == 1)
        try await store.sync(#"[{"itemCode": "t1", "shelf": {"itemCode": "s1"}}]"#, into: "Tool")
        #expect(try await store.count("Tool") == 1)
        let shelf = try await store.record("Tool", "t1")["shelf"]
        #expect(try await store.record("Shelf", shelf)["room"] == "r1")
    }
}
