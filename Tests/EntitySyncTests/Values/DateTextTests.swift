import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

@testable import EntitySync

struct DateTextTests {
    /// D8 to D12 as L13 has them, with the ids of the catalogue where it has the case.
    @Test(
        arguments: [
            // Q01, Q02, Q03, Q06
            ("2015-06-23T14:40:08.123+02:00", "2015-06-23T12:40:08.123Z"),
            ("2014-01-01T12:40:08+00:00", "2014-01-01T12:40:08Z"), ("2014-01-02", "2014-01-02T00:00:00Z"),
            ("2015-09-10T12:40:08.123456Z", "2015-09-10T12:40:08.123456Z"),
            // Q07, Q08, Q11, Q12, Q14
            ("2015-06-23T19:04:19.911Z", "2015-06-23T19:04:19.911Z"), ("2014-03-30T09:13:10Z", "2014-03-30T09:13:10Z"),
            ("2016-01-09T12:40:08", "2016-01-09T12:40:08Z"), ("2009-10-09 12:40:08", "2009-10-09T12:40:08Z"),
            ("2017-11-02T17:27:52.2Z", "2017-11-02T17:27:52.2Z"),
            // Q16, Q20 and other Unix times
            ("1441888808", "2015-09-10T12:40:08Z"), ("1441843200000000", "2015-09-10T00:00:00Z"),
            ("1441888808000000", "2015-09-10T12:40:08Z"), ("1441888808000", "2015-09-10T12:40:08Z"),
            ("1441888808.123", "2015-09-10T12:40:08.123Z"), ("1441888808123", "2015-09-10T12:40:08.123Z"),
            ("1441888808123456", "2015-09-10T12:40:08.123456Z"), ("1441888808123.5", "2015-09-10T12:40:08.1235Z"),
            ("-86400", "1969-12-31T00:00:00Z"), ("-0.5", "1969-12-31T23:59:59.5Z"), ("0", "1970-01-01T00:00:00Z"),
            ("1.441888808e9", "2015-09-10T12:40:08Z"), ("1e12", "2001-09-09T01:46:40Z"),
            ("999999999999", "2001-09-09T01:46:39.999Z"), ("-473385600000", "1955-01-01T00:00:00Z"),
            ("99999999999", "5138-11-16T09:46:39Z"), ("100000000000", "1973-03-03T09:46:40Z"),
            ("99999999999999", "5138-11-16T09:46:39.998993Z"), ("100000000000000", "1973-03-03T09:46:40Z"),
            ("99999999999999999", "5138-11-16T09:46:40Z"),
            // V07, V14 and the rest of D8 to D11
            ("1989-02-14T00:00:00+00:00", "1989-02-14T00:00:00Z"),
            ("2014-01-01T00:00:00+00:00", "2014-01-01T00:00:00Z"),
            ("2016-01-09T00:00:00", "2016-01-09T00:00:00Z"), ("2017-12-22T18:10:14.07Z", "2017-12-22T18:10:14.07Z"),
            ("2016-01-09T12:40:08.12", "2016-01-09T12:40:08.12Z"),
            ("2017-12-22T18:10:14.070", "2017-12-22T18:10:14.07Z"),
            ("2014-01-01T12:40:08-07:00", "2014-01-01T19:40:08Z"),
            ("2014-01-02T12:40:08.123000+00:00", "2014-01-02T12:40:08.123Z"),
            ("2015-09-10T12:40:08.123+0000", "2015-09-10T12:40:08.123Z"),
            ("2014-03-30T09:13:00+0200", "2014-03-30T07:13:00Z"),
            ("2015-09-10T12:40:08.123+0200", "2015-09-10T10:40:08.123Z"),
            ("2015-09-10T12:40:08.123-0700", "2015-09-10T19:40:08.123Z"),
            ("2015-09-10T12:40:08.1234Z", "2015-09-10T12:40:08.1234Z"),
            ("2015-09-10T12:40:08.12345Z", "2015-09-10T12:40:08.12345Z"),
            ("2014-03-30T09:13:00.5", "2014-03-30T09:13:00.5Z"),
            ("2014-03-30T09:13:00.50+00:00", "2014-03-30T09:13:00.5Z"),
            ("2014-03-30 09:13:00Z", "2014-03-30T09:13:00Z"),
            ("2014-03-30t09:13:00z", "2014-03-30T09:13:00Z"), ("2014-03-30T09:13:00+05", "2014-03-30T04:13:00Z"),
            ("2014-03-30T09:13:00-05:30", "2014-03-30T14:43:00Z"),
            ("2014-03-30T09:13:00-00:00", "2014-03-30T09:13:00Z"),
            ("2014-12-31T23:59:59.123456789012345678901234567890Z", "2014-12-31T23:59:59.1234568Z"),
            // A year or a day is never a Unix time, and times may be short.
            ("1983", "1983-01-01T00:00:00Z"), ("0000", "0000-01-01T00:00:00Z"), ("1983-05", "1983-05-01T00:00:00Z"),
            ("0000-12", "0000-12-01T00:00:00Z"), ("9999-12", "9999-12-01T00:00:00Z"),
            ("20140102", "2014-01-02T00:00:00Z"),
            ("2014-01-02T10:11Z", "2014-01-02T10:11:00Z"), ("2014-01-02 10:11", "2014-01-02T10:11:00Z"),
            ("2014-01-02T10:11+02:00", "2014-01-02T08:11:00Z"),
            ("20140102T101112Z", "2014-01-02T10:11:12Z"), ("20140102T1011", "2014-01-02T10:11:00Z"),
            ("20140102T101112.5+0100", "2014-01-02T09:11:12.5Z"),
            // Edges: leap years, leap seconds, the first and last years, which other systems have for never.
            ("2016-02-29", "2016-02-29T00:00:00Z"), ("2000-02-29", "2000-02-29T00:00:00Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"), ("2017-01-01T00:59:60.5+01:00", "2017-01-01T00:00:00.5Z"),
            ("0000-01-01", "0000-01-01T00:00:00Z"), ("0000-02-29", "0000-02-29T00:00:00Z"),
            ("0001-01-01T00:00:00", "0001-01-01T00:00:00Z"), ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
            ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999969Z"),
        ] as [(String, String)])
    func textsInKnownFormsAreDates(text: String, internetText: String) throws {
        let date = try #require(Date(remoteText: text))
        #expect(date.internetText == internetText)
        #expect(AttributeType.date.converted(.string(text)) == .date(date))
    }

    @Test(
        arguments: [
            // Q09, D9 to D12, L13
            "bla-bla-bla-bla-bla-bla-bla-bla-bla-bla-bla-bla-bla-bla", "", "abc", "2014/01/02", "2014-13-01",
            "2014-00-01", "2014-02-30", "2015-02-29", "1900-02-29", "2014-04-31", "2014-01-00", "2014-01-32", "2014-1",
            "2014-",
            "2014-13", "2014-00", "2014-01-", "2014-01Z", "2014-01T09:13:00Z", "10000-01",
            "2014-1-2", "2014-01-02T", "2014-01-02T09", "2014-01-02T0913", "2014-01-02T09:13.5", "2014-01-02T24:00:00Z",
            "20141302", "20140230", "20140102T10:11", "20140102T1", "20140102T101", "20140102T10111",
            "2014-01-02T09:60:00Z", "2014-01-02T09:13:61Z", "2014-01-02T09:13:60Z", "2016-12-31T23:59:60+01:00",
            "2014-01-02T09:13:00.Z", "2014-01-02T09:13:00,5Z", "2014-01-02T09:13:00.5 Z", "2014-01-02T09:13:00 Z",
            "2014-01-02T09:13:00+", "2014-01-02T09:13:00+1", "2014-01-02T09:13:00+24:00", "2014-01-02T09:13:00+01:60",
            "2014-01-02T09:13:00+01:", "2014-01-02T09:13:00+01:0", "2014-01-02T09:13:00+010", "2014-01-02T09:13:00ZZ",
            "2014-01-02T09:13:00Zone", "2014-01-02Z", "2014-01-02x", "2014-01-02X09:13:00", "-2014-01-02",
            "+2014-01-02",
            "12014-01-02", " 2014-01-02", "2014-01-02 ", "2014-01-02T09:13:00Z\n", "2014-01-02T09:13:00Z\u{0}",
            "２０１４-01-02", "2014\u{2010}01\u{2010}02", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
            "9999-12-31T23:59:60Z", "0000-00-00", "0000-00-00 00:00:00", "-", "+86400", "--1", "1441888808s", "0x10",
            "1,5", ".5",
            "5.", "1441888808.", "01441888808", "100000000000000000", "1441888808123456789",
            "99999999999999999999999999", "1e17",
            "1e400", "nan", "inf", "14418 88808", "/Date(1451606400000)/",
        ])
    func otherTextsAreNoDates(text: String) {
        #expect(Date(remoteText: text) == nil)
        #expect(AttributeType.date.converted(.string(text)) == nil)
    }

    /// Q18 and D13.
    @Test(
        arguments: [
            (1_441_888_808, "2015-09-10T12:40:08Z"), (.double(1_441_888_808_000_000.0), "2015-09-10T12:40:08Z"),
            (-86_400, "1969-12-31T00:00:00Z"), (.double(1e12), "2001-09-09T01:46:40Z"), (0, "1970-01-01T00:00:00Z"),
            (1_441_888_808.123, "2015-09-10T12:40:08.123Z"), (1_441_888_808_123, "2015-09-10T12:40:08.123Z"),
            (-0.25, "1969-12-31T23:59:59.75Z"), (.double(0.00001), "1970-01-01T00:00:00.00001Z"),
            (.double(-0.00001), "1969-12-31T23:59:59.99999Z"),
            (ConversionTests.decimal("1441888808.123"), "2015-09-10T12:40:08.123Z"),
            (ConversionTests.decimal("1441888808123.456"), "2015-09-10T12:40:08.123456Z"),
            (ConversionTests.decimal("-86400.5"), "1969-12-30T23:59:59.5Z"),
            (ConversionTests.decimal("1e-30"), "1970-01-01T00:00:00Z"), (.integer(.max), nil), (.integer(.min), nil),
            (.double(1e17), nil), (.double(.nan), nil), (.double(.infinity), nil),
            (ConversionTests.decimal("1e100"), nil),
            (.decimal(.nan), nil), (true, nil), ([], nil), (["a": 1], nil),
            (.date(Date(timeIntervalSinceReferenceDate: .nan)), nil),
        ] as [(Value, String?)])
    func numberIsDate(number: Value, internetText: String?) {
        guard case .date(let date)? = AttributeType.date.converted(number) else {
            #expect(internetText == nil)
            return
        }
        #expect(date.internetText == internetText)
    }

    @Test func aPointInTimeIsOneDateInEveryForm() {
        let seed = SeededGenerator.testSeed(44)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 20_000 : 3_000) {
            let milliseconds = Int64.random(in: 1_000_000_000_000...9_999_999_999_999, using: &generator)
            let fraction = String(String(milliseconds % 1_000 + 1_000).dropFirst())
            let text = "\(milliseconds / 1_000).\(fraction)"
            let forms: [Value] = [
                .integer(milliseconds), .integer(milliseconds * 1_000), .double(Double(milliseconds)), .string(text),
                .string("\(milliseconds)"), .double(Double(text)!), ConversionTests.decimal(text),
            ]
            let dates = Set(forms.map { AttributeType.date.converted($0) })
            #expect(dates.count == 1, "\(text), seed \(seed)")
            guard case .date(let date)?? = dates.first, let internetText = date.internetText else { continue }
            #expect(Date(remoteText: internetText) == date, "\(text), seed \(seed)")
        }
    }

    @Test func aWrittenDateReadsBack() throws {
        let seed = SeededGenerator.testSeed(45)
        var generator = SeededGenerator(seed: seed)
        let range = Date.internetRange
        for _ in 0..<(isFullScale ? 20_000 : 5_000) {
            let isNear = generator.happens(0.5)
            let date = Date(
                timeIntervalSinceReferenceDate: isNear
                    ? Double.random(in: -2e9...2e9, using: &generator)
                    : Double.random(in: range.lowerBound...range.upperBound.nextDown, using: &generator))
            let text = try #require(date.internetText, "\(date), seed \(seed)")
            #expect(Date(remoteText: text) == date, "\(text), seed \(seed)")
        }
    }

    @Test(
        arguments: [
            (0.25, "2001-01-01T00:00:00.25Z"), (0.123_456_7, "2001-01-01T00:00:00.1234567Z"),
            (-0.000_000_125, "2000-12-31T23:59:59.999999875Z"), (700_000_000.123, "2023-03-08T20:26:40.123Z"),
            (700_000_000.123_456_7, "2023-03-08T20:26:40.1234567Z"),
            (0.1 + 0.2, "2001-01-01T00:00:00.3Z"), ((1.0).nextDown, "2001-01-01T00:00:00.999999999999999Z"),
            (1e-16, "2001-01-01T00:00:00Z"),
        ] as [(Double, String)])
    func fractionsHaveTheFewestDigitsUpTo15(seconds: Double, text: String) {
        #expect(Date(timeIntervalSinceReferenceDate: seconds).internetText == text)
    }

    @Test func daysAreThoseOfTheGregorianCalendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        let seed = SeededGenerator.testSeed(46)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let year = Int.random(in: 1600...9999, using: &generator)
            let month = Int.random(in: 1...12, using: &generator)
            let day = Int.random(in: 1...31, using: &generator)
            let digits = { (number: Int) in String(number + 100).dropFirst() }
            let components = DateComponents(year: year, month: month, day: day)
            let date = try #require(calendar.date(from: components))
            let isDay = calendar.component(.month, from: date) == month
            #expect(Date(remoteText: "\(year)-\(digits(month))-\(digits(day))") == (isDay ? date : nil), "seed \(seed)")
        }
    }

    @Test func damagedTextIsADateOrNone() {
        let seed = SeededGenerator.testSeed(47)
        var generator = SeededGenerator(seed: seed)
        let bytes = Array("0123456789-:+.TZ e".utf8)
        for _ in 0..<20_000 {
            var text = Array("2015-06-23T14:40:08.123+02:00".utf8.prefix(Int.random(in: 0...29, using: &generator)))
            for _ in 0..<Int.random(in: 0...2, using: &generator) where !text.isEmpty {
                text[Int.random(in: text.indices, using: &generator)] = bytes.randomElement(using: &generator)!
            }
            guard let date = Date(remoteText: String(decoding: text, as: UTF8.self)) else { continue }
            #expect(date.internetText != nil, "\(String(decoding: text, as: UTF8.self)), seed \(seed)")
        }
    }
}
