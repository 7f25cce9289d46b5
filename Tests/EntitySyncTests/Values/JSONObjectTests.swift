import EntitySync
import Foundation
import SyncPersistence
import TestSupport
import Testing

struct JSONObjectTests {
    private static let text = """
        [{"id": 7, "name": "Ada", "is_admin": true, "is_new": false, "one": 1, "zero": 0, "ratio": 1.0, "half": 0.5,
          "big": 9223372036854775807, "negative": -3, "nothing": null, "notes": [{"id": 1, "tags": ["a", []]}], "none": {}}]
        """

    @Test func objectsReadLikeTheirText() throws {
        let object = try JSONSerialization.jsonObject(with: Data(Self.text.utf8))
        let value = try Value(jsonObject: object)
        guard case .array(let users) = value, case .object(let user)? = users.first else {
            Issue.record("\(value) is no list of users")
            return
        }
        #expect(user["is_admin"] == true)
        #expect(user["is_new"] == false)
        #expect(user["one"] == 1)
        #expect(user["zero"] == 0)
        #expect(user["half"] == 0.5)
        #expect(user["big"] == .integer(.max))
        #expect(user["negative"] == -3)
        #expect(user["nothing"] == .null)
        #expect(user["notes"] == [["id": 1, "tags": ["a", []]]])
        #expect(user["none"] == [:])
    }

    @Test func numbersOfSwiftAndObjectiveCAreRead() throws {
        let numbers: [(Any, Value)] = [
            (true, true), (NSNumber(value: true), true), (NSNumber(value: false), false), (1, 1),
            (NSNumber(value: 1), 1),
            (NSNumber(value: Int8(1)), 1), (UInt8(0), 0), (NSNumber(value: 0), 0), (1.0, 1.0),
            (NSNumber(value: 1.5), 1.5), (Float(0.5), 0.5), (Int64.min, .integer(.min)),
            (NSNumber(value: UInt64(7)), 7), (UInt64.max, .decimal(Decimal(UInt64.max))),
            (NSNumber(value: UInt64.max), .decimal(Decimal(UInt64.max))),
            (NSDecimalNumber(string: "12.50"), .decimal(Decimal(string: "12.5")!)),
            (Decimal(string: "0.1")!, .decimal(Decimal(string: "0.1")!)),
        ]
        for (number, value) in numbers { #expect(try Value(jsonObject: number) == value, "\(number)") }
    }

    @Test func optionalsDatesAndEncodablesAreRead() throws {
        let date = Date(timeIntervalSinceReferenceDate: 7)
        let url = URL(string: "https://example.org")!
        let object: [String: Any] = [
            "nil": Int?.none as Any, "some": Int?.some(3) as Any, "null": NSNull(), "date": date, "url": url,
            "nested": ["a": nil, "b": [1, nil]] as [String: Any?], "text": NSString(string: "x"),
            "list": NSArray(array: [1, NSNull()]), "map": NSDictionary(dictionary: ["k": true]),
            "value": Value.string("v"), "optional": [String: Any]?.some(["x": 1]) as Any,
        ]
        let expected: Value = [
            "date": .date(date), "list": [1, nil], "map": ["k": true], "nested": ["a": nil, "b": [1, nil]], "nil": nil,
            "null": nil, "optional": ["x": 1], "some": 3, "text": "x", "url": .url(url), "value": "v",
        ]
        #expect(try Value(jsonObject: object) == expected)
        struct Point: Encodable {
            let x = 1
        }
        #expect(try Value(jsonObject: [Point()]) == [["x": 1]])
        #expect(try Value(jsonObject: [["p": Point()] as [String: Any]]) == [["p": ["x": 1]]])
    }

    @Test func errorsNameThePathOfUnsupportedValues() throws {
        final class Photo {}
        let cases: [(Any, String)] = [
            (
                [["id": 1], ["id": 2, "photo": [Photo()]]] as [[String: Any]],
                "the value at [1].photo[0] is a value of the type Photo, which JSON cannot hold: pass text, a number or null "
                    + "instead"
            ),
            (
                Photo(),
                "the payload is a value of the type Photo, which JSON cannot hold: pass text, a number or null instead"
            ),
            (
                ["a": [Double.infinity]] as [String: Any],
                "the value at a[0] is inf, which JSON cannot hold: pass text, a number or null instead"
            ),
            (
                ["a": NSNumber(value: Double.nan)] as [String: Any],
                "the value at a is nan, which JSON cannot hold: pass text, a number or null instead"
            ),
            (
                [[1: "a"]] as [Any],
                "the value at [0] has a member whose name is no text: JSON has none; give it text for names"
            ),
        ]
        for (object, message) in cases {
            let error = #expect(throws: SyncError.self, "\(message)") { try Value(jsonObject: object) }
            #expect(error?.code == .noJSON)
            #expect(error?.message == message)
        }
    }

    @Test func tooDeepObjectsAreRefused() throws {
        var object: Any = 1
        for _ in 0..<2_000 { object = [object] }
        let error = #expect(throws: PersistenceError.self) { try Value(jsonObject: object) }
        #expect(error?.code == .tooDeep)
        var fitting: Any = 1
        for _ in 0..<512 { fitting = ["a": fitting] as [String: Any] }
        #expect(throws: Never.self) { try Value(jsonObject: fitting) }
    }

    @Test func objectsAreWrittenBackAsTheyWereRead() throws {
        // It writes 1.0 as 1.
        let value = try Value(json: Self.text.replacing("1.0", with: "1.25"))
        let data = try JSONSerialization.data(withJSONObject: value.jsonObject)
        #expect(try Value(json: String(decoding: data, as: UTF8.self)) == value)
        #expect(try Value(jsonObject: value.jsonObject) == value)
        let others: Value = [
            "d": .date(Date(timeIntervalSinceReferenceDate: 0)), "b": .bytes(Data([1])), "n": .decimal(2),
        ]
        let object = try #require(others.jsonObject as? [String: Any])
        #expect(object["d"] as? String == "2001-01-01T00:00:00Z")
        #expect(object["b"] as? String == "AQ==")
        #expect(JSONSerialization.isValidJSONObject(object))
    }

    @Test(arguments: StoreKind.allCases) @MainActor
    func syncsAsItsTextDoes(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Attribute("isAdmin", .bool)
                Attribute("one", .integer)
                Relationship("notes", toMany: "Note", inverse: "user")
            }
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("user", to: "User", inverse: "notes")
            }
        }
        let (store, other) = (try await SyncStore(kind, schema), try await SyncStore(kind, schema))
        let users = try #require(
            JSONSerialization.jsonObject(with: Data(Self.text.utf8)) as? [[String: Any]])
        let result = try await store.adapter.sync(jsonObject: users, into: "User")
        #expect(result["User"].inserted.count == 1)
        try await other.sync(Self.text, into: "User")
        #expect(try await store.contents() == other.contents())
        #expect(try await store.adapter.sync(jsonObject: users, into: "User").isUnchanged)
        let user = try await store.adapter.insertOrUpdate(jsonObject: ["id": "8", "name": NSNull()], into: "User")
            .record
        #expect(user?.key == 8)
        await #expect(throws: SyncError.self) {
            try await store.adapter.sync(jsonObject: [["id": 9, "name": Double.nan]], into: "User")
        }
        #expect(try await store.keys("User") == [7, 8])
    }

    @Test func tooDeepPartsBecomeTheirDescription() throws {
        var list: Value = 1
        var object: Value = 1
        for _ in 0..<10_000 {
            list = [list]
            object = ["a": object]
        }
        var (inner, depth) = (list.jsonObject, 0)
        while let elements = inner as? [Any], let first = elements.first { (inner, depth) = (first, depth + 1) }
        #expect((inner as? String)?.hasPrefix("[[[") == true)
        #expect(depth == JSONOptions().depthLimit)
        (inner, depth) = (object.jsonObject, 0)
        while let members = inner as? [String: Any], let member = members["a"] { (inner, depth) = (member, depth + 1) }
        #expect((inner as? String)?.hasPrefix("{") == true)
        #expect(depth == JSONOptions().depthLimit)
    }
}
