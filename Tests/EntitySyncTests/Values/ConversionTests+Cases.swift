import Foundation
import SyncPersistence

import EntitySync

extension ConversionTests {
    static let integers =
        ([
            (16, 16), ("16", 16), ("-5", -5), ("0", 0), ("-0", 0), (12.0, 12), ("12.0", 12), ("1.2e1", 12),
            ("1e3", 1000), ("120e-1", 12), (true, 1), (false, 0), (-0.0, 0), (decimal("12"), 12),
            (decimal("-12.0"), -12),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775807.0", .integer(.max)), ("9007199254740993", 9_007_199_254_740_993),
            ("9007199254740993.0", 9_007_199_254_740_993), (decimal("9223372036854775807"), .integer(.max)),
            (decimal("-9223372036854775808"), .integer(.min)), (.double(-0x1p63), .integer(.min)), (702_377, 702_377),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1e19", nil), ("1e400", nil),
            (.double(0x1p63), nil),
            (decimal("9223372036854775808"), nil), (decimal("-9223372036854775809"), nil), (decimal("1e100"), nil),
            (decimal("18446744073709551616"), nil), (12.7, nil), (decimal("12.5"), nil), ("12.5", nil),
            ("1.0000000000000000000000000000000000000000000001", nil), ("12abc", nil), ("0x10", nil), ("", nil),
            (" 1", nil),
            ("1 ", nil), ("\n1", nil), ("1,000", nil), ("1_000", nil), ("1.5.2", nil), ("abc", nil), ("true", nil),
            ("yes", nil),
            ("+5", nil), ("--5", nil), ("-", nil), (".5", nil), ("5.", nil), ("1e", nil), ("007", nil), ("١٢", nil),
            ("１２", nil), ("1\u{0}", nil), ("nan", nil), (.double(.infinity), nil), (.double(.nan), nil),
            (.decimal(.nan), nil),
            ([], nil), (["id": 1], nil),
        ] as [(Value, Value?)]).map { Conversion(.integer, $0, $1) }

    static let doubles =
        ([
            (1.5, 1.5), (12, 12.0), ("12.2", 12.2), ("-5", -5.0), ("1e-7", 1e-7), (true, 1.0), (false, 0.0),
            (decimal("12.2"), 12.2), (decimal("0.1000000000000000055511151231257827"), 0.1), (decimal("1e100"), 1e100),
            (decimal("-0.5"), -0.5), (decimal("1e-30"), 1e-30),
            (decimal("340282366920938463463374607431768211455"), 0x1p128),
            ("9007199254740993", 9_007_199_254_740_992.0), ("1e400", nil), ("-1e400", nil), ("inf", nil), ("nan", nil),
            ("Infinity", nil), ("0x1p3", nil), ("1,5", nil), ("1.5.2", nil), ("12.2 ", nil), ("", nil), ("1.", nil),
            ("+1", nil),
            (.double(.infinity), nil), (.double(-.infinity), nil), (.double(.nan), nil), (.decimal(.nan), nil),
            ([1], nil),
            ([:], nil),
        ] as [(Value, Value?)]).map { Conversion(.double, $0, $1) }

    static let decimals =
        ([
            (12.2, decimal("12.2")), (0.1, decimal("0.1")), (3, decimal("3")),
            (.integer(.min), decimal("-9223372036854775808")),
            (1.0, decimal("1")), (.double(1e-7), decimal("0.0000001")), ("12.20", decimal("12.2")),
            ("1e2", decimal("100")),
            ("99999999999999999999999999999999999999", decimal("99999999999999999999999999999999999999")),
            ("0.00000000000000000000000000000000000001", decimal("1e-38")), (true, decimal("1")), ("-0", decimal("0")),
            ("1234567890123456789012345678901234567890123", nil),
            ("0.1234567890123456789012345678901234567890123", nil),
            ("1e200", nil), ("1e-200", nil), ("abc", nil), ("", nil), ("nan", nil), ("1,5", nil), ("12.2x", nil),
            (.double(1e300), nil), (.double(.leastNonzeroMagnitude), nil), (.double(.infinity), nil),
            (.double(.nan), nil),
            (.decimal(.nan), nil), ([], nil),
        ] as [(Value, Value?)]).map { Conversion(.decimal, $0, $1) }

    static let truths =
        ([
            (true, true), (false, false), (1, true), (0, false), (1.0, true), (0.0, false), ("true", true),
            ("false", false),
            ("1", true), ("0", false), (decimal("1"), true), (decimal("0"), false), (2, nil), (-1, nil), (0.5, nil),
            ("True", nil), ("TRUE", nil), ("yes", nil), ("", nil), ("2", nil), (" true", nil), ("1.0", nil),
            ([true], nil),
        ] as [(Value, Value?)]).map { Conversion(.bool, $0, $1) }

    static let texts =
        ([
            ("", ""), ("a\u{0}b", "a\u{0}b"), (1, "1"), (-5, "-5"), (1.5, "1.5"), (1.0, "1"), (true, "1"), (false, "0"),
            (decimal("12.20"), "12.2"), (.double(1e16), "10000000000000000"), (.double(1e20), "1e+20"), (0, "0"),
            (.uuid(uuid), .string(uuid.uuidString)), (.url(URL(string: "https://a.b/c")!), "https://a.b/c"),
            (.date(Date(timeIntervalSince1970: 0)), "1970-01-01T00:00:00Z"), (.bytes(Data([1, 2, 3])), "AQID"),
            (.double(.nan), nil), (.double(.infinity), nil), (.decimal(.nan), nil), (["a"], nil), (["a": 1], nil),
        ] as [(Value, Value?)]).map { Conversion(.string, $0, $1) }

    static let identifiers =
        ([
            (.uuid, "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", .uuid(uuid)), (.uuid, .uuid(uuid), .uuid(uuid)),
            (.uuid, "6ba7b810-9dad-11d1-80b4-00c04fd430C8", .uuid(uuid)),
            (.uuid, "6ba7b810-9dad-11d1-80b4-00c04fd430c", nil),
            (.uuid, "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}", nil), (.uuid, "", nil), (.uuid, 5, nil),
            (.uuid, ["a"], nil),
            (.uuid, "6ba7b810-9dad-11d1-80b4-00c04fd430cg", nil), (.uuid, true, nil),
            (.url, "https://www.apple.com/", .url(URL(string: "https://www.apple.com/")!)),
            (.url, "a/b?c#d", .url(URL(string: "a/b?c#d")!)),
            (.url, "https://a.b/%20", .url(URL(string: "https://a.b/%20")!)),
            (.url, "", nil), (.url, "https://a.b/c d", nil), (.url, "https://a.b/\u{e9}", nil),
            (.url, "http://[::1", nil),
            (.url, "a\u{0}b", nil), (.url, "https://a.b/%zz", nil), (.url, [], nil),
        ] as [(AttributeType, Value, Value?)]).map { Conversion($0, $1, $2) }

    static let containers =
        ([
            (.json, ["a": [1, 1.5, .null]], ["a": [1, 1.5, .null]]), (.json, "text", "text"), (.json, true, true),
            (.json, 5, 5),
            (.json, [decimal("12.2"), ["b": decimal("1")]], [12.2, ["b": 1.0]]),
            (.json, decimal("1e100"), .double(1e100)),
            (.json, [.uuid(uuid)], [.string(uuid.uuidString)]), (.json, .bytes(Data([1, 2, 3])), "AQID"),
            (.json, ["a": .double(.nan)], nil), (.json, [.double(.infinity)], nil), (.json, [.decimal(.nan)], nil),
            (.json, nested(512), nested(512)), (.json, nested(513), nil), (.bytes, nested(513), nil),
            (.json, nested(512, around: decimal("1.5")), nested(512, around: 1.5)),
            (.json, nested(513, around: decimal("1.5")), nil), (.json, ["a": nested(512)], nil),
            (.bytes, .bytes(Data([1, 2, 3])), .bytes(Data([1, 2, 3]))), (.bytes, ["a"], .bytes(Data(#"["a"]"#.utf8))),
        ] as [(AttributeType, Value, Value?)]).map { Conversion($0, $1, $2) }

    static let uuid = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")!

    static func decimal(_ text: String) -> Value { .decimal(Decimal(string: text)!) }

    /// Returns the given number of nested arrays, with a value in the innermost.
    static func nested(_ depth: Int, around value: Value = 1) -> Value {
        (0..<depth).reduce(value) { value, _ in [value] }
    }
}
