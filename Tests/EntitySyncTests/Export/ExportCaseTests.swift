import CoreDataModel
import EntitySync
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// Cases of 3lvis/Sync, by their numbers in the shared catalogue, with its models.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of models is not there; set DIFFSYNC_SHARED"))
struct ExportCaseTests {
    private func schema(_ name: String) throws -> Schema {
        try Schema(contentsOf: SharedFiles.model("\(name).xcdatamodeld"))
    }

    static let none = ExportOptions(relationships: .none)

    /// The options of a fixed day and no time.
    static let days = ExportOptions(dates: .custom { _ in "1970-01-01" })

    private func fillInflection(_ changes: inout ChangeSet, _ schema: Schema) {
        changes.put("InflectionCompany", in: schema, ["sync.id": 1, "inflectionID": 1])
        changes.put("InflectionUser", in: schema, ["sync.id": 1, "inflectionID": 1, "camelCaseCompany": 1])
        changes.put(
            "InflectionUser", in: schema,
            [
                "sync.id": 2, "inflectionUserDescription": "reserved", "customRemoteKey": "randomRemoteKey",
                "inflectionBinaryData": .bytes(Data(#"["one","two"]"#.utf8)),
                "inflectionDate": .date(Date(timeIntervalSince1970: 0)), "inflectionInteger": 1, "inflectionID": 1,
                "inflectionString": "string", "ignoredParameter": "ignored",
                "inflectionUUID": .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!),
                "inflectionURI": .url(URL(string: "https://www.apple.com/")!),
            ])
    }

    @Test("X01 and Y01: values and keys in snake_case")
    func snakeCase() async throws {
        let schema = try schema("137")
        try await withStores(of: schema, { fillInflection(&$0, schema) }) { store in
            let user = try await store.export(RecordID("InflectionUser", 2), options: Self.days)
            #expect(
                user
                    == .of(
                        #"""
                        {"randomRemoteKey": "randomRemoteKey", "inflection_binary_data": ["one", "two"],
                        "inflection_date": "1970-01-01", "inflection_id": 1, "inflection_integer": 1,
                        "inflection_string": "string", "inflection_uri": "https://www.apple.com/",
                        "description": "reserved", "inflection_uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}
                        """#))
            let text = try await store.export(RecordID("InflectionUser", 2))
            #expect(text?["inflection_date"] == "1970-01-01T00:00:00Z")
        }
    }

    @Test("X03 and Y03: a relationship to one, as an object")
    func array() async throws {
        let schema = try schema("137")
        try await withStores(of: schema, { fillInflection(&$0, schema) }) { store in
            let user = try await store.export(RecordID("InflectionUser", 1))
            #expect(
                user
                    == .of(
                        #"""
                        {"randomRemoteKey": null, "inflection_binary_data": null, "inflection_date": null,
                        "inflection_id": 1, "inflection_integer": null, "inflection_string": null,
                        "inflection_uri": null, "description": null, "inflection_uuid": null,
                        "camel_case_company": {"inflection_id": 1}}
                        """#))
        }
    }

    @Test("X06 and Y06: camelCase, nested")
    func nested() async throws {
        let schema = try schema("137")
        try await withStores(of: schema, { fillInflection(&$0, schema) }) { store in
            let options = ExportOptions(relationships: .nested, names: .camelCase)
            let user = try await store.export(RecordID("InflectionUser", 1), options: options)
            #expect(user?["camelCaseCompanyAttributes"] == ["inflectionID": 1])
            #expect(user?.names.contains("inflectionUUID") == true)
            #expect(user?.names.contains("description") == true)
        }
    }

    @Test("X07 and Y07: a reserved word in camelCase")
    func reserved() async throws {
        let schema = try schema("142")
        try await withStores(
            of: schema,
            { $0.put("TwoLetterEntity", in: schema, ["sync.id": 1, "twoLetterEntityDescription": "test"]) }
        ) { store in
            let exported = try await store.export("TwoLetterEntity", options: ExportOptions(names: .camelCase))
            #expect(exported == [["description": "test"]])
        }
    }

    @Test("X09 and Y09: keys of model 140")
    func bug140() async throws {
        let schema = try schema("140")
        try await withStores(of: schema, { $0.put("Workout", in: schema, ["id": "1"]) }) { store in
            let workout = try await store.export(RecordID("Workout", "1"))
            #expect(
                workout?.names.sorted() == [
                    "_id", "planned_to_ids", "workout_desc", "workout_exercises", "workout_name",
                ])
        }
    }

    @Test("F01: what stands on the path is not written again")
    func bug112() async throws {
        let schema = try schema("112")
        try await withStores(
            of: schema,
            { changes in
                changes.put("Owner", in: schema, ["id": 1])
                changes.put("Task", in: schema, ["id": 1])
                changes.put("TaskList", in: schema, ["id": 1])
                changes.setLinks(RecordID("Task", 1), "owner", to: [1])
                changes.setLinks(RecordID("Task", 1), "taskList", to: [1])
                changes.setLinks(RecordID("TaskList", 1), "owner", to: [1])
            }
        ) { store in
            let list = try await store.export(RecordID("TaskList", 1))
            #expect(list == .of(#"{"id": 1, "owner": {"id": 1}, "tasks": [{"id": 1, "owner": {"id": 1}}]}"#))
        }
    }

    @Test("F03: what is not exportable")
    func bug123() async throws {
        let schema = try schema("123")
        try await withStores(of: schema, { $0.put("User", in: schema, ["id": 1, "name": "Ada"]) }) { store in
            var options = Self.none
            let some = try await store.export(RecordID("User", 1), options: options)
            #expect(some == ["id": 1])
            options.includesNonExportable = true
            let all = try await store.export(RecordID("User", 1), options: options)
            #expect(all == ["id": 1, "name": "Ada"])
        }
    }

    private func fillModel(_ changes: inout ChangeSet, _ schema: Schema) {
        changes.put("Company", in: schema, ["remoteID": 1, "name": "Facebook"])
        changes.put(
            "User", in: schema,
            [
                "age": 25, "birthDate": .date(Date(timeIntervalSince1970: 0.5)), "contractID": 235,
                "createdAt": .date(Date(timeIntervalSince1970: 1)), "updatedAt": .date(Date(timeIntervalSince1970: 2)),
                "driverIdentifier": "ABC8283", "firstName": "John", "lastName": "Sid",
                "userDescription": "John Description", "remoteID": 111, "userType": "Manager", "numberOfAttendes": 30,
                "hobbies": .bytes(Data(#"["football"]"#.utf8)), "expenses": .bytes(Data([0, 255])), "rawSigned": "raw",
            ])
        changes.setLinks(RecordID("User", 111), "company", to: [1])
        for (id, destroy) in [(1, nil), (14, true), (7, nil)] as [(Int64, Bool?)] {
            changes.put(
                "Note", in: schema,
                [
                    "remoteID": .integer(id), "text": .string("text \(id)"), "user": 111,
                    "destroy": destroy.map { .bool($0) } ?? .null,
                ])
        }
    }

    static let user = #"""
        "age_of_person": 25, "birth_date": "1970-01-01T00:00:00.5Z", "contract_id": 235,
        "created_at": "1970-01-01T00:00:01Z", "description": "John Description", "driver_identifier_str": "ABC8283",
        "expenses": "AP8=", "first_name": "John", "hobbies": ["football"], "id": 111, "ignored_parameter": null,
        "last_name": "Sid", "number_of_attendes": 30, "type": "Manager", "updated_at": "1970-01-01T00:00:02Z",
        "signed": "raw"
        """#

    @Test("T01, T02, T04 and T06: a user in each style")
    func users() async throws {
        let schema = try schema("Model")
        try await withStores(of: schema, { fillModel(&$0, schema) }) { store in
            let id = RecordID("User", 111)
            let plain = try await store.export(id, options: Self.none)
            #expect(plain == .of("{\(Self.user)}"))
            #expect(plain?.names.count == 16)
            let array = try await store.export(id)
            #expect(
                array
                    == .of(
                        #"""
                        {\#(Self.user), "company": {"id": 1, "name": "Facebook"},
                        "notes": [{"destroy": null, "id": 1, "text": "text 1"},
                        {"destroy": true, "id": 14, "text": "text 14"}, {"destroy": null, "id": 7, "text": "text 7"}]}
                        """#))
            let nested = try await store.export(id, options: ExportOptions(relationships: .nested))
            #expect(
                nested
                    == .of(
                        #"""
                        {\#(Self.user), "company_attributes": {"id": 1, "name": "Facebook"},
                        "notes_attributes": {"0": {"_destroy": null, "id": 1, "text": "text 1"},
                        "1": {"_destroy": true, "id": 14, "text": "text 14"},
                        "2": {"_destroy": null, "id": 7, "text": "text 7"}}}
                        """#))
            #expect(nested?["notes_attributes"].names == ["0", "1", "2"])
            let ids = try await store.export(id, options: ExportOptions(relationships: .ids))
            #expect(ids == .of(#"{\#(Self.user), "company_id": 1, "notes_ids": [1, 14, 7]}"#))
            let camel = try await store.export(id, options: ExportOptions(relationships: .ids, names: .camelCase))
            #expect(camel?["companyId"] == 1)
            #expect(camel?["notesIds"] == [1, 14, 7])
        }
    }

    @Test("H10: destroy is _destroy in the nested style alone")
    func destroy() async throws {
        let schema = try schema("Model")
        try await withStores(of: schema, { $0.put("Note", in: schema, ["remoteID": 1, "destroy": true]) }) { store in
            for (style, key) in [(ExportOptions.RelationshipStyle.nested, "_destroy"), (.array, "destroy")] {
                let note = try await store.export(RecordID("Note", 1), options: ExportOptions(relationships: style))
                #expect(note?[key] == true)
            }
        }
    }

    @Test("V19 and test482: remote keys with dots are objects in each other")
    func keyPaths() async throws {
        let schema = try schema("Model")
        let values: [String: Value] = [
            "sync.id": 1, "snakeCaseDepthOne": "Value 1", "snakeCaseDepthTwo": "Value 2",
            "camelCaseDepthOne": "Value 3",
            "camelCaseDepthTwo": "Value 4",
        ]
        try await withStores(of: schema, { $0.put("KeyPath", in: schema, values) }) { store in
            let exported = try await store.export("KeyPath")
            #expect(
                exported
                    == .of(
                        #"""
                        [{"camelParent": {"valueOne": "Value 3", "depthOne": {"depthTwo": "Value 4"}},
                        "snake_parent": {"value_one": "Value 1", "depth_one": {"depth_two": "Value 2"}}}]
                        """#))
        }
    }
}
