/// Why a value cannot be written as plain JSON, and which one inside of it is the cause.
///
/// ```
/// the value at places[3].latitude is infinite, which JSON has no number for: put null or text in its place
/// ```
public struct JSONRepresentationError: Error, Hashable {
    /// Why there is no JSON for a value.
    public enum Code: Hashable, Sendable {
        /// A double is infinite.
        case infinite
        /// A double or decimal is not a number.
        case notANumber
        /// A date is before the year 0 or after the year 9999, or no point in time at all.
        case dateOutOfRange
    }

    /// Why there is no JSON for the value.
    public let code: Code
    /// Where the value is, `places[3].latitude`; empty if it is the whole.
    public private(set) var path = ""

    init(_ code: Code) {
        self.code = code
    }

    /// The error as seen from a container of which the value that it was found in is a part.
    func inside(_ step: String) -> JSONRepresentationError {
        var error = self
        error.path = step + path
        return error
    }
}

extension JSONRepresentationError: CustomStringConvertible {
    /// What cannot be written, where, and what to do about it.
    public var description: String {
        let place = path.isEmpty ? "the value" : "the value at \(path.hasPrefix(".") ? String(path.dropFirst()) : path)"
        return switch code {
        case .infinite: "\(place) is infinite, which JSON has no number for: put null or text in its place"
        case .notANumber: "\(place) is not a number, which JSON has no form for: put null or text in its place"
        case .dateOutOfRange:
            "\(place) is a date outside of the years 0 to 9999 of RFC 3339: put null or a number in its place"
        }
    }
}
