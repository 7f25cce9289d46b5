import DifferentialSyncTesting
import Foundation
import TestSupport
import Testing

import SyncPersistence

struct ComparisonTests {
    private func holds(_ filter: Filter, _ values: [String: Value]) throws -> Bool {
        let bound = try BoundFilter(filter, of: Staff.person, in: Staff.schema)
        return bound.holds(for: Record(Staff.person, values))
    }

    private func isTrue(_ comparison: Filter.Comparison, _ left: Int, _ right: Int) -> Bool {
        switch comparison {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }

    @Test(arguments: AttributeType.allCases)
    func comparisonsHoldForEachTypeAndNull(type: AttributeType) throws {
        let values = [.null] + Staff.samples[type]
        for comparison in Filter.Comparison.allCases {
            for (leftPlace, left) in values.enumerated() {
                for (rightPlace, right) in values.enumerated() {
                    let filter = Filter.comparison(path: type.rawValue, comparison, right)
                    if type == .json, comparison.isOrdering {
                        #expect(throws: PersistenceError.self) { try holds(filter, [type.rawValue: left]) }
                        continue
                    }
                    let expected =
                        leftPlace > 0 && rightPlace > 0 && isTrue(comparison, leftPlace, rightPlace)
                    #expect(try holds(filter, [type.rawValue: left]) == expected, "\(left) \(comparison) \(right)")
                    #expect(try holds(.not(filter), [type.rawValue: left]) == !expected)
                }
            }
        }
    }

    @Test(arguments: AttributeType.allCases)
    func membershipHoldsForEachTypeAndNull(type: AttributeType) throws {
        let values = [.null] + Staff.samples[type]
        for (place, value) in values.enumerated() {
            func holds(_ members: some Sequence<Value>) throws -> Bool {
                try self.holds(Field(type.rawValue).isOne(of: members), [type.rawValue: value])
            }
            #expect(try !holds([]))
            #expect(try !holds([nil]))
            #expect(try holds(values) == (place > 0))
            #expect(try !holds(values.filter { $0 != value }))
            #expect(try holds([value, nil]) == (place > 0))
            #expect(try self.holds(Field(type.rawValue).isNull, [type.rawValue: value]) == (place == 0))
        }
    }

    @Test func jsonEqualityIgnoresMemberOrderButNotTheKindOfNumber() throws {
        #expect(try holds(Field("json") == ["a": 1, "b": 2], ["json": ["b": 2, "a": 1]]))
        #expect(try !holds(Field("json") == 1, ["json": 1.0]))
        #expect(try holds(Field("json") != 1, ["json": 1.0]))
        #expect(try !holds(Field("json") != 1, [:]))
    }

    @Test func logicalOperatorsCombineAnyNumberOfFilters() throws {
        let (yes, no) = (Filter.and([]), Filter.or([]))
        #expect(try holds(yes, [:]))
        #expect(try !holds(no, [:]))
        #expect(try holds(.not(no), [:]))
        for (one, isOne) in [(yes, true), (no, false)] {
            for (other, isOther) in [(yes, true), (no, false)] {
                #expect(try holds(.and([one, other]), [:]) == (isOne && isOther))
                #expect(try holds(.or([one, other]), [:]) == (isOne || isOther))
            }
        }
    }

    @Test(arguments: [
        ("milk", "il", true, false, false, false), ("milk", "mi", true, true, false, false),
        ("milk", "lk", true, false, true, false), ("milk", "", true, true, true, false),
        ("", "", true, true, true, false), ("", "a", false, false, false, false),
        ("milk", "milk", true, true, true, false), ("milk", "milky", false, false, false, false),
        ("MILK", "il", false, false, false, false), ("MILK", "il", true, false, false, true),
        ("milk", "MI", true, true, false, true), ("Stra\u{DF}e", "STRASSE", false, false, false, true),
        // Combined and not is not the same; a part of a combination is found.
        ("\u{E9}", "e\u{301}", false, false, false, false), ("e\u{301}", "e", true, true, false, false),
        ("e\u{301}", "\u{301}", true, false, true, false), ("\u{C9}", "\u{E9}", true, true, true, true),
        // The last sigma of a word is as any other; a dotted I becomes two scalars.
        ("ΟΔΟΣ", "οδοσ", true, true, true, true), ("\u{130}", "i\u{307}", true, true, true, true),
        ("\u{130}", "i", true, true, false, true), ("\u{1F600}\u{1F601}", "\u{1F601}", true, false, true, false),
        ("aabaabaaab", "aabaaa", true, false, false, false), ("ababab", "babab", true, false, true, false),
        ("a\0b", "\0b", true, false, true, false), ("100%_", "%_", true, false, true, false),
    ])
    func textMatchesByScalarsAndOptionallyIgnoresCase(
        text: String, pattern: String, contains: Bool, hasPrefix: Bool, hasSuffix: Bool, ignoresCase: Bool
    ) throws {
        let matches: [(Filter.TextMatch, Bool)] = [
            (.contains, contains), (.hasPrefix, hasPrefix), (.hasSuffix, hasSuffix),
        ]
        for (match, expected) in matches {
            #expect(TextPattern(match, pattern, ignoresCase: ignoresCase).matches(text) == expected)
            let filter = Filter.text(path: "string", match, pattern, ignoresCase: ignoresCase)
            #expect(try holds(filter, ["string": .string(text)]) == expected)
            #expect(try !holds(filter, [:]))
        }
    }

    @Test func urlsMatchByTheirText() throws {
        let values: [String: Value] = ["url": .url(URL(string: "https://example.org/A")!)]
        #expect(try holds(Field("url").hasPrefix("https:"), values))
        #expect(try holds(Field("url").hasSuffix("/a", ignoringCase: true), values))
        #expect(try !holds(Field("url").contains("/a"), values))
    }

    @Test func containsAgreesWithAScalarByScalarSearch() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            func text(_ length: Int) -> String {
                (0..<Int.random(in: 0..<length, using: &generator)).map { _ in
                    ["a", "b", "A", "\u{301}"].randomElement(using: &generator)!
                }.joined()
            }
            let (text, pattern) = (text(12), text(5))
            let scalars = (Array(text.unicodeScalars), Array(pattern.unicodeScalars))
            let expected =
                scalars.1.isEmpty || scalars.0.indices.contains { scalars.0[$0...].starts(with: scalars.1) }
            let matches = TextPattern(.contains, pattern, ignoresCase: false).matches(text)
            #expect(matches == expected, "\(text) \(pattern)")
        }
    }
}
