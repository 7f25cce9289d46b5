import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    /// The date of a remote's text: as ``DateText`` reads it, or a Unix time as ``UnixTime`` does; nil if it is neither.
    ///
    /// A year has four digits and a `-` behind it, which no number has.
    ///
    /// - Complexity: O(*n*) for *n* characters
    init?(remoteText text: String) {
        let seconds = text.withUTF8Bytes { bytes in
            bytes.count > 4 && bytes[4] == UInt8(ascii: "-") ? DateText.seconds(of: bytes) : UnixTime.seconds(of: bytes)
        }
        // What is left are numbers with an exponent.
        guard let seconds = seconds ?? Value(number: text)?.double.flatMap({ UnixTime.seconds(of: $0) }) else {
            return nil
        }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

extension Value {
    /// The date of a number that is a Unix time.
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
