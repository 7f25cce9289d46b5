#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    /// The date that text of RFC 3339 stands for, `2026-01-31T12:00:00.25Z`; nil if it is none.
    init?(internetText text: String) {
        let seconds: Double? = text.withUTF8Bytes { text in
            var fields = Fields(text: text)
            guard let year = fields.number(4), fields.skip("-"), let month = fields.number(2), fields.skip("-"),
                let day = fields.number(2), fields.skip("T") || fields.skip("t") || fields.skip(" "),
                let hour = fields.number(2), fields.skip(":"), let minute = fields.number(2), fields.skip(":"),
                let second = fields.number(2), let fraction = fields.fraction(), let offset = fields.offset(),
                fields.isAtEnd, 1...12 ~= month, 1...Self.days(in: month, of: year) ~= day, hour < 24, minute < 60,
                second < 60
            else { return nil }
            // Years that begin with March, as for writing; day 730,791 is the first of 2001.
            let (yearOfMarch, shiftedMonth) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
            let era = yearOfMarch >= 0 ? yearOfMarch / 400 : -1
            let yearOfEra = yearOfMarch - era * 400
            let dayOfEra =
                yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * shiftedMonth + 2) / 5 + day - 1
            let days = era * 146_097 + dayOfEra - 730_791
            return Double(days * 86_400 + hour * 3_600 + minute * 60 + second - offset) + fraction
        }
        guard let seconds else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The fields of a text, from its beginning on.
    private struct Fields {
        // because: it lives no longer than the call to which the bytes were lent.
        let text: UnsafeRawBufferPointer
        var position = 0

        var isAtEnd: Bool { position == text.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func digit() -> Int? {
            guard position < text.count, text[position] &- UInt8(ascii: "0") < 10 else { return nil }
            position += 1
            return Int(text[position - 1] - UInt8(ascii: "0"))
        }

        mutating func number(_ count: Int) -> Int? {
            var number = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// What follows a point, 0 where there is none.
        mutating func fraction() -> Double? {
            guard skip(".") else { return 0 }
            guard var number = digit() else { return nil }
            var scale = 10.0
            while let digit = digit() {
                // More digits than these make no difference to a double.
                if scale >= 1e17 { continue }
                number = number * 10 + digit
                scale *= 10
            }
            return Double(number) / scale
        }

        /// The seconds that the zone is ahead of UTC.
        mutating func offset() -> Int? {
            if skip("Z") || skip("z") { return 0 }
            let isAhead = skip("+")
            guard isAhead || skip("-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24,
                minutes < 60
            else { return nil }
            return (isAhead ? 1 : -1) * (hours * 3_600 + minutes * 60)
        }
    }
}
