import EntitySync
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about exports; the comments name the cases.
struct ExportCaseTests {
    static let none = ExportOptions(relationships: .none)

    /// Options that write every date as the same day.
    static let days = ExportOptions(dates: .custom { _ in "1970-01-01" })

    private func fillParcels(_ changes: inout ChangeSet, _ schema: Schema) {
        changes.put("Depot", in: schema, ["sync.id": 1, "depotID": 5])
        changes.put("Parcel", in: schema, ["sync.id": 1, "parcelID": 8, "smallDepot": 1])
        changes.put(
            "Parcel", in: schema,
            [
                "sync.id": 2, "parcelDescription": "fragile", "trackingKey": "track me",
                "parcelData": .bytes(Data(#"["glass","wood"]"#.utf8)),
                "parcelDay": .date(Date(timeIntervalSince1970: 0)), "parcelCount": 3, "parcelID": 9,
                "parcelText": "handle with care", "ignoredText": "ignored",
                "parcelUUID": .uuid(UUID(uuidString: "0B0E9F0C-8C43-4A3A-9A2B-5A86F9A3F7D1")!),
                "parcelURL": .url(URL(string: "https://parcels.example/9")!),
            ])
    }

    // X01, Y01
    @Test func valuesAndKeysAreWrittenInSnakeCase() async throws {
        let schema = try CatalogueStore.festival()
        try await withStores(of: schema, { fillParcels(&$0, schema) }) { store in
            let user = try await store.export(RecordID("Parcel", 2), options: Self.days)
            #expect(
                user
                    == .of(
                        #"""
                        {"trackKey": "track me", "parcel_data": ["glass", "wood"], "parcel_day": "1970-01-01",
                        "parcel_id": 9, "parcel_count": 3, "parcel_text": "handle with care",
                        "parcel_url": "https://parcels.example/9", "description": "fragile",
                        "parcel_uuid": "0B0E9F0C-8C43-4A3A-9A2B-5A86F9A3F7D1"}
                        """#))
            let text = try await store.export(RecordID("Parcel", 2))
            #expect(text?["parcel_day"] == "1970-01-01T00:00:00Z")
        }
    }

    // X03, Y03
    @Test func aToOneRelationshipIsWrittenAsAnObject() async throws {
        let schema = try CatalogueStore.festival()
        try await withStores(of: schema, { fillParcels(&$0, schema) }) { store in
            let user = try await store.export(RecordID("Parcel", 1))
            #expect(
                user
                    == .of(
                        #"""
                        {"trackKey": null, "parcel_data": null, "parcel_day": null, "parcel_id": 8, "parcel_count": null,
                        "parcel_text": null, "parcel_url": null, "description": null, "parcel_uuid": null,
                        "small_depot": {"depot_id": 5}}
                        """#))
        }
    }

    // X06, Y06
    @Test func nestedRelationshipsAreWrittenInCamelCase() async throws {
        let schema = try CatalogueStore.festival()
        try await withStores(of: schema, { fillParcels(&$0, schema) }) { store in
            let options = ExportOptions(relationships: .nested, names: .camelCase)
            let user = try await store.export(RecordID("Parcel", 1), options: options)
            #expect(user?["smallDepotAttributes"] == ["depotID": 5])
            #expect(user?.names.contains("parcelUUID") == true)
            #expect(user?.names.contains("description") == true)
        }
    }

    // X07, Y07
    @Test func reservedWordsAreWrittenInCamelCase() async throws {
        let schema = try CatalogueStore.festival()
        try await withStores(
            of: schema,
            { $0.put("TinyThing", in: schema, ["sync.id": 1, "tinyThingDescription": "tiny"]) }
        ) { store in
            let exported = try await store.export("TinyThing", options: ExportOptions(names: .camelCase))
            #expect(exported == [["description": "tiny"]])
        }
    }

    // X09, Y09
    @Test func namesThatEndInIDsAreWrittenInSnakeCase() async throws {
        let schema = try CatalogueStore.festival()
        try await withStores(of: schema, { $0.put("Training", in: schema, ["id": "x9Q"]) }) { store in
            let training = try await store.export(RecordID("Training", "x9Q"))
            #expect(
                training?.names.sorted() == ["_id", "booked_for_ids", "training_name", "training_steps"])
        }
    }

    // F01
    @Test func recordsOnThePathAreNotWrittenAgain() async throws {
        let schema = try CatalogueStore.festival()
        try await withStores(
            of: schema,
            { changes in
                changes.put("Chef", in: schema, ["id": 7])
                changes.put("Dish", in: schema, ["id": 8])
                changes.put("Menu", in: schema, ["id": 6])
                changes.setLinks(RecordID("Dish", 8), "chef", to: [7])
                changes.setLinks(RecordID("Dish", 8), "menu", to: [6])
                changes.setLinks(RecordID("Menu", 6), "chef", to: [7])
            }
        ) { store in
            let menu = try await store.export(RecordID("Menu", 6))
            #expect(menu == .of(#"{"id": 6, "chef": {"id": 7}, "dishes": [{"id": 8, "chef": {"id": 7}}]}"#))
        }
    }

    // F03
    @Test func propertiesThatAreNotExportableAreOmitted() async throws {
        let schema = try CatalogueStore.festival()
        try await withStores(of: schema, { $0.put("Account", in: schema, ["id": 9, "secret": "tulip"]) }) { store in
            var options = Self.none
            let some = try await store.export(RecordID("Account", 9), options: options)
            #expect(some == ["id": 9])
            options.includesNonExportable = true
            let all = try await store.export(RecordID("Account", 9), options: options)
            #expect(all == ["id": 9, "secret": "tulip"])
        }
    }

    private func fillPeople(_ changes: inout ChangeSet, _ schema: Schema) {
        changes.put("Office", in: schema, ["remoteID": 15, "name": "Box office"])
        changes.put(
            "Person", in: schema,
            [
                "years": 33, "birthDate": .date(Date(timeIntervalSince1970: 0.5)), "contractID": 900,
                "createdAt": .date(Date(timeIntervalSince1970: 1)), "updatedAt": .date(Date(timeIntervalSince1970: 2)),
                "driverNumber": "77", "firstName": "Nils", "lastName": "Berg", "personDescription": "tall",
                "remoteID": 12, "personType": "crew", "visitCount": 6,
                "hobbies": .bytes(Data(#"["chess"]"#.utf8)), "expenses": .bytes(Data([0, 255])), "rawStatus": "new",
            ])
        changes.setLinks(RecordID("Person", 12), "office", to: [15])
        for (id, destroy) in [(2, nil), (13, true), (5, nil)] as [(Int64, Bool?)] {
            changes.put(
                "Memo", in: schema,
                [
                    "remoteID": .integer(id), "text": .string("text \(id)"), "person": 12,
                    "destroy": destroy.map { .bool($0) } ?? .null,
                ])
        }
    }

    static let person = #"""
        "age_in_years": 33, "birth_date": "1970-01-01T00:00:00.5Z", "contract_id": 900,
        "created_at": "1970-01-01T00:00:01Z", "description": "tall", "driver_number_text": "77",
        "expenses": "AP8=", "first_name": "Nils", "hobbies": ["chess"], "id": 12, "ignored_number": null,
        "last_name": "Berg", "visit_count": 6, "type": "crew", "updated_at": "1970-01-01T00:00:02Z",
        "status": "new"
        """#

    // T01, T02, T04, T06
    @Test func eachStyleWritesItsFormOfRelationships() async throws {
        let schema = try CatalogueStore.festival()
        try await withStores(of: schema, { fillPeople(&$0, schema) }) { store in
            let id = RecordID("Person", 12)
            let plain = try await store.export(id, options: Self.none)
            #expect(plain == .of("{\(Self.person)}"))
            #expect(plain?.names.count == 16)
            let array = try await store.export(id)
            #expect(
                array
                    == .of(
                        #"""
                        {\#(Self.person), "office": {"id": 15, "name": "Box office"},
                        "memos": [{"destroy": null, "id": 2, "text": "text 2"},
                        {"destroy": true, "id": 13, "text": "text 13"}, {"destroy": null, "id": 5, "text": "text 5"}]}
                        """#))
            let nested = try await store.export(id, options: ExportOptions(relationships: .nested))
            #expect(
                nested
                    == .of(
                        #"""
                        {\#(Self.person), "office_attributes": {"id": 15, "name": "Box office"},
                        "memos_attributes": {"0": {"_destroy": null, "id": 2, "text": "text 2"},
                        "1": {"_destroy": true, "id": 13, "text": "text 13"},
                        "2": {"_destroy": null, "id": 5, "text": "text 5"}}}
                        """#))
            #expect(nested?["memos_attributes"].names == ["0", "1", "2"])
            let ids = try await store.export(id, options: ExportOptions(relationships: .ids))
            #expect(ids == .of(#"{\#(Self.person), "office_id": 15, "memos_ids": [2, 13, 5]}"#))
            let camel = try await store.export(id, options: ExportOptions(relationships: .ids, names: .camelCase))
            #expect(camel?["officeId"] == 15)
            #expect(camel?["memosIds"] == [2, 13, 5])
        }
    }

    // H10
    @Test func destroyHasAnUnderscoreInTheNestedStyleAlone() async throws {
        let schema = try CatalogueStore.festival()
        try await withStores(of: schema, { $0.put("Memo", in: schema, ["remoteID": 2, "destroy": true]) }) { store in
            for (style, key) in [(ExportOptions.RelationshipStyle.nested, "_destroy"), (.array, "destroy")] {
                let memo = try await store.export(RecordID("Memo", 2), options: ExportOptions(relationships: style))
                #expect(memo?[key] == true)
            }
        }
    }

    // V19
    @Test func dottedRemoteKeysAreWrittenAsNestedObjects() async throws {
        let schema = try CatalogueStore.festival()
        let values: [String: Value] = [
            "id": 1, "snakeOne": "p", "snakeTwo": "q", "camelOne": "r", "camelTwo": "s",
        ]
        try await withStores(of: schema, { $0.put("Reading", in: schema, values) }) { store in
            let exported = try await store.export("Reading")
            #expect(
                exported
                    == .of(
                        #"""
                        [{"id": 1, "mixedCase": {"valueOne": "r", "levelOne": {"levelTwo": "s"}},
                        "lower_case": {"value_one": "p", "level_one": {"level_two": "q"}}}]
                        """#))
        }
    }
}
