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
    private indirect enum Part {
        case field(Character, count: Int)
        case literal(String)
        case optional([Part])
    }

    private let parts: [Part]

    /// The pattern of RFC 2822, as in the header of a mail.
    static let mail = "[EEE, ]d MMM yyyy HH:mm[:ss] Z"

    /// Parses a pattern or the name `rfc2822`; nil if the text is neither.
    init?(_ text: String) {
        var rest = (text == "rfc2822" ? Self.mail : text)[...]
        guard let parts = Self.parts(&rest, isInner: false) else { return nil }
        self.parts = parts
    }

    private static let letters: [Character: ClosedRange<Int>] = [
        "y": 4...4, "M": 1...4, "d": 1...2, "E": 3...4, "H": 1...2, "h": 1...2, "a": 1...1, "m": 2...2, "s": 2...2,
        "S": 1...9, "Z": 1...5,
    ]

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
        var rest = text[...]
        var fields = Fields()
        guard Self.read(parts, &rest, &fields), rest.isEmpty else { return nil }
        return fields.date
    }

    private static func read(_ parts: [Part], _ rest: inout Substring, _ fields: inout Fields) -> Bool {
        for part in parts {
            switch part {
            case .literal(let text):
                guard rest.hasPrefix(text) else { return false }
                rest.removeFirst(text.count)
            case .optional(let inner):
                var (end, found) = (rest, fields)
                if read(inner, &end, &found) { (rest, fields) = (end, found) }
            case .field(let letter, let count):
                guard fields.read(letter, count, &rest) else { return false }
            }
        }
        return true
    }
}

/// The fields of a date that have been read.
private struct Fields {
    private var (year, month, day) = (1970, 1, 1)
    private var (hour, minute, second) = (0, 0, 0)
    private var fraction = 0.0
    private var distance = 0
    private var isAfternoon: Bool?

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let zones = [
        "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
        "PST": -8, "PDT": -7,
    ]

    /// The date; nil if there is no such day or time.
    var date: Date? {
        var hour = hour
        if let isAfternoon {
            guard 1...12 ~= hour else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        }
        guard let days = DateText.days(year: year, month: month, day: day), hour < 24, minute < 60, second <= 60,
            let seconds = DateText.seconds(
                days: days, seconds: hour * 3_600 + minute * 60 + second - distance, fraction: fraction,
                isLeapSecond: second == 60)
        else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// Reads a field; returns whether the text has it.
    mutating func read(_ letter: Character, _ count: Int, _ rest: inout Substring) -> Bool {
        switch letter {
        case "y": Self.number(4...4, &rest, into: &year)
        case "M" where count > 2: Self.name(Self.months, count, &rest, into: &month)
        case "M": Self.number(count...2, &rest, into: &month)
        case "d": Self.number(count...2, &rest, into: &day)
        case "H", "h": Self.number(count...2, &rest, into: &hour)
        case "m": Self.number(2...2, &rest, into: &minute)
        case "s": Self.number(2...2, &rest, into: &second)
        case "E":
            {
                var ignored = 0
                return Self.name(Self.weekdays, count, &rest, into: &ignored)
            }()
        case "a": readHalf(&rest)
        case "S": readFraction(&rest)
        default: readZone(&rest)
        }
    }

    private mutating func readHalf(_ rest: inout Substring) -> Bool {
        let text = rest.prefix(2).lowercased()
        guard text == "am" || text == "pm" else { return false }
        isAfternoon = text == "pm"
        rest.removeFirst(2)
        return true
    }

    private mutating func readFraction(_ rest: inout Substring) -> Bool {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, let number = Double("0." + digits) else { return false }
        fraction = number
        rest = rest[digits.endIndex...]
        return true
    }

    private mutating func readZone(_ rest: inout Substring) -> Bool {
        let name = rest.prefix { $0.isLetter }
        if !name.isEmpty {
            guard let hours = Self.zones[name.uppercased()] else { return false }
            distance = hours * 3_600
            rest = rest[name.endIndex...]
            return true
        }
        guard let sign = rest.first, sign == "+" || sign == "-" else { return false }
        rest.removeFirst()
        var (hours, minutes) = (0, 0)
        guard Self.number(2...2, &rest, into: &hours), hours < 24 else { return false }
        if rest.first == ":" { rest.removeFirst() }
        if rest.first?.isNumber == true {
            guard Self.number(2...2, &rest, into: &minutes), minutes < 60 else { return false }
        }
        distance = (hours * 3_600 + minutes * 60) * (sign == "-" ? -1 : 1)
        return true
    }

    /// Reads as many digits as follow, within a range.
    private static func number(_ count: ClosedRange<Int>, _ rest: inout Substring, into number: inout Int) -> Bool {
        let digits = rest.prefix(count.upperBound).prefix { $0.isASCII && $0.isNumber }
        guard digits.count >= count.lowerBound, let read = Int(digits) else { return false }
        number = read
        rest = rest[digits.endIndex...]
        return true
    }

    /// Reads a name of a list in any case; returns its number from 1.
    private static func name(_ names: [String], _ count: Int, _ rest: inout Substring, into number: inout Int) -> Bool {
        let letters = rest.prefix { $0.isLetter }
        let text = letters.lowercased()
        guard let position = names.firstIndex(where: { count == 3 ? $0.prefix(3) == text : $0 == text }) else {
            return false
        }
        number = position + 1
        rest = rest[letters.endIndex...]
        return true
    }
}
