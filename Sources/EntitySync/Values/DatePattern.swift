import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pattern of a date's text, with letters as in Unicode's date patterns: `d MMM yyyy HH:mm`.
///
/// | letters | meaning |
/// |---|---|
/// | `yyyy` | a year of four digits |
/// | `MM`, `M` | a month, of two digits or of one or two |
/// | `MMM`, `MMMM` | the English name of a month, of three letters or whole |
/// | `dd`, `d` | a day of the month |
/// | `EEE`, `EEEE` | the English name of a day of the week, which is not compared with the date |
/// | `HH`, `H` | an hour from 0 to 23 |
/// | `hh`, `h`, `a` | an hour from 1 to 12, and AM or PM |
/// | `mm`, `ss` | a minute, a second |
/// | `S` | the digits of a fraction, any number of them |
/// | `Z` | a zone: `+0200`, `+02:00`, `+02`, `Z`, `GMT`, `UT`, `UTC` and those of RFC 2822 |
///
/// Text in single quotes, and other characters, match themselves. A part in brackets is optional. Without a zone, a
/// time is in UTC.
struct DatePattern {
    /// A part of a pattern.
    private indirect enum Part {
        /// A field, by its letter and the number of letters.
        case field(Character, count: Int)
        /// Text that must be equal.
        case literal(String)
        /// Parts that may be missing together.
        case optional([Part])
    }

    /// The fields and the literal text, in the order of the pattern.
    private let parts: [Part]

    /// The pattern of RFC 2822, as in the header of a mail.
    static let mail = "[EEE, ]d MMM yyyy HH:mm[:ss] Z"

    /// Parses a pattern or the name `rfc2822`; nil if the text is neither.
    init?(_ text: String) {
        var rest = (text == "rfc2822" ? Self.mail : text)[...]
        guard let parts = Self.parts(&rest, isInner: false) else { return nil }
        self.parts = parts
    }

    /// The letters, each with its possible numbers of repetitions.
    private static let letters: [Character: ClosedRange<Int>] = [
        "y": 4...4, "M": 1...4, "d": 1...2, "E": 3...4, "H": 1...2, "h": 1...2, "a": 1...1, "m": 2...2, "s": 2...2,
        "S": 1...9, "Z": 1...5,
    ]

    /// Parses the parts of a pattern, or of its optional part; nil if they are invalid.
    private static func parts(_ rest: inout Substring, isInner: Bool) -> [Part]? {
        var parts: [Part] = []
        while let letter = rest.first {
            switch letter {
            case "[":
                rest.removeFirst()
                guard !isInner, let inner = self.parts(&rest, isInner: true) else { return nil }
                parts.append(.optional(inner))
            case "]":
                rest.removeFirst()
                return isInner ? parts : nil
            case "'":
                rest.removeFirst()
                guard let end = rest.firstIndex(of: "'") else { return nil }
                parts.append(.literal(rest[..<end].isEmpty ? "'" : String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            case _ where letter.isLetter:
                let field = rest.prefix { $0 == letter }
                guard letters[letter]?.contains(field.count) == true else { return nil }
                parts.append(.field(letter, count: field.count))
                rest = rest[field.endIndex...]
            default:
                parts.append(.literal(String(letter)))
                rest.removeFirst()
            }
        }
        return isInner ? nil : parts
    }

    /// Returns the date of a text; nil if the text does not match.
    ///
    /// - Complexity: O(*n*) for *n* characters
    func date(of text: String) -> Date? {
        text.withUTF8Bytes { bytes in
            var scanner = DigitScanner(bytes: bytes)
            var fields = Fields()
            return Self.read(parts, &scanner, &fields) && scanner.isAtEnd ? fields.date : nil
        }
    }

    /// Reads parts of a pattern; returns whether the text matches.
    private static func read(_ parts: [Part], _ scanner: inout DigitScanner, _ fields: inout Fields) -> Bool {
        for part in parts {
            switch part {
            case .literal(let text):
                guard scanner.skip(text) else { return false }
            case .optional(let inner):
                var (end, found) = (scanner, fields)
                if read(inner, &end, &found) { (scanner, fields) = (end, found) }
            case .field(let letter, let count):
                guard fields.read(letter, count, &scanner) else { return false }
            }
        }
        return true
    }
}

/// The fields of a date that have been read.
private struct Fields {
    /// The day; fields that the pattern lacks are those of 1 January 1970.
    private var (year, month, day) = (1970, 1, 1)
    /// The time of day; midnight if the pattern has none.
    private var (hour, minute, second) = (0, 0, 0)
    /// The fraction of the second.
    private var fraction = 0.0
    /// The distance from UTC.
    private var distance = 0
    /// Whether an hour of a 12-hour clock is after noon; nil if the text does not state it.
    private var isAfternoon: Bool?

    /// The English names of the months, in lower case.
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    /// The English names of the weekdays, in lower case; they do not affect the date.
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    /// The zones with a name, and their distances from UTC in hours.
    private static let zones = [
        "z": 0, "ut": 0, "utc": 0, "gmt": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
        "pst": -8, "pdt": -7,
    ]

    /// The date; nil if the day or time does not exist.
    var date: Date? {
        var hour = hour
        if let isAfternoon {
            guard 1...12 ~= hour else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        }
        guard let day = CalendarDay(year: year, month: month, day: day), hour < 24, minute < 60, second <= 60,
            let seconds = DateText.seconds(
                day: day, seconds: hour * 3_600 + minute * 60 + second - distance, fraction: fraction,
                isLeapSecond: second == 60)
        else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// Reads a field; returns whether the text has it.
    mutating func read(_ letter: Character, _ count: Int, _ scanner: inout DigitScanner) -> Bool {
        func number() -> Int? { count == 1 ? scanner.oneOrTwoDigits() : scanner.digits(count) }
        func name(of names: [String]) -> Int? {
            let text = scanner.letters()
            return names.firstIndex { count == 3 ? $0.prefix(3) == text : $0 == text }.map { $0 + 1 }
        }
        switch letter {
        case "y": return Self.set(&year, number())
        case "M": return Self.set(&month, count > 2 ? name(of: Self.months) : number())
        case "d": return Self.set(&day, number())
        case "H", "h": return Self.set(&hour, number())
        case "m": return Self.set(&minute, number())
        case "s": return Self.set(&second, number())
        case "E": return name(of: Self.weekdays) != nil
        case "a":
            isAfternoon = ["am": false, "pm": true][scanner.letters(limit: 2)]
            return isAfternoon != nil
        case "S": return Self.set(&fraction, scanner.fraction())
        default:
            let zone = scanner.letters()
            return Self.set(&distance, zone.isEmpty ? scanner.offset() : Self.zones[zone].map { $0 * 3_600 })
        }
    }

    /// Sets a field to a value that was read; returns whether there is one.
    private static func set<Content>(_ field: inout Content, _ content: Content?) -> Bool {
        if let content { field = content }
        return content != nil
    }
}
