#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Date {
    /// The seconds from the beginning of 2001 to the dates of the years 0 to 9999.
    package static let internetRange = -63_145_526_400.0..<252_423_993_600.0

    /// The date as RFC 3339 text in UTC, `2026-01-31T12:00:00.25Z`; nil outside of the years 0 to 9999.
    ///
    /// Its fraction has as many digits as distinguish the date from others, at most 15.
    package var internetText: String? {
        guard Self.internetRange.contains(timeIntervalSinceReferenceDate) else { return nil }
        var seconds = timeIntervalSinceReferenceDate.rounded(.down)
        // The date is so little before a second that the difference is rounded to one.
        if timeIntervalSinceReferenceDate - seconds == 1 { seconds += 1 }
        // 2001-01-01 is 730,791 days after 0000-03-01. The years of this calendar begin in March, so that a leap day is
        // the last day of its year (E. G. Richards, *Mapping Time*, 1998).
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
        let fraction = fractionDigits(after: seconds)
        return fraction.isEmpty ? text + "Z" : "\(text).\(fraction)Z"
    }

    /// Returns the digits after the decimal point of the seconds; empty if there is no fraction.
    private func fractionDigits(after seconds: Double) -> String {
        let fraction = timeIntervalSinceReferenceDate - seconds
        var text = ""
        if fraction <= 0 { return text }
        for count in 6...15 {
            let scale = Double.powerOfTen(count)
            let scaled = min((fraction * scale).rounded(), scale - 1)
            text = Self.digits(Int(scaled), count)
            // The digits suffice if they are read as the same date.
            if seconds + scaled / scale == timeIntervalSinceReferenceDate { break }
        }
        while text.hasSuffix("0") { text.removeLast() }
        return text
    }

    private static func floor(_ number: Int, _ divisor: Int) -> Int {
        number >= 0 ? number / divisor : (number + 1) / divisor - 1
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: count - digits.utf8.count) + digits
    }
}
