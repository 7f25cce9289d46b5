import Foundation
import RecordFiles
import Testing

struct JSONDocumentTests {
    static func read(_ text: String) throws -> JSONValue {
        try JSONDocument(Array(text.utf8)).root
    }

    /// The error of reading a text, as `line:column: what was found, what was expected`; nil if there is none.
    static func error(_ bytes: some Collection<UInt8>) -> String? {
        do throws(JSONError) {
            _ = try JSONDocument(bytes)
            return nil
        } catch {
            return "\(error.location): \(error)"
        }
    }

    static func error(_ text: String) -> String? { error(Array(text.utf8)) }

    @Test func valuesAreRead() throws {
        #expect(try Self.read(" null ") == .null)
        #expect(try Self.read("\t[true, false]\r\n") == .array([.bool(true), .bool(false)]))
        #expect(try Self.read("[]") == .array([]))
        #expect(try Self.read("{ }") == .object([:]))
        #expect(
            try Self.read(#"{"a": {"b": [1, {"c": "d"}]}, "": 2}"#)
                == .object([
                    "a": .object(["b": .array([.number("1"), .object(["c": "d"])])]), "": .number("2"),
                ]))
        #expect(
            try Self.read(#""\" \\ \/ \b \f \n \r \t \u0041 \u00e9 \uD83D\uDE00 é 😀""#)
                == "\" \\ / \u{8} \u{C} \n \r \t A é 😀 é 😀")
        #expect(try Self.read("\"\u{2028}\u{7F}\"") == "\u{2028}\u{7F}")
    }

    @Test(arguments: [
        "0", "-0", "1", "10", "-1.50", "1e9", "1E+09", "0.1e-7", "1e999999999999", "-1e-999999999999",
        "123456789012345678901234567890.123456789012345678901234567890",
    ])
    func numbersKeepTheirDigits(text: String) throws {
        #expect(try Self.read(text) == .number(text))
        #expect(try Self.read("[\(text)]").description == "[\(text)]")
    }

    @Test(arguments: [
        ("", "1:1: found the end of the file, expected a value"),
        (" \n ", "2:2: found the end of the file, expected a value"),
        ("}", "1:1: found '}', expected a value"),
        ("[1,]", "1:4: found ']', expected a value"),
        ("[,1]", "1:2: found ',', expected a value"),
        ("[1 2]", "1:4: found '2', expected ',' or ']'"),
        ("[1,\n  2", "2:4: found the end of the file, expected ',' or ']'"),
        ("{,}", "1:2: found ',', expected a name or '}'"),
        ("{a: 1}", "1:2: found 'a', expected a name or '}'"),
        (#"{"a" 1}"#, "1:6: found '1', expected ':'"),
        (#"{"a": 1,}"#, "1:9: found '}', expected a name"),
        (#"{"a": 1; "b": 2}"#, "1:8: found ';', expected ',' or '}'"),
        (
            #"{"a": 1, "b": 2, "a": 3}"#,
            #"1:18: found the name "a" again, expected it once in an object, as at 1:2"#
        ),
        ("[1] [2]", "1:5: found '[', expected the end of the file"),
        ("1 // one", "1:3: found '/', expected the end of the file"),
        ("nul", "1:1: found 'nul', expected a value, such as \"text\", 1, true, false or null"),
        ("NaN", "1:1: found 'NaN', expected a value, such as \"text\", 1, true, false or null"),
        ("trueish", "1:1: found 'trueish', expected a value, such as \"text\", 1, true, false or null"),
        (
            "[abcdefghijklmnopqrstuvwxyz]",
            "1:2: found 'abcdefghijklmnopqrst…', expected a value, such as \"text\", 1, true, false or null"
        ),
        ("é", "1:1: found 'é', expected a value"),
        ("[1,\u{7}]", "1:4: found the control character U+0007, expected a value"),
        ("[\u{200B}]", "1:2: found the control character U+200B, expected a value"),
        ("'a'", "1:1: found ''', expected a value"),
        ("01", "1:2: found '1', expected no digit after a leading 0"),
        ("-01", "1:3: found '1', expected no digit after a leading 0"),
        ("1.", "1:3: found the end of the file, expected a digit after the decimal point"),
        ("[1.]", "1:4: found ']', expected a digit after the decimal point"),
        (".5", "1:1: found '.', expected a value"),
        ("+1", "1:1: found '+', expected a value"),
        ("-", "1:2: found the end of the file, expected a digit"),
        ("-a", "1:2: found 'a', expected a digit"),
        ("1e", "1:3: found the end of the file, expected a digit in the exponent"),
        ("1e+", "1:4: found the end of the file, expected a digit in the exponent"),
        ("0x10", "1:2: found 'x', expected the end of the file"),
        ("1_000", "1:2: found '_', expected the end of the file"),
        (
            #"["é😀", "abc"#,
            "1:12: found the end of the file, expected '\"' to end the string that begins at 1:8"
        ),
        ("\"a\nb\"", "1:3: found the end of the line in a string, expected it escaped, or '\"' before it"),
        (
            "\"a\tb\"",
            "1:3: found the control character U+0009 in a string, expected it escaped, or '\"' before it"
        ),
        (#""\x""#, "1:3: found 'x', expected one of \" \\ / b f n r t u after a backslash"),
        (#""\"#, "1:3: found the end of the file, expected one of \" \\ / b f n r t u after a backslash"),
        (#""\u12g4""#, "1:6: found 'g', expected four hexadecimal digits after \\u"),
        (#""\u12""#, "1:6: found '\"', expected four hexadecimal digits after \\u"),
        (#""\uD800""#, "1:2: found half of a surrogate pair, \\uD800, expected both halves"),
        (#""\uDC00""#, "1:2: found half of a surrogate pair, \\uDC00, expected both halves"),
        (#""\uD800A""#, "1:2: found half of a surrogate pair, \\uD800, expected both halves"),
        (#""\uD800\n""#, "1:2: found half of a surrogate pair, \\uD800, expected both halves"),
        (#""\uD800\uD800""#, "1:2: found half of a surrogate pair, \\uD800, expected both halves"),
        (#""\uDE00\uD83D""#, "1:2: found half of a surrogate pair, \\uDE00, expected both halves"),
    ])
    func errorsSayWhatIsWhere(text: String, error: String) {
        #expect(Self.error(text) == error)
        #expect(Self.error("{\"x\":\n\(text)") != nil, "in a document that is not whole")
    }

    @Test func textIsUTF8() throws {
        #expect(
            Self.error([0x5B, 0x22, 0xC3, 0xA9, 0xFF, 0x22, 0x5D])
                == "1:4: found the byte 0xFF, which is not UTF-8 here, expected UTF-8 text")
        #expect(
            Self.error([0x22, 0xED, 0xA0, 0x80, 0x22])
                == "1:2: found the byte 0xED, which is not UTF-8 here, expected UTF-8 text", "an encoded surrogate")
        #expect(
            Self.error([0x22, 0xC0, 0xAF, 0x22])
                == "1:2: found the byte 0xC0, which is not UTF-8 here, expected UTF-8 text", "an overlong form")
        #expect(
            Self.error([0xFF, 0xFE, 0x5B, 0x00])
                == "1:1: found the byte 0xFF, which is not UTF-8 here, expected UTF-8 text", "UTF-16")
    }

    @Test func aByteOrderMarkIsPassedOver() throws {
        #expect(try Self.read("\u{FEFF}[1]") == .array([.number("1")]))
        #expect(Self.error("\u{FEFF}[1") == "1:3: found the end of the file, expected ',' or ']'")
        #expect(Self.error("[\u{FEFF}1]") == "1:2: found the control character U+FEFF, expected a value")
    }

    @Test func everyBeginningOfADocumentIsAnError() {
        let text = #"{"a":[1,-2.5e+7,true,false,null,"\u00e9\uD83D\uDE00\n é😀",{"b":{}},[]],"c":"d"}"#
        let bytes = Array(text.utf8)
        #expect(Self.error(bytes) == nil)
        for length in bytes.indices {
            #expect(Self.error(bytes.prefix(length)) != nil, "\(length) bytes")
        }
    }

    @Test func everyByteInEveryPlaceIsReadOrRefused() {
        let bytes = Array(#"{"a":[1,true,"\u00e9"]}"#.utf8)
        for position in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[position] = byte
                // What is read without an error is written in a form that is read as the same.
                guard let document = try? JSONDocument(changed) else { continue }
                #expect((try? Self.read(document.root.description)) == document.root)
                #expect((try? Self.read(document.root.indented())) == document.root)
            }
        }
    }

    @Test func namesAreComparedScalarByScalar() throws {
        let value = try Self.read("{\"\u{E9}\": 1, \"e\u{301}\": 2}")
        guard case .object(let members) = value else { return #expect(Bool(false)) }
        #expect(members.count == 2)
        #expect(members["\u{E9}"] == .number("1"))
        #expect(members["e\u{301}"] == .number("2"))
        #expect(try Self.read("[{\"\u{E9}\": 1}]") != Self.read("[{\"e\u{301}\": 1}]"))
    }

    @Test func depthIsBounded() {
        let deepest = JSONParser.maximumDepth
        let message = "found more than 128 arrays and objects inside each other, expected fewer"
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(Self.error(nested(deepest)) == nil)
        #expect(Self.error(nested(deepest + 1)) == "1:129: \(message)")
        #expect(Self.error(nested(100_000)) == "1:129: \(message)")
        #expect(Self.error(String(repeating: "[", count: 100_000)) == "1:129: \(message)")
        #expect(Self.error(String(repeating: #"{"a":"#, count: 100_000)) == "1:641: \(message)")
        #expect(
            Self.error("[" + Array(repeating: nested(deepest - 1), count: 3).joined(separator: ",") + "]") == nil,
            "depth is not length")
    }

    @Test func recordsAreFoundAgain() throws {
        let bare = try JSONDocument(Array("[{},\n [[1], 2]]".utf8))
        #expect(bare.elements.map { "\(bare.location(of: $0.lowerBound))" } == ["1:2", "2:2"])
        let wrapped = try JSONDocument(Array(#"{"a": {"x": [1]}, "b": [3, [4]], "c": []}"#.utf8))
        #expect(
            wrapped.elementsByMember.mapValues { $0.map { wrapped.location(of: $0.lowerBound).column } } == [
                "b": [25, 28]
            ],
            "an empty array has no places")
    }

    @Test func textIsWrittenInAStableOrder() throws {
        let value = try Self.read(#"{"b": [1, {"z": "\u001b[31m", "code": 2}], "a": {}, "c": []}"#)
        #expect(value.description == #"{"a": {}, "b": [1, {"code": 2, "z": "\u001B[31m"}], "c": []}"#)
        #expect(
            value.indented(first: ["z"])
                == """
                {
                  "a": {},
                  "b": [
                    1,
                    {
                      "z": "\\u001B[31m",
                      "code": 2
                    }
                  ],
                  "c": []
                }
                """)
    }

    @Test func kinds() throws {
        let values = try JSONDocument(Array(#"[null, true, 1, "", [], {}]"#.utf8)).root
        guard case .array(let elements) = values else { return #expect(Bool(false)) }
        #expect(elements.map(\.kind) == ["null", "a boolean", "a number", "a string", "an array", "an object"])
    }
}
