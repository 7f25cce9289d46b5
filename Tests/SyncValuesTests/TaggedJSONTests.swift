import DifferentialSyncTesting
import Foundation
import SyncValues
import TestSupport
import Testing

struct TaggedJSONTests {
    @Test func textsAreAsDocumented() throws {
        let uuid = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
        for (value, text) in [
            (.null, "null"), (.bool(true), "true"), (.bool(false), "false"), (-7, "-7"), ("a\"\n", #""a\"\n""#),
            (.integer(.min), "-9223372036854775808"), (1.5, "1.5"), (.double(1e-7), "1e-07"),
            (3.0, #"{"double":3.0}"#), (-0.0, #"{"double":-0.0}"#), (.double(1e100), #"{"double":1e+100}"#),
            (.double(.nan), #"{"double":"nan"}"#), (.double(-.infinity), #"{"double":"-inf"}"#),
            (.decimal(Decimal(string: "1.50")!), #"{"decimal":"1.5"}"#), (.decimal(.nan), #"{"decimal":"nan"}"#),
            (.decimal(Decimal(string: "-1e100")!), #"{"decimal":"-1e100"}"#),
            (.bytes(Data([1, 2, 3])), #"{"bytes":"AQID"}"#), (.bytes(Data()), #"{"bytes":""}"#),
            (.date(Date(timeIntervalSinceReferenceDate: 788_918_400.5)), #"{"date":788918400.5}"#),
            (.date(.distantFuture), #"{"date":63113904000.0}"#),
            (.uuid(UUID(uuidString: uuid)!), #"{"uuid":"\#(uuid)"}"#),
            (.url(URL(string: "https://example.org/a?b")!), #"{"url":"https://example.org/a?b"}"#),
            ([1, [], "x"], #"[1,[],"x"]"#),
            (["double": 1.5, "b": [:]], #"{"object":["double",1.5,"b",{"object":[]}]}"#),
        ] as [(Value, String)] {
            #expect(value.taggedJSON == text)
            #expect(try Value(taggedJSON: text) == value, "\(text)")
        }
    }

    @Test func trickyValuesAreReadAsTheyWere() throws {
        for value in trickyValues + [.array(trickyValues)] { try Self.check(value, "") }
    }

    @Test func randomValuesAreReadAsTheyWere() throws {
        let seed = SeededGenerator.testSeed(5)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 50_000 : 2_000) { try Self.check(generator.value(), "seed \(seed)") }
    }

    static func check(_ value: Value, _ comment: Comment) throws {
        let text = value.taggedJSON
        let read = try Value(taggedJSON: text)
        #expect(read == value, comment)
        // What equality does not see: the sign of a zero, and the order of members.
        #expect(read.taggedJSON == text, comment)
        _ = try Value(json: text)
    }

    @Test func allBitsOfADateAreKept() throws {
        let seed = SeededGenerator.testSeed(6)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 100_000 : 5_000) {
            let interval = generator.happens(0.5) ? generator.finiteDouble() : Double(generator.next() >> 11) / 0x1p22
            let value = Value.date(Date(timeIntervalSinceReferenceDate: interval))
            guard case .date(let date) = try Value(taggedJSON: value.taggedJSON) else { continue }
            #expect(date.timeIntervalSinceReferenceDate.bitPattern == interval.bitPattern, "\(interval), seed \(seed)")
        }
    }

    @Test func spaceAndOtherNumbersAreAllowed() throws {
        #expect(try Value(taggedJSON: #" { "double" : 3 } "#) == 3.0)
        #expect(try Value(taggedJSON: #"{"date":12}"#) == .date(Date(timeIntervalSinceReferenceDate: 12)))
        #expect(try Value(taggedJSON: #"{"double":-0}"#).taggedJSON == #"{"double":-0.0}"#)
        #expect(try Value(taggedJSON: #"{ "object" : [ "a" , 1 ] }"#) == ["a": 1])
        #expect(try Value(taggedJSON: #"{"decimal":"100e-2"}"#) == .decimal(1))
    }

    @Test(arguments: [
        (
            "{}",
            #"line 1, column 2 (byte 1): expected one of the tags "double", "decimal", "bytes", "date", "uuid", "url", "object", found '}'"#
        ),
        (
            #"{"a":1}"#,
            #"line 1, column 2 (byte 1): expected one of the tags "double", "decimal", "bytes", "date", "uuid", "url", "object", found '"'"#
        ),
        (#"{"uuid":1}"#, "line 1, column 9 (byte 8): expected a UUID in quotes, found something else"),
        (#"{"uuid":"1"}"#, "line 1, column 9 (byte 8): expected a UUID in quotes, found something else"),
        (#"{"bytes":"*"}"#, "line 1, column 10 (byte 9): expected base64 in quotes, found something else"),
        (
            #"{"decimal":"1.5.5"}"#,
            "line 1, column 12 (byte 11): expected a decimal number in quotes, found something else"
        ),
        (
            #"{"decimal":"1e200"}"#,
            "line 1, column 12 (byte 11): expected a decimal number in quotes, found something else"
        ),
        (
            #"{"double":"1"}"#,
            #"line 1, column 11 (byte 10): expected a number, "inf", "-inf" or "nan", found something else"#
        ),
        (
            #"{"date":null}"#,
            #"line 1, column 9 (byte 8): expected a number, "inf", "-inf" or "nan", found something else"#
        ),
        (#"{"date":1,"uuid":2}"#, "line 1, column 10 (byte 9): expected '}' after the content of the tag, found ','"),
        (#"{"object":{}}"#, "line 1, column 11 (byte 10): expected an array of names and values, found something else"),
        (
            #"{"object":["a"]}"#,
            "line 1, column 15 (byte 14): expected an array of names and values, found something else"
        ),
        (#"{"object":[1]}"#, "line 1, column 12 (byte 11): expected a name in quotes, found '1'"),
        (#"{"object":["a",1,]}"#, "line 1, column 18 (byte 17): expected a name in quotes, found ']'"),
        (#"{"object":["a",1}"#, "line 1, column 17 (byte 16): expected ',' or ']', found '}'"),
        (
            #"{"object":["a",1]"#,
            "line 1, column 18 (byte 17): expected '}' after the content of the tag, found the end of the text"
        ),
        (
            #"{"object":["a",1,"a",2]}"#,
            "line 1, column 18 (byte 17): expected names that are unique in their object, found a name for the second time"
        ),
    ])
    func otherTextsAreRefused(text: String, message: String) throws {
        let error = try #require(throws: JSONError.self) { try Value(taggedJSON: text) }
        #expect("\(error)" == message)
    }

    @Test func depthIsLimited() throws {
        let deep = String(repeating: #"{"object":["a",["#, count: 512) + String(repeating: "]]}", count: 512)
        #expect(try Value(taggedJSON: deep).taggedJSON == deep)
        #expect(throws: JSONError.self) { try Value(taggedJSON: "[\(deep)]") }
    }
}

/// Objects of plain JSON of which some members are in the tagged form.
struct TaggedMembersTests {
    @Test func onlyTheNamedMembersAreTagged() throws {
        let object = ValueObject([
            ValueObject.Member(name: "plain", value: ["a": [1, ["b": .null]]]),
            ValueObject.Member(name: "tagged", value: [["a": [1.0, ["b": .bytes(Data([1]))]]]]),
            ValueObject.Member(name: "after", value: [:]),
        ])
        let text =
            #"{"plain":{"a":[1,{"b":null}]},"tagged":[{"object":["a",[{"double":1.0},{"object":["b",{"bytes":"AQ=="}]}]]}],"after":{}}"#
        #expect(String(decoding: try object.jsonBytes(tagged: ["tagged"]), as: UTF8.self) == text)
        #expect(try ValueObject(json: text.utf8, tagged: ["tagged"]) == object)
        #expect(try ValueObject(json: " { } ".utf8, tagged: []) == ValueObject())
    }

    @Test func randomMembersAreReadAsTheyWere() throws {
        let seed = SeededGenerator.testSeed(8)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 20_000 : 500) {
            let object = ValueObject([
                ValueObject.Member(name: "a", value: generator.value()),
                ValueObject.Member(name: "b", value: generator.plainValue()),
                ValueObject.Member(name: "c", value: generator.value()),
                ValueObject.Member(name: "d", value: generator.plainValue()),
            ])
            let bytes = try object.jsonBytes(tagged: ["a", "c"])
            #expect(try ValueObject(json: bytes, tagged: ["a", "c"]) == object, "seed \(seed)")
        }
    }

    @Test(arguments: [
        ("", "line 1, column 1 (byte 0): expected an object, found the end of the text"),
        ("[1]", "line 1, column 1 (byte 0): expected an object, found '['"),
        (#"{"a":1,}"#, "line 1, column 8 (byte 7): expected a name in quotes, found '}'"),
        (#"{"a" 1}"#, "line 1, column 6 (byte 5): expected ':' after the name, found '1'"),
        (#"{"a":1"#, "line 1, column 7 (byte 6): expected ',' or '}', found the end of the text"),
        (#"{"a":1} 2"#, "line 1, column 9 (byte 8): expected nothing after the value, found '2'"),
        (
            #"{"a":1,"a":2}"#,
            "line 1, column 8 (byte 7): expected names that are unique in their object, found a name for the second time"
        ),
    ])
    func otherTextsAreRefused(text: String, message: String) throws {
        let error = try #require(throws: JSONError.self) { try ValueObject(json: text.utf8, tagged: []) }
        #expect("\(error)" == message)
    }

    @Test func aValueThatPlainJSONHasNoFormForIsRefusedWithItsPath() throws {
        let object = ValueObject([ValueObject.Member(name: "a", value: [1, .double(.nan)])])
        let error = try #require(throws: JSONRepresentationError.self) { try object.jsonBytes(tagged: []) }
        #expect(error.path == ".a[1]")
    }
}
