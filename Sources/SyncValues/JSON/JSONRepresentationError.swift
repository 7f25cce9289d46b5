/// The error for a value that cannot be written as plain JSON, with its path.
///
/// ```
/// the value at places[3].latitude is infinite, which JSON has no number for: put null or text in its place
/// ```
public struct JSONRepresentationError: Error, Hashable {
    /// The reasons why a value has no JSON form.
    ///
    /// Later versions may add reasons: a `switch` needs a `default`.
    public enum Code: Hashable, Sendable {
        /// A double is infinite.
        case infinite
        /// A double or decimal is not a number.
        case notANumber
        /// A date is NaN, or outside of the years 0 to 9999.
        case dateOutOfRange
    }

    /// The reason why the value has no JSON form.
    public let code: Code
    /// The path of the value, `places[3].latitude`; empty for the outermost value.
    public private(set) var path = ""

    /// Creates the error for the outermost value.
    init(_ code: Code) {
        self.code = code
    }

    /// Returns the error with a step from the containing value before its path.
    func inside(_ step: String) -> JSONRepresentationError {
        var error = self
        error.path = step + path
        return error
    }
}

extension JSONRepresentationError: CustomStringConvertible {
    /// The path, the reason and a remedy.
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
