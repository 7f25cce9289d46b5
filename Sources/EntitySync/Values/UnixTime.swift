import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Times since the beginning of 1970 in UTC, in seconds, milliseconds or microseconds.
///
/// The number of digits before the point gives the unit, regardless of the sign:
///
/// | digits | unit | from | to |
/// |---|---|---|---|
/// | up to 11 | seconds | 1970 | 5138 |
/// | 12 to 14 | milliseconds | 1973 | 5138 |
/// | 15 to 17 | microseconds | 1973 | 5138 |
///
/// The 10, 13 and 16 digits of current times are well within their ranges. Numbers with more than 17 digits are not
/// times. Each unit may have a fraction. A point in time is the same date in all units and as text of RFC 3339. The
/// reason is that each date is the sum of whole seconds and the double nearest to the fraction.
enum UnixTime {
    /// The seconds from 1970 to 2001, the reference date of `Date`.
    static let reference = 978_307_200

    /// Returns the seconds since the beginning of 2001; nil if there are too many digits.
    static func seconds(of number: Int64) -> Double? {
        seconds(magnitude: number.magnitude, isNegative: number < 0, fraction: 0)
    }

    /// Returns the seconds since the beginning of 2001; nil if there are too many digits.
    ///
    /// The fraction has the digits with which the double is written, not its exact binary value.
    static func seconds(of number: Double) -> Double? {
        guard number.magnitude < 1e17 else { return nil }
        if let integer = Int64(exactly: number) { return seconds(of: integer) }
        return number.description.withUTF8Bytes { seconds(of: $0) }
            // Numbers below a ten-thousandth are written with an exponent.
            ?? seconds(magnitude: 0, isNegative: number < 0, fraction: number.magnitude)
    }

    /// Returns the seconds since the beginning of 2001 for a JSON number without an exponent; nil for other text, or
    /// too many digits.
    static func seconds(of text: UnsafeRawBufferPointer) -> Double? {
        var scanner = DigitScanner(bytes: text)
        let isNegative = scanner.skip(UInt8(ascii: "-"))
        guard let magnitude = scanner.number() else { return nil }
        let fraction: Double
        if scanner.skip(UInt8(ascii: ".")) {
            guard let digits = scanner.fraction() else { return nil }
            fraction = digits
        } else {
            fraction = 0
        }
        guard scanner.isAtEnd else { return nil }
        return seconds(magnitude: magnitude, isNegative: isNegative, fraction: fraction)
    }

    /// Returns the seconds since the beginning of 2001; nil if there are too many digits.
    private static func seconds(magnitude: UInt64, isNegative: Bool, fraction: Double) -> Double? {
        let unit: UInt64 =
            switch magnitude {
            case ..<100_000_000_000: 1
            case ..<100_000_000_000_000: 1_000
            case ..<100_000_000_000_000_000: 1_000_000
            default: 0
            }
        guard unit > 0 else { return nil }
        let whole = Int(magnitude / unit)
        let rest = (Double(magnitude % unit) + fraction) / Double(unit)
        return isNegative ? Double(-whole - reference) - rest : Double(whole - reference) + rest
    }
}
