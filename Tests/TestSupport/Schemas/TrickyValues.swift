#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values at the limits of their types, where stores and coders often fail.
enum TrickyValues {
    /// Integers at the limits of 64 bits, of doubles and of 32 bits.
    static let integers: [Int64] = [
        .min, .min + 1, .max, .max - 1, 9_007_199_254_740_992, 9_007_199_254_740_993, -9_007_199_254_740_993,
        4_294_967_296, -2_147_483_649,
    ]

    /// Finite doubles; infinities are chosen separately.
    static let doubles: [Double] = [
        0, -0.0, 0.1, -0.1, 0.3333333333333333, .pi, .leastNonzeroMagnitude, -Double.leastNonzeroMagnitude,
        .leastNormalMagnitude, .greatestFiniteMagnitude,
        -.greatestFiniteMagnitude, 0x1p53, 0x1p63, 1e22, 1e23, 123_456_789.123,
    ]

    /// Decimals with the largest and smallest exponents, and with more digits than a double has.
    static let decimals: [Decimal] = [
        Decimal(0), Decimal(1), Decimal(-1), Decimal.greatestFiniteMagnitude, Decimal.leastFiniteMagnitude,
        Decimal.leastNonzeroMagnitude, Decimal(Int64.max), Decimal(Int64.min), Decimal(UInt64.max),
        Decimal(sign: .plus, exponent: -1, significand: Decimal(1)),
        Decimal(sign: .minus, exponent: -28, significand: Decimal(3)),
        Decimal(sign: .plus, exponent: 20, significand: Decimal(12_345)),
        Decimal(sign: .plus, exponent: -20, significand: Decimal(UInt64.max)),
    ]

    /// Texts with special characters, equivalent compositions, and the look of other types.
    static let strings: [String] = [
        " ", "\0", "a\0b", "\n", "\r\n", "\t", "\"", "'", "it''s", "\\", "\\u0000", "%", "_", "a%_", "*", "null",
        "NULL",
        "0", "-0", "1e5", "007", "true", "é", "e\u{301}", "\u{301}", "ß", "SS", "ſ", "İ", "i\u{307}", "\u{2126}",
        "\u{3A9}", "🏳️‍🌈", "👩‍👩‍👧‍👦", "\u{FEFF}a", "\u{200B}", "\u{2028}", "\u{FFFE}", "\u{FFFF}", "\u{10FFFF}", "אבג",
        "漢字", "{\"a\": [1]}", "<&>", "\u{7F}", "\u{1}", String(repeating: "long ", count: 100),
    ]

    static let bytes: [Data] = [
        Data([0]), Data([0, 0]), Data([255]), Data("text".utf8), Data(repeating: 0x80, count: 1000),
    ]

    /// Dates far away, before reference dates, and with fractions of a second.
    static let dates: [Date] = [
        .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 0),
        Date(timeIntervalSince1970: -1), Date(timeIntervalSince1970: 0.001),
        Date(timeIntervalSince1970: 1_700_000_000.123_456), Date(timeIntervalSinceReferenceDate: 0.1),
        Date(timeIntervalSinceReferenceDate: -62_135_769_601), Date(timeIntervalSinceReferenceDate: 1e15),
        Date(timeIntervalSinceReferenceDate: -1e15), Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude),
    ]

    static let uuids: [UUID] = [
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)),
    ]

    static let urls: [URL] = [
        "https://example.com/", "https://example.com/a%20b?q=1&r=%C3%A9#part", "a/relative/path",
        "mailto:ada@example.com", "file:///tmp/a%20b", "https://user:password@[::1]:8080/", "urn:isbn:0451450523",
        "?query", "#part",
    ].compactMap { URL(string: $0) }
}
