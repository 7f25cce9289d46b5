import Foundation
import SyncValues
import Testing

/// The classes of documents that test suites of JSON have, beyond what `JSONReaderTests` has: those to be accepted, those
/// to be refused, and those about which RFC 8259 leaves a reader its choice.
struct JSONClassesTests {
    @Test(
        arguments: [
            // Structure and white space.
            ("\n\r\t [\n\r\t ]\n\r\t ", []), ("[[],[[]] ,[ [ ] ]]", [[], [[]], [[]]]), (" [1]", [1]),
            ("[null, 1, \"1\", {}]", [.null, 1, "1", [:]]), ("{\n\"a\"\t:\r\"b\"\n}", ["a": "b"]),
            ("[[[[[[[[[[1]]]]]]]]]]", [[[[[[[[[[1]]]]]]]]]]),
            (#"{"a":[],"b":{},"c":""}"#, ["a": [], "b": [:], "c": ""]),
            // Numbers.
            ("[0,0.0,-1]", [0, 0.0, -1]), ("-0e-1", -0.0), ("0e+1", 0.0), ("0E-0", 0.0), ("1E22", 1e22),
            ("1E+2", 100.0),
            ("123e45", 123e45), ("20e1", 200.0), ("-123.25e-2", -1.2325), ("[1 ]", [1]), ("1e23", 1e23),
            ("-9007199254740993", -9_007_199_254_740_993), ("1000000000000000000", 1_000_000_000_000_000_000),
            ("-0.000000000000000000000000000000000000000000000000000000000000000000000000000001", -1e-78),
            // Strings, escapes and surrogates.
            (#""a/b\/c""#, "a/b/c"), (#""// no /* comment */ # here""#, "// no /* comment */ # here"),
            (#""\\u0041\\n""#, #"\u0041\n"#), (#""\\\"""#, #"\""#), (#""\u0022\u005C\u002F\u000a""#, "\"\\/\n"),
            (#""\u0012\u007f""#, "\u{12}\u{7F}"), (#""\uABCD\uabcd""#, "\u{ABCD}\u{ABCD}"),
            (#""\uD800\uDC00\uDBFF\uDFFF""#, "\u{10000}\u{10FFFF}"), (#""\uFFFD""#, "\u{FFFD}"),
            (#""\uD83F\uDFFE""#, "\u{1FFFE}"), (#""\u200B\u2064\u2028""#, "\u{200B}\u{2064}\u{2028}"),
            ("\"\u{10FFFF}\u{FFFF}\u{FEFF}\"", "\u{10FFFF}\u{FFFF}\u{FEFF}"), ("\"\u{A0}\u{3000}\"", "\u{A0}\u{3000}"),
            // Names.
            (#"{"":0,"\u0000":1}"#, ["": 0, "\u{0}": 1]), (#"{"a\nb":{"\\":1}}"#, ["a\nb": ["\\": 1]]),
            (#"{"a":"b","a":"b"}"#, ["a": "b"]), (#"{"a":1,"\u0061":2}"#, ["a": 2]),
            (#"{"a name of more than sixteen bytes":1}"#, ["a name of more than sixteen bytes": 1]),
        ] as [(String, Value)])
    func whatHasToBeAcceptedIs(text: String, value: Value) throws {
        #expect(try Value(json: Array(text.utf8)) == value)
        let foundation = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        #expect(value.isContent(of: foundation))
    }

    @Test(
        arguments: [
            (
                "white space",
                ["[\u{C}]", "[\u{B}1]", "\u{85}1", "1\u{2028}", "\u{2060}[]", "[\u{3000}]", #"\n[]"#]
            ),
            (
                "ends",
                ["[]x", "[1]#", "{}}", "{}#", "\"\"x", "\"a\"\"b\"", "[][]", "nullnull", "1,", "{},", "2@", "[]\u{0}"]
            ),
            (
                "arrays",
                [
                    "[,]", "[1,,2]", "[,,]", "[1:2]", "[1;2]", #"["a":1]"#, "[3[4]]", "[1 true]", "[a",
                    "[\"a\",\n4\n,1,",
                    "[*]", "[-]", "[{}", "[\"a\"", "[[]", "[(]", "[nul]", "<null>", "[<null>]", "[![]]", "[}", "[\"",
                ]
            ),
            (
                "objects",
                [
                    "{,}", #"{"a":1,,"b":2}"#, #"{"a"::1}"#, #"{"a","b"}"#, #"{"a":"b":"c"}"#, #"{"a":1;"b":2}"#,
                    "{:1}", "{'a':1}", "{null:1}", "{[:1}", #"{"a":truth}"#, #"{"a" "b"}"#, #"{"a":1"#, #"{"a":1]"#,
                    #"{"a""#,
                    #"{"a":"#, #"{"a":1/**/}"#, #"{"a":1}//"#, "{{}:1}", #"{"a"=1}"#, "{]", "{\u{1F600}}", #"{a:"b"}"#,
                ]
            ),
            ("words", ["fals", "falsey", "tru", "TRUE", "Null", "nil", "undefined", "none", "trUe", "n", "\u{E5}"]),
            (
                "numbers",
                [
                    "++1", "+Inf", "- 1", "--1", "-foo", "-.5", "-1.", ".-1", ".", "0.1.2", "0.3e", "0.3e+", "0E",
                    "0e+-1",
                    "0.e1", "1eE2", "1e+-2", "1.0e-", "1 000", "1_000", "2.e3", "9.e+", "Inf", "-NaN", "0x",
                    "0xFF",
                    "00", "-00", "012", "-012", "1+2", "1ea", "1.2a", "1.5H-3", "\u{FF11}", "\u{661}", "1e1.0", "0b1",
                    "1f",
                ]
            ),
            (
                "strings",
                [
                    #""a"#, #""\"#, #""\\\"#, #""\u"#, #""\u1"#, #""\u00A"#, #""\u00G0""#, #""\U0041""#, #""\u 041""#,
                    #""\u+041""#, #""\a""#, #""\'""#, #""\0""#, #""\x41""#, #""\v""#, "\"\\\u{0}\"", "\"\\\u{1F600}\"",
                    "\"\\\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", "\"a\r\"", "'", "`a`", "\u{201C}a\u{201D}",
                    #"\u0020"a""#,
                ]
            ),
            (
                "surrogates",
                [#""\uD834\"#, #""\uD834\u"#, #""\uD834\uD""#, #""\uD834x""#, #""\uD834\\uDD1E""#, #""\uD834\u0041""#]
            ),
        ] as [(String, [String])])
    func whatHasToBeRefusedIs(name: String, texts: [String]) {
        for text in texts {
            #expect(throws: JSONError.self, "\(name): \(text)") { try Value(json: text) }
            #expect(throws: JSONError.self, "\(name): \(text)") { try Value(json: Array("[\(text)]".utf8)) }
            #expect(throws: (any Error).self, "\(name): \(text)") {
                try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            }
        }
    }

    @Test(
        arguments: [
            // Numbers: what no double holds is refused, what is too small for one is zero, digits too many are rounded.
            ("1e999", nil), ("-1e999", nil), ("0.4e9999999999999999999999", nil), ("1e-999", 0.0),
            ("-1e-9999999999", -0.0),
            ("0e999999999999999999999", 0.0), ("1.00000000000000000000000000001", 1.0),
            ("-99999999999999999999999999999999999999", -1e38),
            ("179769313486231580793728971405e279", .double(.greatestFiniteMagnitude)),
            ("179769313486231580793728971406e279", nil),
            // Halves of surrogate pairs.
            (#""\uDADA""#, nil), (#""\uD888\u1234""#, nil), (#""\uDFAA""#, nil), (#""\uDd1e\uD834""#, nil),
            (#""\uD800\uD800\uDC00""#, nil),
            // One name twice.
            (#"{"a":1,"b":2,"a":null}"#, ["a": .null, "b": 2]),
            // A byte order mark.
            ("\u{FEFF}1", 1), ("\u{FEFF} [\"\u{FEFF}\"]", ["\u{FEFF}"]),
        ] as [(String, Value?)])
    func choicesAreAsDocumented(text: String, value: Value?) {
        #expect((try? Value(json: text)) == value)
        #expect((try? Value(json: Array(text.utf8))) == value)
    }

    @Test(
        arguments: [
            // A mark alone, half of it, behind a value; UTF-16 and UTF-32 of both orders, with a mark and without.
            ([0xEF, 0xBB, 0xBF], 3), ([0xEF, 0xBB], 0), ([0x31, 0xEF, 0xBB, 0xBF], 1),
            ([0xFF, 0xFE, 0x31, 0], 0), ([0xFE, 0xFF, 0, 0x31], 0), ([0x31, 0], 1), ([0, 0x31], 0),
            ([0, 0, 0, 0x31], 0),
            // Bytes that are no UTF-8, outside of strings, in a number, behind an escape, in a name.
            ([0xE9], 0), ([0x5B, 0xFF, 0x5D], 1), ([0x31, 0x65, 0xE5], 2), ([0x5B, 0x61, 0xE5], 1),
            ([0x22, 0x5C, 0xE5, 0x22], 2), ([0x22, 0x5C, 0x75, 0xE5, 0x22], 3),
            ([0x7B, 0x22, 0xE5, 0x22, 0x3A, 0x31, 0x7D], 2),
            // The end of the bytes in the middle of a character.
            ([0x22, 0xE2, 0x82], 1), ([0x22, 0xF0, 0x9F, 0x98], 1),
        ] as [([UInt8], Int)])
    func otherEncodingsAreRefused(bytes: [UInt8], offset: Int) throws {
        let error = try #require(throws: JSONError.self) { try Value(json: bytes) }
        #expect(error.offset == offset)
    }

    @Test(
        arguments: [
            ("[1,]", [1]), ("[[],\n]", [[]]), (#"{"a":1,}"#, ["a": 1]),
            (#"{"a":{"b":[1 , ] , } , }"#, ["a": ["b": [1]]]),
            ("[1]", [1]), ("[]", []), ("{}", [:]), ("[1,2]", [1, 2]), (#"{"a":1,"b":2}"#, ["a": 1, "b": 2]),
            ("[,]", nil), ("{,}", nil), ("[1,,]", nil), (#"{"a":1,,}"#, nil), ("1,", nil), ("[1],", nil), ("[1,}", nil),
            (#"{"a":1,]"#, nil), (#"{"a",}"#, nil), (#"{"a":,}"#, nil), ("[1,", nil), (#"{"a":1,"#, nil),
        ] as [(String, Value?)])
    func commasMayBeAllowedAtTheEnd(text: String, value: Value?) {
        var options = JSONOptions()
        options.allowsTrailingCommas = true
        #expect((try? Value(json: text, options: options)) == value)
    }

    @Test(
        arguments: [
            ("[1,x]", "line 1, column 4 (byte 3): expected a value or ']', found 'x'"),
            (#"{"a":1,x}"#, "line 1, column 8 (byte 7): expected a name in quotes or '}', found 'x'"),
            ("[1,", "line 1, column 4 (byte 3): expected a value or ']', found the end of the text"),
        ])
    func errorsSayWhatMayFollowAComma(text: String, message: String) throws {
        var options = JSONOptions()
        options.allowsTrailingCommas = true
        let error = try #require(throws: JSONError.self) { try Value(json: text, options: options) }
        #expect("\(error)" == message)
    }

    @Test(
        arguments: [
            ("0.1", "0.1"), ("-12.50", "-12.5"), ("1e2", "100"), ("9223372036854775808", "9223372036854775808"),
            ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"), ("1E-20", "1e-20"),
            ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"), ("0.0", "0"),
        ])
    func decimalsAreExactOnDemand(text: String, decimal: String) throws {
        var options = JSONOptions()
        options.readsDecimals = true
        let value = try Value(json: text, options: options)
        #expect(value == .decimal(try #require(Decimal(string: decimal))))
        #expect(try Value(json: "[1,\(text)]", options: options) == [1, value])
    }

    @Test func whatNoDecimalHoldsIsADouble() throws {
        var options = JSONOptions()
        options.readsDecimals = true
        #expect(try Value(json: "[1,1e300,1e-400]", options: options) == [1, 1e300, 0.0])
        for zero in ["-0.0", "-0e5", "-0.00E-2"] {
            let value = try Value(json: zero, options: options)
            guard case .double(let number) = value else {
                Issue.record("\(zero) is \(value)")
                continue
            }
            #expect(number == 0 && number.sign == .minus, "\(zero)")
        }
        #expect(try Value(json: "[-0,0.0,-0.1]", options: options) == [0, .decimal(0), .decimal(-0.1)])
        let digits = String(repeating: "7", count: 50)
        #expect(try Value(json: digits, options: options) == .double(try #require(Double(digits))))
        #expect(throws: JSONError.self) { try Value(json: "1e309", options: options) }
        options.refusesLargeIntegers = true
        #expect(throws: JSONError.self) { try Value(json: "9223372036854775808", options: options) }
        #expect(
            try Value(json: "9223372036854775808.5", options: options)
                == .decimal(#require(Decimal(string: "9223372036854775808.5"))))
    }
}
