import Foundation
import SyncPersistence
import Testing

/// The examples in the comments of `SyncValues`, and of `Records`, `Schema` and `Filter` in `SyncPersistence`.
struct DocCommentExamplesOfValues {
    @Test func literals() {
        let title: Value = "Milk"
        let tags: Value = ["food", "drink"]
        let place: Value = ["latitude": 60.17, "longitude": 24.94]
        #expect(title == .string("Milk"))
        #expect(tags == .array([.string("food"), .string("drink")]))
        #expect(place == ["longitude": 24.94, "latitude": 60.17])
    }

    @Test func readingJSON() throws {
        let data = Data(#"{"title": "Milk", "count": 2}"#.utf8)
        let value = try Value(json: data)
        let values = try results {
            try Value(json: #"{"title": "Milk", "count": 2}"#)
        }
        #expect(values[0] as? Value == value)
        #expect(value == ["title": "Milk", "count": 2])
    }

    @Test func readingStrictly() throws {
        func read(_ text: String) throws -> Value {
            var options = JSONOptions()
            options.refusesDuplicateNames = true
            let value = try Value(json: text, options: options)
            return value
        }
        #expect(try read(#"{"a": 1}"#) == ["a": 1])
        #expect(throws: JSONError.self) { try read(#"{"a": 1, "a": 2}"#) }
    }

    @Test func writingJSON() throws {
        let object = ValueObject([
            ValueObject.Member(name: "title", value: "Milk"), ValueObject.Member(name: "count", value: 2),
            ValueObject.Member(name: "price", value: 1.0),
        ])
        let value = Value.object(object)
        let date = Date(timeIntervalSinceReferenceDate: 788_918_400)
        let values = try results {
            try Value.object(object).json  // {"title":"Milk","count":2,"price":1.0}
            try value.json([.indented, .sortedNames])
            Value.array([1, 1.0, .date(date)]).taggedJSON  // [1,{"double":1.0},{"date":788918400.0}]
        }
        #expect(values[0] as? String == #"{"title":"Milk","count":2,"price":1.0}"#)
        #expect(values[1] as? String == "{\n  \"count\": 2,\n  \"price\": 1.0,\n  \"title\": \"Milk\"\n}")
        #expect(values[2] as? String == #"[1,{"double":1.0},{"date":788918400.0}]"#)
    }

    @Test func digests() throws {
        let record = try Record("Note", in: Schema.ofNotes(), ["id": 1, "text": "milk"])
        let seed: UInt64 = 7
        let storedDigest = ContentDigest.digest(of: [1, "milk"], seed: 7)
        let values = results {
            ContentDigest.digest(of: record.values, seed: seed) == storedDigest
        }
        #expect(values[0] as? Bool == true)
    }

    @Test func aSchema() throws {
        let schema = try Schema {
            Entity("Note") {
                Attribute("id", .uuid, isPrimaryKey: true)
                Attribute("text", .string, isOptional: false, default: "")
            }
        }
        #expect(schema["Note"]?.slots.map(\.name) == ["id", "text"])
    }

    @Test func properties() {
        let entity = Entity("Example") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("title", .string, isOptional: false, default: "untitled")
            Relationship("author", to: "User", inverse: "posts")
            Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)
        }
        #expect(entity.attributes.map(\.name) == ["id", "title"])
        #expect(entity.relationships.map(\.isToMany) == [false, true])
    }

    @Test func aRecord() throws {
        let schema = try DocCommentExamplesOfStores.schemaOfPosts()
        let values = try results {
            var user = try Record("User", in: schema, ["id": 7, "name": "Ada"])
            user["name"] = "Ada Lovelace"
            user.key  // 7
            user
        }
        #expect(values[1] as? Value == 7)
        #expect((values[2] as? Record)?["name"] == "Ada Lovelace")
    }

    @Test func filters() {
        let values = results {
            Field("author.name") == "Ada" && (Field("stars") > 3 || !Field("due").isNull)
            Field("id").isOne(of: [7, 8])
            Field("title").contains("milk", ignoringCase: true)
        }
        #expect(values.count == 3 && values.allSatisfy { $0 is Filter })
    }
}
