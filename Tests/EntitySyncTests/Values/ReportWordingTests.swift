import Foundation
import SyncPersistence
import Testing

@testable import EntitySync

struct ReportWordingTests {
    @Test(
        arguments: [
            (.bool, "true or false, also as 1 or 0, or either as text"), (.integer, "an integer of 64 bits"),
            (.double, "a number that a double holds"), (.decimal, "a decimal number of up to 38 digits"),
            (.string, "text, a number, true or false"),
            (.bytes, "a JSON value with at most 512 arrays and objects in each other"),
            (.json, "a JSON value with at most 512 arrays and objects in each other"),
            (.date, "a date, as text of ISO 8601 or in seconds, milliseconds or microseconds since 1970"),
            (.uuid, "a UUID as text"), (.url, "a URL as text"),
        ] as [(AttributeType, String)])
    func eachTypeNamesItsExpectation(type: AttributeType, text: String) {
        #expect(type.expectation == text)
    }

    @Test func truthValueAsAKeyIsNotExpectedAgain() {
        #expect(
            AttributeType.string.expectation(insteadOf: true) == "text or a number, as a truth value is no key")
    }

    @Test(
        arguments: [
            (.null, "null"), (true, "true"), (false, "false"), (12, "the number 12"), (12.5, "the number 12.5"),
            (ConversionTests.decimal("12.50"), "the number 12.5"), ("12abc", #"the text "12abc""#),
            ("", #"the text """#),
            ([1], "an array"), (["a": 1], "an object"), (.bytes(Data([1])), "1 byte"), (.bytes(Data()), "0 bytes"),
            (.date(Date(timeIntervalSince1970: 0)), "the date 1970-01-01T00:00:00Z"),
            (.date(Date(timeIntervalSinceReferenceDate: 1e12)), "the date 1000000000000.0"),
            (.uuid(ConversionTests.uuid), "the UUID 6BA7B810-9DAD-11D1-80B4-00C04FD430C8"),
            (.url(URL(string: "https://a.b")!), #"the URL "https://a.b""#), ("日本 é", #"the text "日本 é""#),
            ("a\"b\\c\n\t\r\u{0}\u{1B}[31m", #"the text "a\"b\\c\n\t\u{D}\u{0}\u{1B}[31m""#),
            ("\u{202E}abc\u{2028}\u{FEFF}\u{200B}", #"the text "\u{202E}abc\u{2028}\u{FEFF}\u{200B}""#),
            ("\u{301}\u{A0}\u{E000}\u{85}\u{3164}", #"the text "\u{301}\u{A0}\u{E000}\u{85}\u{3164}""#),
            (.string(String(repeating: "é", count: 60)), "the text \"\(String(repeating: "é", count: 60))\""),
            (.string(String(repeating: "é", count: 61)), "the text \"\(String(repeating: "é", count: 60))…\""),
            (.double(.nan), "the number nan"),
        ] as [(Value, String)])
    func eachValueIsDescribedInReports(value: Value, text: String) {
        #expect(value.finding == text)
    }
}
