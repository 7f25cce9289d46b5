import Foundation
import SyncValues
import Testing

struct ValueDescriptionTests {
    @Test(
        arguments: [
            (.null, "null"), (true, "true"), (-7, "-7"), (3.0, "3.0"),
            (.decimal(Decimal(string: "1.50")!), "decimal 1.5"),
            ("a \"b\"\n", #""a \"b\"\n""#), (.bytes(Data([1])), "<1 byte>"),
            (.bytes(Data(count: 2000)), "<2000 bytes>"),
            (.date(Date(timeIntervalSinceReferenceDate: 0.5)), "2001-01-01T00:00:00.5Z"),
            (.date(Date(timeIntervalSinceReferenceDate: 1e20)), "date 1e+20"),
            (.uuid(UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8")!), "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"),
            (.url(URL(string: "https://example.org/")!), "<https://example.org/>"), ([], "[]"), ([:], "{}"),
            ([1, "a", ["b": .null, "c": [2]]], #"[1, "a", {"b": null, "c": [2]}]"#),
            ([[[[[1], []]]]], "[[[[[…], []]]]]"), ([1, 2, 3, 4, 5, 6, 7, 8], "[1, 2, 3, 4, 5, 6, 7, 8]"),
            (.array((1...100).map { .integer($0) }), "[1, 2, 3, 4, 5, 6, 7, 8, … 100 in all]"),
            (.string(String(repeating: "\u{E9}", count: 64)), "\"\(String(repeating: "\u{E9}", count: 64))\""),
            (.string(String(repeating: "a", count: 65)), "\"\(String(repeating: "a", count: 64))…\""),
        ] as [(Value, String)])
    func theyAreShort(value: Value, description: String) {
        #expect("\(value)" == description)
        #expect(String(reflecting: value) == description)
    }
}
