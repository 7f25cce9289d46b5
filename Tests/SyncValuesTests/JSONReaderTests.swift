import DifferentialSyncTesting
import Foundation
import SyncValues
import TestSupport
import Testing

struct JSONReaderTests {
    @Test(
        arguments: [
            ("null", .null), ("true", .bool(true)), ("false", .bool(false)), (" \t\r\n0 ", 0), ("-0", 0), ("42", 42),
            ("-0.0", -0.0), ("0e1", 0.0), ("1E5", 100_000.0), ("1e-2", 0.01), ("1e+2", 100.0), ("3.0", 3.0),
            ("0.1", 0.1),
            ("123.456789", 123.456789), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .double(0x1p63)), ("-9223372036854775809", .double(-0x1p63)),
            ("18446744073709551616", .double(0x1p64)),
            ("123456789012345678901234567890", 123456789012345678901234567890.0),
            ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("5e-324", .double(.leastNonzeroMagnitude)),
            ("1e-400", 0.0), ("0.00000000000000000000000000000000000001", 1e-38),
            ("9007199254740993.0", 9007199254740992.0),
            ("0.1000000000000000055511151231257827021181583404541015625", 0.1), ("1e0000000000000000000000001", 10.0),
            (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00e9\u00E9""#, "A\u{E9}\u{E9}"),
            (#""\ud83d\ude00\uD83D\uDE00""#, "\u{1F600}\u{1F600}"), (#""\u0000\uFFFF\uFEFF""#, "\u{0}\u{FFFF}\u{FEFF}"),
            ("\"\u{7F}\u{80}\u{E9}\u{2028}\u{1F600}\"", "\u{7F}\u{80}\u{E9}\u{2028}\u{1F600}"),
            (#""12345678\n12345678""#, "12345678\n12345678"), (#""1234567\"""#, "1234567\""),
            ("[]", []), ("[ ]", []), ("[null]", [.null]), ("[1,[2,[]],\"x\"]", [1, [2, []], "x"]), ("{}", [:]),
            ("{ }", [:]),
            (#"{"a":1}"#, ["a": 1]), (#" { "a" : [ { } ] , "" : null } "#, ["a": [[:]], "": .null]),
            (#"{"a":{"b":{"c":[]}},"d":2}"#, ["a": ["b": ["c": []]], "d": 2]), (#"{"\u0061":1}"#, ["a": 1]),
            (#"{"a":1,"b":2,"a":3}"#, ["a": 3, "b": 2]),
            ("{\"\u{E9}\":1,\"e\u{301}\":2}", ["\u{E9}": 1, "e\u{301}": 2]),
        ] as [(String, Value)])
    func whatIsJSONIsRead(text: String, value: Value) throws {
        #expect(try Value(json: text) == value)
        #expect(try Value(json: Array(text.utf8)) == value)
        #expect(try Value(json: Data(text.utf8)) == value)
        #expect(try Value(json: text.utf8.lazy.map { $0 }) == value)
        // A part of a larger buffer does not look beyond its ends.
        #expect(try Value(json: Array("[\(text)]".utf8)[1...].dropLast()) == value)
    }

    @Test(
        arguments: [
            ("", .empty, "line 1, column 1 (byte 0): expected a value, found the end of the text"),
            (" \n ", .empty, "line 2, column 2 (byte 3): expected a value, found the end of the text"),
            ("\u{FEFF}x", .unexpected, "line 1, column 2 (byte 3): expected a value, found 'x'"),
            ("\u{FEFF}", .empty, "line 1, column 2 (byte 3): expected a value, found the end of the text"),
            ("\u{FEFF}\u{FEFF}1", .unexpected, "line 1, column 2 (byte 3): expected a value, found U+FEFF"),
            (" \u{FEFF}1", .unexpected, "line 1, column 2 (byte 1): expected a value, found U+FEFF"),
            ("x", .unexpected, "line 1, column 1 (byte 0): expected a value, found 'x'"),
            ("'a'", .unexpected, "line 1, column 1 (byte 0): expected a value, found '''"),
            ("\u{A0}1", .unexpected, "line 1, column 1 (byte 0): expected a value, found U+00A0"),
            ("\u{0}", .unexpected, "line 1, column 1 (byte 0): expected a value, found U+0000"),
            ("\u{1F600}", .unexpected, "line 1, column 1 (byte 0): expected a value, found '\u{1F600}'"),
            ("nul", .incomplete, "line 1, column 4 (byte 3): expected true, false or null, found the end of the text"),
            ("nulL", .unexpected, "line 1, column 4 (byte 3): expected true, false or null, found 'L'"),
            ("True", .unexpected, "line 1, column 1 (byte 0): expected a value, found 'T'"),
            ("truee", .trailing, "line 1, column 5 (byte 4): expected nothing after the value, found 'e'"),
            ("NaN", .unexpected, "line 1, column 1 (byte 0): expected a value, found 'N'"),
            ("Infinity", .unexpected, "line 1, column 1 (byte 0): expected a value, found 'I'"),
            ("-Infinity", .unexpected, "line 1, column 2 (byte 1): expected a digit, found 'I'"),
            ("-", .incomplete, "line 1, column 2 (byte 1): expected a digit, found the end of the text"),
            ("+1", .unexpected, "line 1, column 1 (byte 0): expected a value, found '+'"),
            ("01", .trailing, "line 1, column 2 (byte 1): expected nothing after the value, found '1'"),
            ("-01", .trailing, "line 1, column 3 (byte 2): expected nothing after the value, found '1'"),
            ("[01]", .unexpected, "line 1, column 3 (byte 2): expected ',' or ']', found '1'"),
            (".5", .unexpected, "line 1, column 1 (byte 0): expected a value, found '.'"),
            ("1.", .incomplete, "line 1, column 3 (byte 2): expected a digit, found the end of the text"),
            ("1.e5", .unexpected, "line 1, column 3 (byte 2): expected a digit, found 'e'"),
            ("1e", .incomplete, "line 1, column 3 (byte 2): expected a digit, found the end of the text"),
            ("1e+", .incomplete, "line 1, column 4 (byte 3): expected a digit, found the end of the text"),
            ("1e5.5", .trailing, "line 1, column 4 (byte 3): expected nothing after the value, found '.'"),
            ("0x10", .trailing, "line 1, column 2 (byte 1): expected nothing after the value, found 'x'"),
            ("1 2", .trailing, "line 1, column 3 (byte 2): expected nothing after the value, found '2'"),
            (
                "1e309", .numberOutOfRange,
                "line 1, column 1 (byte 0): expected a number that a double holds, found one beyond that"
            ),
            (
                "[-1e99999999999999999999]", .numberOutOfRange,
                "line 1, column 2 (byte 1): expected a number that a double holds, found one beyond that"
            ),
            (
                "\"", .incomplete,
                "line 1, column 2 (byte 1): expected the end of the string, or a character that needs no escape, found the end of the text"
            ),
            (
                "\"a\nb\"", .unexpected,
                "line 1, column 3 (byte 2): expected the end of the string, or a character that needs no escape, found U+000A"
            ),
            (
                "\"1234567890\u{1}\"", .unexpected,
                "line 1, column 12 (byte 11): expected the end of the string, or a character that needs no escape, found U+0001"
            ),
            (
                #""\"#, .incomplete,
                #"line 1, column 3 (byte 2): expected one of "\/bfnrtu after '\', found the end of the text"#
            ),
            (#""\x""#, .invalidEscape, #"line 1, column 3 (byte 2): expected one of "\/bfnrtu after '\', found 'x'"#),
            (
                #""\u12"#, .incomplete,
                #"line 1, column 6 (byte 5): expected four hexadecimal digits after '\u', found the end of the text"#
            ),
            (
                #""\u12G4""#, .invalidEscape,
                #"line 1, column 6 (byte 5): expected four hexadecimal digits after '\u', found 'G'"#
            ),
            (
                #""a\ud800""#, .invalidEscape,
                #"line 1, column 3 (byte 2): expected the other half of a surrogate pair, '\uDC00' to '\uDFFF', found half of a surrogate pair"#
            ),
            (
                #""\ud800\ud800""#, .invalidEscape,
                #"line 1, column 2 (byte 1): expected the other half of a surrogate pair, '\uDC00' to '\uDFFF', found half of a surrogate pair"#
            ),
            (
                #""\ud800\n""#, .invalidEscape,
                #"line 1, column 2 (byte 1): expected the other half of a surrogate pair, '\uDC00' to '\uDFFF', found half of a surrogate pair"#
            ),
            (
                #""\udc00""#, .invalidEscape,
                #"line 1, column 2 (byte 1): expected the first half of a surrogate pair, '\uD800' to '\uDBFF', before the other, found half of a surrogate pair"#
            ),
            ("[", .incomplete, "line 1, column 2 (byte 1): expected a value or ']', found the end of the text"),
            ("[1", .incomplete, "line 1, column 3 (byte 2): expected ',' or ']', found the end of the text"),
            ("[1,", .incomplete, "line 1, column 4 (byte 3): expected a value, found the end of the text"),
            ("[1,]", .unexpected, "line 1, column 4 (byte 3): expected a value, found ']'"),
            ("[,1]", .unexpected, "line 1, column 2 (byte 1): expected a value or ']', found ','"),
            ("[1 2]", .unexpected, "line 1, column 4 (byte 3): expected ',' or ']', found '2'"),
            ("[1}", .unexpected, "line 1, column 3 (byte 2): expected ',' or ']', found '}'"),
            ("]", .unexpected, "line 1, column 1 (byte 0): expected a value, found ']'"),
            ("[1]]", .trailing, "line 1, column 4 (byte 3): expected nothing after the value, found ']'"),
            (
                "{", .incomplete,
                "line 1, column 2 (byte 1): expected a name in quotes or '}', found the end of the text"
            ),
            ("{a:1}", .unexpected, "line 1, column 2 (byte 1): expected a name in quotes or '}', found 'a'"),
            ("{1:1}", .unexpected, "line 1, column 2 (byte 1): expected a name in quotes or '}', found '1'"),
            (#"{"a"}"#, .unexpected, "line 1, column 5 (byte 4): expected ':' after the name, found '}'"),
            (#"{"a" 1}"#, .unexpected, "line 1, column 6 (byte 5): expected ':' after the name, found '1'"),
            (#"{"a":}"#, .unexpected, "line 1, column 6 (byte 5): expected a value, found '}'"),
            (#"{"a":1,}"#, .unexpected, "line 1, column 8 (byte 7): expected a name in quotes, found '}'"),
            (#"{"a":1 "b":2}"#, .unexpected, "line 1, column 8 (byte 7): expected ',' or '}', found '\"'"),
            (#"{"a":1]"#, .unexpected, "line 1, column 7 (byte 6): expected ',' or '}', found ']'"),
            ("[1, // one\n2]", .unexpected, "line 1, column 5 (byte 4): expected a value, found '/'"),
            ("{\n  \"\u{E9}\u{1F600}\": x\n}", .unexpected, "line 2, column 9 (byte 14): expected a value, found 'x'"),
            ("[1,\r\n2,\r\n\tx]", .unexpected, "line 3, column 2 (byte 10): expected a value, found 'x'"),
        ] as [(String, JSONError.Code, String)])
    func whatIsNoJSONIsRefused(text: String, code: JSONError.Code, message: String) throws {
        let error = try #require(throws: JSONError.self) { try Value(json: text) }
        #expect("\(error)" == message)
        #expect(error.code == code)
        #expect(throws: error) { try Value(json: Array(text.utf8)) }
    }

    @Test(
        arguments: [
            // Not continued, only continued, longer than needed, of a surrogate, too large, never a byte of UTF-8.
            ([0xC3], 0), ([0xC3, 0x41], 0), ([0x80], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x9F, 0xBF], 0),
            ([0xED, 0xA0, 0x80], 0), ([0xED, 0xBF, 0xBF], 0), ([0xF0, 0x8F, 0xBF, 0xBF], 0),
            ([0xF4, 0x90, 0x80, 0x80], 0),
            ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFF], 0), ([0xFE], 0), ([0xE2, 0x82], 0), ([0xE2, 0x82, 0x41], 0),
            ([0xF0, 0x9F, 0x98], 0), ([0xF0, 0x9F, 0x98, 0x41], 0), ([0x41, 0xC3, 0xA9, 0x80], 3),
            ([0xC3, 0xA9, 0xC3], 2),
        ] as [([UInt8], Int)])
    func whatIsNoUTF8IsRefused(bytes: [UInt8], offset: Int) throws {
        for prefix in ["", "12345678", "\\n"] {
            let json = Array("\"\(prefix)".utf8) + bytes + Array("\"".utf8)
            let error = try #require(throws: JSONError.self) { try Value(json: json) }
            #expect(error.code == .invalidUTF8)
            #expect(error.offset == 1 + prefix.utf8.count + offset)
        }
        let error = try #require(throws: JSONError.self) { try Value(json: [0x22, 0xFF, 0x22] as [UInt8]) }
        #expect("\(error)" == "line 1, column 2 (byte 1): expected UTF-8, found byte 0xFF")
    }

    @Test func everyScalarIsRead() throws {
        let step: UInt32 = isFullScale ? 1 : 7
        for start in stride(from: UInt32(0x20), to: 0x11_0000, by: 0x100) {
            let scalars = stride(from: start, to: start + 0x100, by: Int(step)).compactMap { Unicode.Scalar($0) }
            let text = String(String.UnicodeScalarView(scalars.filter { $0 != "\"" && $0 != "\\" }))
            #expect(try Value(json: Array("\"\(text)\"".utf8)) == .string(text), "from U+\(String(start, radix: 16))")
        }
    }

    @Test func optionsRefuseMore() throws {
        var options = JSONOptions()
        options.refusesDuplicateNames = true
        let duplicate = try #require(throws: JSONError.self) {
            try Value(json: #"[{"a": {"x": 1}, "b": {"a": 2}, "a": 3}]"#, options: options)
        }
        #expect(
            "\(duplicate)"
                == "line 1, column 33 (byte 32): expected names that are unique in their object, found a name for the second time"
        )
        #expect(duplicate.code == .duplicateName)
        #expect(try Value(json: #"[{"a":1},{"a":{"a":2}}]"#, options: options) == [["a": 1], ["a": ["a": 2]]])
        options.refusesLargeIntegers = true
        let large = try #require(throws: JSONError.self) { try Value(json: "[9223372036854775808]", options: options) }
        #expect("\(large)" == "line 1, column 2 (byte 1): expected an integer of 64 bits, found one beyond that")
        #expect(try Value(json: "9223372036854775808.0", options: options) == .double(0x1p63))
    }

    @Test func theOrderOfMembersIsKept() throws {
        guard case .object(let object) = try Value(json: #"{"z":1,"a":2,"m":3,"a":4}"#) else { return }
        #expect(object.members.map(\.name) == ["z", "a", "m"])
    }

    @Test func namesAreThoseOfTheirObject() throws {
        let name = "a name of more than sixteen bytes"
        let text = """
            [{"a":1,"b":2},{"b":1,"a":2},{"a":1,"a":2},{"a":1,"b":{"a":3,"c":4}},{"a":1,"b":2,"c":3},{},
            {"\(name)":1,"\u{E9}":2},{"\(name)":3,"e\u{301}":4},{"\(name)":5,"\u{E9}":6},{"\(name)":7,"\\u00E9":8}]
            """
        guard case .array(let objects) = try Value(json: text) else { return }
        let expected: [Value] = [
            ["a": 1, "b": 2], ["b": 1, "a": 2], ["a": 2], ["a": 1, "b": ["a": 3, "c": 4]], ["a": 1, "b": 2, "c": 3],
            [:],
            [name: 1, "\u{E9}": 2], [name: 3, "e\u{301}": 4], [name: 5, "\u{E9}": 6], [name: 7, "\u{E9}": 8],
        ]
        // Text has the order of names, which equality does not look at.
        #expect(try objects.map { try $0.json } == expected.map { try $0.json })
        var options = JSONOptions()
        options.refusesDuplicateNames = true
        let error = try #require(throws: JSONError.self) { try Value(json: text, options: options) }
        #expect(error.offset == 36)
    }

    @Test func depthIsLimited() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: #"[{"a":"#, count: depth / 2) + "1" + String(repeating: "}]", count: depth / 2)
        }
        #expect(try Value(json: nested(512)).json == nested(512))
        let error = try #require(throws: JSONError.self) { try Value(json: "[\(nested(512))]") }
        #expect(
            "\(error)"
                == "line 1, column 1533 (byte 1532): expected at most 512 arrays and objects in each other, found one more"
        )
        #expect(error.code == .tooDeep)
        // What is refused late has been built up far; nothing of it takes a stack that a thread has not.
        #expect(throws: JSONError.self) { try Value(json: String(repeating: "[", count: 1_000_000)) }
        var options = JSONOptions()
        options.depthLimit = 2
        #expect(try Value(json: "[[]]", options: options) == [[]])
        #expect(throws: JSONError.self) { try Value(json: "[[[]]]", options: options) }
    }

    @Test(
        arguments: [
            (#"["abcd"]"#, nil), (#"["abcde"]"#, 1), (#"["\u0041"]"#, 1), (#"["a\n\n"]"#, 1), (#"["ab\n"]"#, nil),
            ("[1234]", nil),
            ("[12345]", 1), ("[-1.5]", nil), ("[1.5e3]", 1), (#"{"abcd": {"abcde": 1}}"#, 10), (#"["äöü"]"#, 1),
            (#"["äö"]"#, nil),
        ] as [(String, Int?)])
    func tokenLongerThanTheLimitIsRefusedAtItsStart(json: String, offset: Int?) throws {
        var options = JSONOptions()
        options.lengthLimit = 4
        guard let offset else {
            #expect(try Value(json: json, options: options) == Value(json: json))
            return
        }
        let error = #expect(throws: JSONError.self) { try Value(json: json, options: options) }
        #expect(error?.code == .tooLong)
        #expect(error?.offset == offset)
        #expect(
            error?.description.hasSuffix(
                "expected a string, a name or a number of at most 4 bytes, found one that is longer") == true)
    }

    @Test func largeDocumentsAreReadInLinearTime() throws {
        let count = isFullScale ? 200_000 : 10_000
        let names = (0..<count).map { #""name \#($0)":\#($0)"# }.joined(separator: ",")
        guard case .object(let object) = try Value(json: "{\(names)}") else { return }
        #expect(object.members.count == count)
        #expect(object.members.last == ValueObject.Member(name: "name \(count - 1)", value: .integer(Int64(count - 1))))
        let doubled = try Value(json: "{\(names),\(names)}")
        #expect(doubled == .object(object))
        guard
            case .array(let rows) = try Value(
                json: "[\(repeatElement("{\"a\":[1,2]}", count: count).joined(separator: ","))]")
        else { return }
        #expect(rows.count == count)
        #expect(rows.allSatisfy { $0 == ["a": [1, 2]] })
    }

    @Test func doublesAreReadAsTheStandardLibraryReadsThem() throws {
        let seed = SeededGenerator.testSeed(7)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 200_000 : 5_000) {
            let digits = (0..<Int.random(in: 1...22, using: &generator)).map { _ in "\(generator.next() % 10)" }
                .joined()
            let text = "\(generator.next() % 10).\(digits)e\(Int.random(in: -40...40, using: &generator))"
            guard case .double(let double) = try Value(json: text) else { continue }
            #expect(double.bitPattern == Double(text)?.bitPattern, "\(text), seed \(seed)")
        }
    }
}
