import EntitySync
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about the values that a record takes from an object; the comments name the cases.
@Suite(.needsStores) struct CatalogueFillTests {
    /// Returns the person that an object without a key makes.
    private func person(
        _ kind: StoreKind, _ object: Value, options: SyncOptions = SyncOptions()
    ) async throws -> Record {
        let store = try await CatalogueStore(kind)
        guard case .object(var object) = object else { throw CancellationError() }
        object["id"] = 1
        return try #require(try await store.insertOrUpdate(.object(object), into: "Person", options: options).record)
    }

    // V01
    @Test(arguments: StoreKind.allCases)
    func valuesOfEachTypeAreFilled(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        var options = SyncOptions()
        options.transformers["UnescapingTransformer"] = AttributeTransformer { value in
            guard case .string(let text) = value else { return nil }
            return .string(text.replacing("&lt;", with: "<"))
        }
        let json = """
            {"id": 2, "count": -64, "count_text": "64", "small": 16, "middle": 32, "price": 7.25, "price_text": "7.25",
             "ratio": 0.5, "ratio_text": "0.5", "share": 1.5, "share_text": "1.5", "title": "opening",
             "is_open": true, "photo": "AQID", "escaped_title": "tea &lt; coffee",
             "code": "0b0e9f0c-8c43-4a3a-9a2b-5a86f9a3f7d1", "page": "https://festival.example/day?n=2"}
            """
        try await store.sync(Value(json: json), into: "Sample", options: options)
        let record = try await store.record("Sample", 2)
        let price = Value.decimal(try #require(Decimal(string: "7.25")))
        let expected: [String: Value] = [
            "count": -64, "countText": 64, "small": 16, "middle": 32, "price": price, "priceText": price, "ratio": 0.5,
            "ratioText": 0.5, "share": 1.5, "shareText": 1.5, "title": "opening", "isOpen": true,
            "photo": .bytes(Data([1, 2, 3])), "escapedTitle": "tea < coffee", "plan": .null,
            "code": .uuid(try #require(UUID(uuidString: "0B0E9F0C-8C43-4A3A-9A2B-5A86F9A3F7D1"))),
            "page": .url(try #require(URL(string: "https://festival.example/day?n=2"))),
        ]
        for (name, value) in expected { #expect(record[name] == value, "\(name)") }
    }

    // V03, V05, V07, V10
    @Test(arguments: StoreKind.allCases)
    func namesInSnakeCaseFillTheirAttributes(kind: StoreKind) async throws {
        let person = try await person(
            kind, ["first_name": "Nils", "years": 52, "birth_date": "1971-03-09T00:00:00+00:00", "contract_id": 900])
        #expect(person["firstName"] == "Nils")
        #expect(person["years"] == 52)
        #expect(person["birthDate"] == .date(try day("1971-03-09")))
        #expect(person["contractID"] == 900)
    }

    // V08
    @Test(arguments: StoreKind.allCases)
    func valuesThatAnObjectOmitsAreKept(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        try await store.adapter.insertOrUpdate(
            ["id": 1, "first_name": "Nils", "last_name": "Berg", "years": 52], into: "Person")
        let synced = try await store.adapter.update("Person", 1, with: ["first_name": "Nina"])
        let (record, result) = (synced.record, synced.result)
        #expect(record?["firstName"] == "Nina")
        #expect(record?["lastName"] == "Berg")
        #expect(result["Person"].updated.map(\.properties) == [["firstName"]])
    }

    // V09
    @Test(arguments: StoreKind.allCases)
    func equalValuesAreNoChange(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let json: Value = ["id": 1, "first_name": "Nils", "last_name": "Berg", "years": 52]
        try await store.adapter.insertOrUpdate(json, into: "Person")
        let result = try await store.adapter.insertOrUpdate(json, into: "Person").result
        #expect(result.isUnchanged)
        #expect(result["Person"].count == 0)
    }

    // V11
    @Test(arguments: StoreKind.allCases)
    func anArrayIsStoredAsBytes(kind: StoreKind) async throws {
        let hobbies = try await person(kind, ["hobbies": ["chess", "choir"]])["hobbies"]
        guard case .bytes(let bytes) = hobbies else {
            Issue.record("\(hobbies)")
            return
        }
        #expect(try Value(json: bytes) == ["chess", "choir"])
    }

    // V14
    @Test(arguments: StoreKind.allCases)
    func datesWithAndWithoutTimeAreRead(kind: StoreKind) async throws {
        let person = try await person(
            kind, ["created_at": "2019-11-30T00:00:00+00:00", "updated_at": "2019-12-01", "visit_count": 6])
        #expect(person["createdAt"] == .date(try day("2019-11-30")))
        #expect(person["updatedAt"] == .date(try day("2019-12-01")))
        #expect(person["visitCount"] == 6)
    }

    // V15
    @Test(arguments: StoreKind.allCases)
    func remoteKeysFillTheirAttributes(kind: StoreKind) async throws {
        let person = try await person(kind, ["age_in_years": 33, "driver_number_text": "77", "status": "crew"])
        #expect(person["years"] == 33)
        #expect(person["driverNumber"] == "77")
        #expect(person["rawStatus"] == "crew")
    }

    // V16
    @Test(arguments: StoreKind.allCases)
    func textInATransformableAttributeNeedsATransformer(kind: StoreKind) async throws {
        #expect(try await person(kind, ["free_form": "unknown form"])["freeForm"].isNull)
    }

    // V17
    @Test(arguments: StoreKind.allCases)
    func aTransformerFillsATransformableAttribute(kind: StoreKind) async throws {
        var options = SyncOptions()
        options.transformers["StampTransformer"] = AttributeTransformer { value in
            guard case .string(let text) = value, let seconds = Double(text.filter(\.isNumber)) else { return nil }
            return .date(Date(timeIntervalSince1970: seconds))
        }
        let person = try await person(kind, ["stamped_day": "stamp:1577836800"], options: options)
        // The attribute keeps JSON, in which a date is text.
        #expect(person["stampedDay"] == "2020-01-01T00:00:00Z")
    }

    // V19
    @Test(arguments: StoreKind.allCases)
    func valuesInNestedObjectsAreReadByTheirPath(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let json: Value = ["id": 1, "lower_case": ["value_one": "outer", "level_one": ["level_two": "inner"]]]
        let record = try await store.insertOrUpdate(json, into: "Reading").record
        #expect(record?["snakeOne"] == "outer")
        #expect(record?["snakeTwo"] == "inner")
    }

    // F01
    @Test(arguments: StoreKind.allCases)
    func recordsThatNameEachOtherAreConnected(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let json: Value = ["id": 6, "chef": ["id": 7], "dishes": [["id": 8, "chef": ["id": 7]]]]
        #expect(try await store.adapter.sync(json, into: "Menu").reports.isEmpty)
        for entity in ["Chef", "Dish", "Menu"] { #expect(try await store.count(entity) == 1, "\(entity)") }
        #expect(try await store.related("Chef", 7, "dish") == [8])
        #expect(try await store.related("Chef", 7, "menu") == [6])
        #expect(try await store.related("Dish", 8, "menu") == [6])
        #expect(try await store.adapter.sync(json, into: "Menu").isUnchanged)
    }

    // F02
    @Test(arguments: StoreKind.allCases)
    func anObjectIsStoredAsBytes(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let record = try await store.insertOrUpdate(
            ["id": "live", "coverImage": ["file": "front.png", "height": 600]], into: "Album"
        ).record
        #expect(record?["coverImage"] == .bytes(Data(#"{"file":"front.png","height":600}"#.utf8)))
    }

    // F03
    @Test(arguments: StoreKind.allCases)
    func anAttributeThatIsNotExportedIsImported(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let record = try await store.insertOrUpdate(["id": 9, "secret": "tulip"], into: "Account").record
        #expect(record?["id"] == 9)
        #expect(record?["secret"] == "tulip")
    }
}
