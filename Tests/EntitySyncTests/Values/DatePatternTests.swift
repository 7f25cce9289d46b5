import Foundation
import SyncPersistence
import Testing

@testable import EntitySync

/// Dates whose text has its own format.
struct DatePatternTests {
    @Test(
        arguments: [
            ("rfc2822", "Tue, 14 Jun 2022 10:09:08 +0200", "2022-06-14T08:09:08Z"),
            ("rfc2822", "14 Jun 2022 10:09 GMT", "2022-06-14T10:09:00Z"),
            ("rfc2822", "4 jan 2022 10:09:08 EST", "2022-01-04T15:09:08Z"),
            ("dd.MM.yyyy HH:mm", "09.11.1989 18:57", "1989-11-09T18:57:00Z"),
            ("M/d/yyyy h:mm a", "7/4/1976 12:05 AM", "1976-07-04T00:05:00Z"),
            ("M/d/yyyy h:mm a", "12/31/1976 12:05 pm", "1976-12-31T12:05:00Z"),
            ("EEEE, d MMMM yyyy", "Thursday, 1 January 1970", "1970-01-01T00:00:00Z"),
            ("yyyy-MM-dd'T'HH:mm:ss.SSSZ", "2014-01-02T10:11:12.25-05", "2014-01-02T15:11:12.25Z"),
            ("yyyy", "2014", "2014-01-01T00:00:00Z"), ("ddMMyyyy", "02012014", "2014-01-02T00:00:00Z"),
        ])
    func textOfAPatternIsADate(pattern: String, text: String, internetText: String) throws {
        let pattern = try #require(DatePattern(pattern))
        #expect(pattern.date(of: text)?.internetText == internetText)
    }

    @Test(
        arguments: [
            ("rfc2822", "2022-06-14T08:09:08Z"), ("rfc2822", "14 Foo 2022 10:09 GMT"),
            ("rfc2822", "31 Feb 2022 10:09 GMT"), ("rfc2822", "14 Jun 2022 24:09 GMT"),
            ("rfc2822", "14 Jun 2022 10:09 XYZ"), ("rfc2822", "14 Jun 2022 10:09 GMT "), ("rfc2822", ""),
            ("dd.MM.yyyy", "9.11.1989"), ("dd.MM.yyyy", "09.11.1989 "), ("dd.MM.yyyy", "０９.11.1989"),
            ("h a", "0 am"), ("h a", "13 am"), ("h a", "5 xm"), ("h a", "5 "),
            ("yyyy Z", "2014 +02:"), ("yyyy Z", "2014 +02:6"), ("yyyy Z[.]", "2014 +02:."),
        ])
    func otherTextIsNoDateOfThePattern(pattern: String, text: String) throws {
        #expect(try #require(DatePattern(pattern)).date(of: text) == nil)
    }

    @Test(arguments: ["q", "yy", "yyyyy", "[dd", "dd]", "[[dd]]", "'T", "RFC2822"])
    func textThatIsNoPatternIsRefused(pattern: String) {
        #expect(DatePattern(pattern) == nil)
    }
}
