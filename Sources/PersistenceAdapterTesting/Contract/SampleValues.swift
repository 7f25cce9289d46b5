#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SyncPersistence

/// Values at the limits of what each type can hold.
///
/// For each value, there is a way of storing that changes it:
///
/// | value | what changes it |
/// |---|---|
/// | 9 007 199 254 740 993 | a conversion to a double, which loses the last digit |
/// | 0.300 000 000 000 000 04 | a text with 15 digits |
/// | decimals with 39 digits | a numeric type with fewer, or a double |
/// | `\u{E9}` and `e\u{301}` | normalization, which makes them one text |
/// | `a\u{0}b` | a text that ends at its first null byte |
/// | two dates within a microsecond | a time in whole microseconds |
/// | `HTTP://Example.ORG/%7eA/` | a locator that is parsed and written again |
/// | the empty URL, `1:2`, `http://a:port/` | a parser that does not read every URL |
enum SampleValues {
    /// Values of each type that has an order, in increasing order.
    ///
    /// The position of a value is thus its rank, from which a check knows the result of each comparison.
    static let increasing: [(type: AttributeType, values: [Value])] = [
        (.bool, [false, true]),
        (
            .integer,
            [.integer(.min), .integer(.min + 1), -1, 0, 1, 9_007_199_254_740_993, .integer(.max - 1), .integer(.max)]
        ),
        (.double, doubles.map { .double($0) }),
        (.decimal, decimals.map { decimal($0) }),
        (.string, texts.map { .string($0) }),
        (.bytes, [[], [0], [0, 0], [0, 255], [1], [127, 1], [128], [255]].map { .bytes(Data($0 as [UInt8])) }),
        (.date, dates.map { .date($0) }),
        (.uuid, [0, 1, 127, 128, 255].map { uuid($0) }),
        (
            .url,
            [
                "", "1:2", "HTTP://Example.ORG/%7eA/", "a", "a?b=c#d", "a?b=c#d%2F", "file:///tmp/%20",
                "http://a:port/", "http://example.org", "http://example.org/", "https://example.org/a", "mailto:a@b.c",
            ].map(url)
        ),
    ]

    /// JSON values, which have no order.
    ///
    /// They include objects with null, with equal names in two compositions, and numbers that are equal but not the
    /// same.
    static let json: [Value] = [
        true, false, 0, .integer(.max), .integer(.min), 0.1, -1.5e300, "",
        "text \u{0} \u{1F468}\u{200D}\u{1F469} \" \\ '",
        [], [:], [[], [:], .null], ["b": 1, "a": ["c": [1, 2.5, "x", .null, true]]], [1, 1.0],
        ["": "", "\u{E9}": 1, "e\u{301}": 2], ["a": .null], ["a": ["b": .null, "c": []]], [["a": .null, "b": 1]],
        9_007_199_254_740_993, [9_007_199_254_740_993, ["a": -9_007_199_254_740_993]],
        [.integer(.max), .integer(.min)],
        [0.300_000_000_000_000_04, 5e-300, 123_456_789.123_456_78], "HTTP://Example.ORG/", [true, 1, false, 0, 1.0],
    ]

    /// The samples of all types.
    ///
    /// A check of values goes through them, and stores each in a record of its own.
    static let all = increasing + [(.json, json)]

    /// Returns a schema of one entity, `Sample`, with an attribute of each type, named after the type.
    ///
    /// JSON has no order, and so its attribute no index.
    static func schema(isIndexed: Bool) throws -> Schema {
        let attributes = AttributeType.allCases.map { Attribute($0.rawValue, $0, isIndexed: isIndexed && $0 != .json) }
        return try Schema([Entity("Sample", attributes: [Attribute("id", .integer, isPrimaryKey: true)] + attributes)])
    }

    /// Creates a decimal from its text.
    static func decimal(_ text: String) -> Value {
        guard let decimal = Decimal(string: text) else { preconditionFailure("'\(text)' is no decimal") }
        return .decimal(decimal)
    }

    /// Creates a locator from its text.
    private static func url(_ text: String) -> Value {
        guard let url = URL(kept: text) else { preconditionFailure("'\(text)' is no URL") }
        return .url(url)
    }

    /// Wraps the value 1 `depth` times.
    ///
    /// The closure makes an array or an object of a value. Values of 512 levels are allowed.
    static func nested(_ depth: Int, _ wrap: (Value) -> Value) -> Value {
        (0..<depth).reduce(1) { value, _ in wrap(value) }
    }

    /// Creates an identifier whose first and last bytes are `byte`.
    ///
    /// Such identifiers are in the order of their bytes, also if they are compared as text.
    static func uuid(_ byte: UInt8) -> Value {
        .uuid(UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte)))
    }

    /// Doubles in increasing order, from minus to plus infinity.
    ///
    /// The smallest number above zero, and 2^53 and 2^63 as limits of integers, are among them.
    private static let doubles: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1.5, -1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 0.1,
        0.30000000000000004, 1, 9_007_199_254_740_992, 1e16, 0x1p63, .greatestFiniteMagnitude, .infinity,
    ]

    /// Decimals in increasing order, as text.
    ///
    /// Some have more digits than a double can hold.
    private static let decimals = [
        "-340282366920938463463374607431768211455e127", "-99999999999999999999.5", "-1", "-0.1",
        "-0.00000000000000000000000000000000000001", "0", "1e-127", "0.1", "0.2", "1", "9.99", "10",
        "9223372036854775808", "99999999999999999999999999999999999998", "1e100",
        "340282366920938463463374607431768211455e127",
    ]

    /// Texts in the order of their UTF-8 bytes.
    ///
    /// Neither UTF-16 order nor the order of a language is the same.
    private static let texts = [
        "", "\u{0}", "\u{0}a", " ", "%", "'", "0", "10", "9", "A", "Z", "_", "a", "a\u{0}", "a\u{0}b", "aa", "b",
        "e\u{301}", "z",
        "\u{E9}", "\u{301}", "\u{301}a", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{1F468}", "\u{1F468}\u{200D}\u{1F469}",
    ]

    /// Dates in increasing order, two of them less than a microsecond apart.
    ///
    /// The first and the last are beyond the calendar of most databases.
    private static let dates: [Date] = [
        Date(timeIntervalSinceReferenceDate: -1e300), Date(timeIntervalSinceReferenceDate: -1e15), .distantPast,
        Date(timeIntervalSinceReferenceDate: -978_307_200), Date(timeIntervalSinceReferenceDate: -0.1),
        Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 0.001),
        Date(timeIntervalSinceReferenceDate: 700_000_000.123456),
        Date(timeIntervalSinceReferenceDate: 700_000_000.1234561),
        .distantFuture, Date(timeIntervalSinceReferenceDate: 1e15), Date(timeIntervalSinceReferenceDate: 1e300),
    ]
}
