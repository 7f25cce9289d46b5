import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    /// Returns the date of a remote's text, as `DateText` reads it or as a Unix time by `UnixTime`; nil if it is
    /// neither.
    ///
    /// Text of four or eight digits is a year or a day, never a Unix time.
    ///
    /// - Complexity: O(*n*) for *n* characters
    init?(remoteText text: String) {
        let (seconds, isCalendarDate) = text.withUTF8Bytes { bytes in
            let isCalendarDate = DateText.isCalendarDate(bytes)
            return (isCalendarDate ? DateText.seconds(of: bytes) : UnixTime.seconds(of: bytes), isCalendarDate)
        }
        if let seconds {
            self.init(timeIntervalSinceReferenceDate: seconds)
        } else if !isCalendarDate, let seconds = Value(number: text)?.double.flatMap({ UnixTime.seconds(of: $0) }) {
            // The remaining texts are numbers with an exponent.
            self.init(timeIntervalSinceReferenceDate: seconds)
        } else {
            return nil
        }
    }
}

extension Value {
    /// Returns the date of a number that is a Unix time.
    var unixDate: Date? {
        let seconds: Double? =
            switch self {
            case .integer(let number): UnixTime.seconds(of: number)
            case .double(let number): UnixTime.seconds(of: number)
            case .decimal(let number):
                number.exactText.withUTF8Bytes { UnixTime.seconds(of: $0) }
                    ?? number.nearestDouble.flatMap { UnixTime.seconds(of: $0) }
            default: nil
            }
        return seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}
