#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Date {
    /// The date as RFC 3339 has it, `2026-01-31T12:00:00.25Z`: in UTC, to the microsecond, with as many digits of a
    /// fraction as there are; nil outside of the years 0 to 9999.
    package var internetText: String? {
        // The years 0 to 9999, in seconds from the beginning of 2001.
        guard (-63_145_526_400..<252_423_993_600).contains(timeIntervalSinceReferenceDate) else { return nil }
        var seconds = timeIntervalSinceReferenceDate.rounded(.down)
        var microseconds = Int(((timeIntervalSinceReferenceDate - seconds) * 1_000_000).rounded())
        if microseconds == 1_000_000 {
            microseconds = 0
            seconds += 1
            if seconds == 252_423_993_600 { return nil }
        }
        // 2001-01-01 is day 730,791 from 0000-03-01, with which the years of this calendar begin, so that a leap day is
        // the last of its year (E. G. Richards, *Mapping Time*, 1998).
        let whole = Int(seconds)
        let second = whole - Self.floor(whole, 86_400) * 86_400
        let days = Self.floor(whole, 86_400) + 730_791
        let era = Self.floor(days, 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        var text = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
        text += "T\(Self.digits(second / 3_600, 2)):\(Self.digits(second / 60 % 60, 2)):\(Self.digits(second % 60, 2))"
        if microseconds > 0 {
            var fraction = Self.digits(microseconds, 6)
            while fraction.hasSuffix("0") { fraction.removeLast() }
            text += ".\(fraction)"
        }
        return text + "Z"
    }

    private static func floor(_ number: Int, _ divisor: Int) -> Int {
        number >= 0 ? number / divisor : (number + 1) / divisor - 1
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: count - digits.utf8.count) + digits
    }
}
