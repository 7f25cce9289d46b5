import DifferentialSyncTesting
import Foundation
import SyncValues
import TestSupport
import Testing

struct JSONWriterTests {
    @Test(
        arguments: [
            (.null, "null"), (.bool(true), "true"), (.bool(false), "false"), (.integer(.min), "-9223372036854775808"),
            (3.0, "3.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e16, "1e+16"), (1e15, "1000000000000000.0"), (1e-5, "1e-05"),
            (.double(.leastNonzeroMagnitude), "5e-324"), (.decimal(Decimal(string: "-12.50")!), "-12.5"),
            (.decimal(Decimal(string: "0.001")!), "0.001"), (.decimal(Decimal(string: "-1e-9")!), "-1e-9"),
            (
                .decimal(Decimal(string: "340282366920938463463374607431768211455")!),
                "340282366920938463463374607431768211455"
            ),
            (
                .decimal(Decimal(string: "10000000000000000000000000000000000001")!),
                "10000000000000000000000000000000000001"
            ),
            (.decimal(Decimal(string: "100000000000000000001.5")!), "100000000000000000001.5"), (.decimal(0), "0"),
            (.decimal(100), "100"), (.decimal(Decimal(string: "1e100")!), "1e100"),
            (
                "\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}\u{2028}\u{E9}",
                "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001F\u{7F}\u{2028}\u{E9}\""
            ),
            ("1234567\"12345678\"", #""1234567\"12345678\"""#), (.bytes(Data([1, 2, 3])), #""AQID""#),
            (
                .uuid(UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8")!),
                #""6BA7B810-9DAD-11D1-80B4-00C04FD430C8""#
            ),
            (.url(URL(string: "https://example.org/?a=\"b")!), #""https://example.org/?a=%22b""#),
            (.date(Date(timeIntervalSinceReferenceDate: 0)), #""2001-01-01T00:00:00Z""#),
            ([], "[]"), ([1, [], [:]], "[1,[],{}]"), (["b": 1, "a": ["x": .null]], #"{"b":1,"a":{"x":null}}"#),
        ] as [(Value, String)])
    func textsAreAsDocumented(value: Value, text: String) throws {
        #expect(try value.json == text)
        #expect(try value.jsonBytes() == Array(text.utf8))
    }

    @Test func layoutsAreAsDocumented() throws {
        let value: Value = ["b": [1, [:], []], "a": ["\u{E9}": true, "e": "x"]]
        #expect(try value.json([.sortedNames]) == "{\"a\":{\"e\":\"x\",\"\u{E9}\":true},\"b\":[1,{},[]]}")
        let indented = """
            {
              "b": [
                1,
                {},
                []
              ],
              "a": {
                "\u{E9}": true,
                "e": "x"
              }
            }
            """
        #expect(try value.json([.indented]) == indented)
        #expect(try Value(json: indented) == value)
        #expect(try value.json([.indented, .sortedNames]).hasPrefix("{\n  \"a\": {\n    \"e\": \"x\",\n"))
    }

    @Test func whatJSONHasNoFormForIsRefused() throws {
        let value: Value = ["places": [1, ["a latitude": [.double(.infinity)]]]]
        let error = try #require(throws: JSONRepresentationError.self) { try value.json }
        #expect(error.code == .infinite)
        #expect(error.path == #".places[1]["a latitude"][0]"#)
        #expect(
            "\(error)"
                == #"the value at places[1]["a latitude"][0] is infinite, which JSON has no number for: put null or text in its place"#
        )
        for (value, message) in [
            (.double(.nan), "the value is not a number, which JSON has no form for: put null or text in its place"),
            (
                [.decimal(.nan)],
                "the value at [0] is not a number, which JSON has no form for: put null or text in its place"
            ),
            (
                ["due": .date(Date(timeIntervalSinceReferenceDate: 1e12))],
                "the value at due is a date outside of the years 0 to 9999 of RFC 3339: put null or a number in its place"
            ),
        ] as [(Value, String)] {
            let error = try #require(throws: JSONRepresentationError.self) { try value.json }
            #expect("\(error)" == message)
        }
    }

    @Test(
        arguments: [
            (-63_145_526_400, "0000-01-01T00:00:00Z"), (-63_145_526_400.1, nil),
            (252_423_993_599, "9999-12-31T23:59:59Z"),
            (252_423_993_600, nil), (.nan, nil), (.infinity, nil), (0.25, "2001-01-01T00:00:00.25Z"),
            (-0.000_001, "2000-12-31T23:59:59.999999Z"), (-1e-20, "2001-01-01T00:00:00Z"),
            (-0.5, "2000-12-31T23:59:59.5Z"),
            (788_918_400.123, "2026-01-01T00:00:00.123Z"), (99_791_999, "2004-02-29T23:59:59Z"),
            (99_792_000, "2004-03-01T00:00:00Z"),
            (99_705_600, "2004-02-29T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
        ] as [(Double, String?)])
    func datesAreInUTC(interval: Double, text: String?) throws {
        let value = Value.date(Date(timeIntervalSinceReferenceDate: interval))
        if let text {
            #expect(try value.json == "\"\(text)\"")
        } else {
            #expect(throws: (any Error).self) { try value.json }
        }
    }

    @Test func datesAreThoseOfFoundation() throws {
        let seed = SeededGenerator.testSeed(8)
        var generator = SeededGenerator(seed: seed)
        // Years before 1600 have another calendar in Foundation.
        for _ in 0..<(isFullScale ? 20_000 : 1_000) {
            let date = Date(
                timeIntervalSinceReferenceDate: Double(
                    Int.random(in: -12_000_000_000...252_000_000_000, using: &generator)))
            #expect(try Value.date(date).json == "\"\(date.formatted(.iso8601))\"", "seed \(seed)")
        }
    }

    @Test func plainValuesAreReadAsTheyWere() throws {
        let seed = SeededGenerator.testSeed(9)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 50_000 : 2_000) {
            let value = generator.plainValue()
            let text = try value.json
            #expect(try Value(json: text) == value, "seed \(seed)")
            #expect(try Value(json: text).json == text, "seed \(seed)")
            #expect(try Value(json: value.json([.indented, .sortedNames])) == value, "seed \(seed)")
        }
    }

    @Test func decimalsAreThoseOfFoundation() throws {
        let seed = SeededGenerator.testSeed(14)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 50_000 : 2_000) {
            // Results of arithmetic are held in other forms than what is read from text.
            var decimal = generator.decimal()
            if generator.happens(0.5) { decimal -= generator.decimal() }
            if generator.happens(0.3) { decimal = Decimal(generator.next()) * Decimal(generator.next()) }
            if generator.happens(0.3) { decimal = Decimal(generator.next()) / Decimal(generator.next()) }
            let text = try Value.decimal(decimal).json
            // Foundation does not read 1e157, though it holds it as 10³⁰ · 10¹²⁷.
            guard let read = Decimal(string: text) ?? Decimal(string: decimal.description) else { continue }
            #expect(read == decimal, "\(text), \(decimal), seed \(seed)")
            #expect(try Value(taggedJSON: Value.decimal(decimal).taggedJSON) == .decimal(decimal), "seed \(seed)")
        }
    }

    @Test func foundationReadsTheSame() throws {
        let seed = SeededGenerator.testSeed(10)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 20_000 : 1_000) {
            let value = generator.plainValue()
            let foundation = try JSONSerialization.jsonObject(with: Data(value.jsonBytes()), options: .fragmentsAllowed)
            #expect(value.isContent(of: foundation), "\(value), seed \(seed)")
        }
    }
}
