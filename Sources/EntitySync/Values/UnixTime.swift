import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Times since the beginning of 1970 in UTC, in seconds, milliseconds or microseconds.
///
/// Which it is, the digits before the point tell, regardless of the sign:
///
/// | digits | unit | from | to |
/// |---|---|---|---|
/// | up to 11 | seconds | 1970 | 5138 |
/// | 12 to 14 | milliseconds | 1973 | 5138 |
/// | 15 to 17 | microseconds | 1973 | 5138 |
///
/// So the 10, 13 and 16 digits of today's times have room on both sides; more than 17 are no time. A fraction counts in
/// each unit. One point in time is the same date in all units and as text of RFC 3339: all are put together in the same
/// way, of whole seconds and a fraction that is the double next to it.
enum UnixTime {
    /// The seconds from 1970 to 2001, with which `Date` begins.
    static let reference = 978_307_200

    /// The seconds since the beginning of 2001; nil if there are too many digits.
    static func seconds(of number: Int64) -> Double? {
        seconds(magnitude: number.magnitude, isNegative: number < 0, fraction: 0)
    }

    /// The seconds since the beginning of 2001; nil if there are too many digits.
    ///
    /// A fraction is taken as the digits by which the double is written, not as the bits that it has.
    static func seconds(of number: Double) -> Double? {
        guard number.magnitude < 1e17 else { return nil }
        if let integer = Int64(exactly: number) { return seconds(of: integer) }
        return number.description.withUTF8Bytes { seconds(of: $0) }
            // Below a ten-thousandth, there is an exponent.
            ?? seconds(magnitude: 0, isNegative: number < 0, fraction: number.magnitude)
    }

    /// The seconds since the beginning of 2001 of a JSON number without an exponent; nil if it is none, or has too many
    /// digits.
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
