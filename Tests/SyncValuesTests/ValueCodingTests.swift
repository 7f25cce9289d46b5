import DifferentialSyncTesting
import Foundation
import SyncValues
import TestSupport
import Testing

struct ValueCodingTests {
    @Test func trickyValuesAreDecodedAsTheyWere() throws {
        for value in trickyValues + [.array(trickyValues)] { try Self.check(value, "") }
    }

    @Test func randomValuesAreDecodedAsTheyWere() throws {
        let seed = SeededGenerator.testSeed(13)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 5_000 : 500) { try Self.check(generator.value(), "seed \(seed)") }
    }

    /// Foundation's coders give a value back, and have the same form as tagged text.
    static func check(_ value: Value, _ comment: Comment) throws {
        let data = try JSONEncoder().encode(value)
        let decoded = try JSONDecoder().decode(Value.self, from: data)
        #expect(decoded == value, comment)
        #expect(decoded.taggedJSON == value.taggedJSON, comment)
        #expect(try Value(taggedJSON: String(decoding: data, as: UTF8.self)) == value, comment)
        #expect(try JSONDecoder().decode(Value.self, from: Data(value.taggedJSON.utf8)) == value, comment)
    }

    @Test func formsAreAsDocumented() throws {
        for (value, text) in [
            (.null, "null"), (true, "true"), (3, "3"), (3.5, "3.5"), (3.0, #"{"double":3}"#), ("a", #""a""#),
            ([1, .null], "[1,null]"), (["b": 1, "a": [:]], #"{"object":["b",1,"a",{"object":[]}]}"#),
            (.double(.infinity), #"{"double":"inf"}"#), (.bytes(Data([1, 2, 3])), #"{"bytes":"AQID"}"#),
            (.date(Date(timeIntervalSinceReferenceDate: 1.5)), #"{"date":1.5}"#), (.decimal(2), #"{"decimal":"2"}"#),
        ] as [(Value, String)] {
            #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == text)
        }
    }

    @Test func strategiesOfACoderDoNotMatter() throws {
        struct Row: Codable, Equatable { var firstValue: Value }
        let value: Value = [
            "firstName": .date(Date(timeIntervalSinceReferenceDate: 0.1)), "last_name": .bytes(Data([1])),
            "$x": .double(.nan),
        ]
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        let row = try decoder.decode(Row.self, from: encoder.encode(Row(firstValue: value)))
        #expect(row.firstValue.taggedJSON == value.taggedJSON)
    }

    @Test func propertyListsGiveNumbersBack() throws {
        let encoder = PropertyListEncoder()
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            encoder.outputFormat = format
            for value in trickyValues where value.isNumber {
                let data = try encoder.encode([value])
                #expect(try PropertyListDecoder().decode([Value].self, from: data) == [value])
            }
        }
    }

    @Test(arguments: [
        "{}", #"{"a":1}"#, #"{"date":1,"uuid":"x"}"#, #"{"uuid":"x"}"#, #"{"uuid":1}"#, #"{"double":"1"}"#,
        #"{"decimal":"x"}"#, #"{"bytes":"*"}"#, #"{"object":{}}"#, #"{"object":["a"]}"#, #"{"object":[1,2]}"#,
        #"{"object":["a",1,"a",2]}"#,
    ])
    func otherFormsAreRefused(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Value.self, from: Data(text.utf8)) }
    }
}

extension Value {
    fileprivate var isNumber: Bool { kind == "integer" || kind == "double" || kind == "decimal" }
}
