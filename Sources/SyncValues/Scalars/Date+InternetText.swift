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
        let whole = Int(seconds)
        // Rounded down, because remainders of negative numbers are negative.
        let second = (whole % 86_400 + 86_400) % 86_400
        let day = CalendarDay(daysSinceReference: (whole - second) / 86_400)
        var text = "\(Self.digits(day.year, 4))-\(Self.digits(day.month, 2))-\(Self.digits(day.day, 2))"
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

    /// Returns a number with the given number of digits, after zeros if necessary.
    private static func digits(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: count - digits.utf8.count) + digits
    }
}
