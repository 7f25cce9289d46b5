import EntitySync
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about what a record takes over of an object.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of conformance cases is not there; set DIFFSYNC_SHARED"))
struct CatalogueFillTests {
    /// The user that an object without a key makes.
    private func user(
        _ kind: StoreKind, _ object: Value, options: SyncOptions = SyncOptions()
    ) async throws -> Record {
        let store = try await CatalogueStore(kind, model: "Model")
        guard case .object(var object) = object else { throw CancellationError() }
        object["id"] = 1
        return try #require(try await store.insertOrUpdate(.object(object), into: "User", options: options).record)
    }

    @Test("V01: values of each type", arguments: StoreKind.allCases)
    func v01(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Model", keyed: ["Attribute"])
        var options = SyncOptions()
        options.transformers["SyncTestValueTransformer"] = AttributeTransformer { value in
            guard case .string(let text) = value else { return nil }
            return .string(text.split(separator: "&amp;", omittingEmptySubsequences: false).joined(separator: "&"))
        }
        let json = """
            {"id": 1, "integer_string": "16", "integer16": 16, "integer32": 32, "integer64": 64,
             "decimal_string": "12.2", "decimal": 12.2, "double_value_string": "12.2", "double_value": 12.2,
             "float_value_string": "12.2", "float_value": 12.2, "string": "string", "boolean": true,
             "binary_data": "Data", "custom_transformer_string": "Foo &amp; bar",
             "uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "uri": "https://www.apple.com/"}
            """
        try await store.sync(Value(json: json), into: "Attribute", options: options)
        let record = try await store.record("Attribute", 1)
        let expected: [String: Value] = [
            "integerString": 16, "integer16": 16, "integer32": 32, "integer64": 64,
            "decimalString": .decimal(try #require(Decimal(string: "12.2"))),
            "decimal": .decimal(try #require(Decimal(string: "12.2"))), "doubleValueString": 12.2,
            "doubleValue": 12.2, "floatValueString": 12.2, "floatValue": 12.2, "string": "string", "boolean": true,
            "binaryData": .bytes(try #require(Data(base64Encoded: "Data"))), "customTransformerString": "Foo & bar",
            "transformable": .null,
            "uuid": .uuid(try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))),
            "uri": .url(try #require(URL(string: "https://www.apple.com/"))),
        ]
        for (name, value) in expected { #expect(record[name] == value, "\(name)") }
    }

    @Test("V03: a name in snake case", arguments: StoreKind.allCases)
    func v03(kind: StoreKind) async throws {
        #expect(try await user(kind, ["first_name": "Jane"])["firstName"] == "Jane")
    }

    @Test("V05: the attribute's own name beside a remote key", arguments: StoreKind.allCases)
    func v05(kind: StoreKind) async throws {
        #expect(try await user(kind, ["age": 24])["age"] == 24)
    }

    @Test("V07: a date", arguments: StoreKind.allCases)
    func v07(kind: StoreKind) async throws {
        #expect(
            try await user(kind, ["birth_date": "1989-02-14T00:00:00+00:00"])["birthDate"]
                == .date(try day("1989-02-14")))
    }

    @Test("V08: what an object does not have stays", arguments: StoreKind.allCases)
    func v08(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Model")
        try await store.adapter.insertOrUpdate(
            ["id": 1, "first_name": "Jane", "last_name": "Hyperseed", "age": 24], into: "User")
        let (record, result) = try await store.adapter.update("User", 1, with: ["first_name": "Jeanet"])
        #expect(record?["firstName"] == "Jeanet")
        #expect(record?["lastName"] == "Hyperseed")
        #expect(result["User"].updated.map(\.properties) == [["firstName"]])
    }

    @Test("V09: equal values are no change", arguments: StoreKind.allCases)
    func v09(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Model")
        let json: Value = ["id": 1, "first_name": "Jane", "last_name": "Hyperseed", "age": 24]
        try await store.adapter.insertOrUpdate(json, into: "User")
        let (_, result) = try await store.adapter.insertOrUpdate(json, into: "User")
        #expect(result.isUnchanged)
        #expect(result["User"].count == 0)
    }

    @Test("V10: an acronym", arguments: StoreKind.allCases)
    func v10(kind: StoreKind) async throws {
        #expect(try await user(kind, ["contract_id": 100])["contractID"] == 100)
    }

    @Test("V11: an array as bytes", arguments: StoreKind.allCases)
    func v11(kind: StoreKind) async throws {
        let hobbies = try await user(kind, ["hobbies": ["football", "soccer", "code"]])["hobbies"]
        guard case .bytes(let bytes) = hobbies else {
            Issue.record("\(hobbies)")
            return
        }
        #expect(try Value(json: bytes) == ["football", "soccer", "code"])
    }

    @Test("V14: dates with and without time", arguments: StoreKind.allCases)
    func v14(kind: StoreKind) async throws {
        let user = try await user(
            kind,
            [
                "created_at": "2014-01-01T00:00:00+00:00", "updated_at": "2014-01-02", "number_of_attendes": 20,
            ])
        #expect(user["createdAt"] == .date(try day("2014-01-01")))
        #expect(user["updatedAt"] == .date(try day("2014-01-02")))
        #expect(user["numberOfAttendes"] == 20)
    }

    @Test("V15: remote keys, one of them a reserved word", arguments: StoreKind.allCases)
    func v15(kind: StoreKind) async throws {
        let user = try await user(kind, ["age_of_person": 20, "driver_identifier_str": "123", "signed": "salesman"])
        #expect(user["age"] == 20)
        #expect(user["driverIdentifier"] == "123")
        #expect(user["rawSigned"] == "salesman")
    }

    @Test("V16: text for a transformable attribute without a transformer", arguments: StoreKind.allCases)
    func v16(kind: StoreKind) async throws {
        #expect(try await user(kind, ["ignore_transformable": "I'm transformable"])["ignoreTransformable"].isNull)
    }

    @Test("V17: a transformable attribute with a transformer", arguments: StoreKind.allCases)
    func v17(kind: StoreKind) async throws {
        var options = SyncOptions()
        options.transformers["DateStringTransformer"] = AttributeTransformer { value in
            guard case .string(let text) = value, let millis = Double(text.filter(\.isNumber)) else { return nil }
            return .date(Date(timeIntervalSince1970: millis / 1_000))
        }
        let user = try await user(kind, ["registered_transformable": "/Date(1451606400000)/"], options: options)
        // It is kept as JSON, where a date is text.
        #expect(user["registeredTransformable"] == "2016-01-01T00:00:00Z")
    }

    @Test("V19: values deeper in the object", arguments: StoreKind.allCases)
    func v19(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Model", keyed: ["KeyPath"])
        let json: Value = [
            "id": 1, "snake_parent": ["value_one": "Value 1", "depth_one": ["depth_two": "Value 2"]],
        ]
        let (record, _) = try await store.insertOrUpdate(json, into: "KeyPath")
        #expect(record?["snakeCaseDepthOne"] == "Value 1")
        #expect(record?["snakeCaseDepthTwo"] == "Value 2")
    }

    @Test("F01: owner, list and task name each other", arguments: StoreKind.allCases)
    func f01(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "112")
        let json: Value = ["id": 1, "owner": ["id": 1], "tasks": [["id": 1, "owner": ["id": 1]]]]
        #expect(try await store.adapter.sync(json, into: "TaskList").reports.isEmpty)
        for entity in ["Owner", "Task", "TaskList"] { #expect(try await store.count(entity) == 1, "\(entity)") }
        #expect(try await store.related("Owner", 1, "task") == [1])
        #expect(try await store.related("Owner", 1, "taskList") == [1])
        #expect(try await store.related("Task", 1, "taskList") == [1])
        #expect(try await store.adapter.sync(json, into: "TaskList").isUnchanged)
    }

    @Test("F02: an object as bytes", arguments: StoreKind.allCases)
    func f02(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "121")
        let (record, _) = try await store.insertOrUpdate(
            ["id": "1", "coverPhoto": ["url": "http://x.com/1.png", "width": 3]], into: "Album")
        let json = #"{"url":"http://x.com/1.png","width":3}"#
        #expect(record?["coverPhoto"] == .bytes(Data(json.utf8)))
    }

    @Test("F03: an attribute that is not exported is imported", arguments: StoreKind.allCases)
    func f03(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "123")
        let (record, _) = try await store.insertOrUpdate(["id": 1, "name": "Ignore me"], into: "User")
        #expect(record?["id"] == 1)
        #expect(record?["name"] == "Ignore me")
    }
}
