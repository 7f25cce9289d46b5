#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Dates as text of RFC 3339, and in related forms that remotes use.
///
/// ```
/// 2014
/// 2014-01
/// 2014-01-02
/// 20140102
/// 20140102T101112Z
/// 2014-03-30T09:13:00Z
/// 2009-10-09 12:40:08.123456789
/// 2015-06-23t14:40:08.5+02:00
/// ```
///
/// - The date is an existing year of four digits, month and day. Alone, it is midnight in UTC. A year alone is the
///   first day of the year. A year and month, with `-` between them, are the first day of the month.
/// - `T`, `t` or a space separates the date from the time. The time may have seconds, with a fraction of any number of
///   digits.
/// - Date and time may be written without `-` and `:`, if both are.
/// - The zone is `Z`, `z` or an offset from UTC, `±hh`, `±hhmm` or `±hh:mm`. Without a zone, the time is in UTC.
/// - The second 60 is a leap second at the end of a day in UTC. It counts as the first second of the next day, because
///   `Date` has no leap seconds.
/// - Dates before the year 0 or after 9999 in UTC are refused, so that every parsed date can be written.
package enum DateText {
    /// Whether text begins like a year or a day.
    ///
    /// It is then a date or invalid, but not a timestamp.
    package static func isCalendarDate(_ text: UnsafeRawBufferPointer) -> Bool {
        let digits = text.prefix { $0 &- UInt8(ascii: "0") < 10 }.count
        if digits == text.count { return digits == 4 || digits == 8 }
        return digits == 4 && text[4] == UInt8(ascii: "-") || digits == 8 && text[8] | 0x20 == UInt8(ascii: "t")
    }

    /// Returns the seconds since the beginning of 2001; nil if the text is not a date.
    package static func seconds(of text: UnsafeRawBufferPointer) -> Double? {
        var scanner = DigitScanner(bytes: text)
        guard let (day, isBasic) = day(&scanner) else { return nil }
        if scanner.isAtEnd { return Double(day.daysSinceReference * 86_400) }
        guard
            scanner.skip(UInt8(ascii: "T")) || scanner.skip(UInt8(ascii: "t")) || scanner.skip(UInt8(ascii: " ")),
            let hour = scanner.digits(2), hour < 24, isBasic || scanner.skip(UInt8(ascii: ":")),
            let minute = scanner.digits(2), minute < 60
        else { return nil }
        var second = 0
        var fraction = 0.0
        if isBasic ? scanner.isAtDigit : scanner.skip(UInt8(ascii: ":")) {
            guard let digits = scanner.digits(2), digits <= 60 else { return nil }
            second = digits
            if scanner.skip(UInt8(ascii: ".")) {
                guard let digits = scanner.fraction() else { return nil }
                fraction = digits
            }
        }
        guard let distance = distance(&scanner), scanner.isAtEnd else { return nil }
        return seconds(
            day: day, seconds: hour * 3_600 + minute * 60 + second - distance, fraction: fraction,
            isLeapSecond: second == 60)
    }

    /// Returns the seconds since the beginning of 2001 at a time of a day; nil if that time does not exist.
    package static func seconds(day: CalendarDay, seconds: Int, fraction: Double, isLeapSecond: Bool) -> Double? {
        let whole = day.daysSinceReference * 86_400 + seconds
        guard !isLeapSecond || whole % 86_400 == 0, Date.internetRange.contains(Double(whole)) else { return nil }
        // At the end of 9999, doubles are so far apart that a fraction may be rounded up to the next year.
        return min(Double(whole) + fraction, Date.internetRange.upperBound.nextDown)
    }

    /// Reads a day, and whether it is written without `-`.
    private static func day(_ scanner: inout DigitScanner) -> (day: CalendarDay, isBasic: Bool)? {
        guard let year = scanner.digits(4) else { return nil }
        if scanner.isAtEnd { return CalendarDay(year: year, month: 1, day: 1).map { ($0, true) } }
        let isBasic = !scanner.skip(UInt8(ascii: "-"))
        guard let month = scanner.digits(2) else { return nil }
        // Six digits alone could also be a day with a year of two digits.
        if scanner.isAtEnd, !isBasic { return CalendarDay(year: year, month: month, day: 1).map { ($0, false) } }
        guard isBasic || scanner.skip(UInt8(ascii: "-")), let day = scanner.digits(2) else { return nil }
        return CalendarDay(year: year, month: month, day: day).map { ($0, isBasic) }
    }

    /// Reads the zone, as the seconds by which it is ahead of UTC.
    ///
    /// It is 0 if no zone follows, and nil if the zone is malformed.
    private static func distance(_ scanner: inout DigitScanner) -> Int? {
        if scanner.isAtEnd || scanner.skip(UInt8(ascii: "Z")) || scanner.skip(UInt8(ascii: "z")) { return 0 }
        return scanner.offset()
    }
}
