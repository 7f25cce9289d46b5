/// Which records are meant: a condition on their values.
public indirect enum Filter: Hashable, Sendable, Codable {
    /// How two values are compared.
    public enum Comparison: String, Hashable, Sendable, Codable, CaseIterable {
        /// Both are equal.
        case equal
        /// They are not equal.
        case notEqual
        /// The record's is less.
        case less
        /// The record's is not greater.
        case lessOrEqual
        /// The record's is greater.
        case greater
        /// The record's is not less.
        case greaterOrEqual
    }

    /// How text is matched.
    public enum TextMatch: String, Hashable, Sendable, Codable, CaseIterable {
        /// It contains the other.
        case contains
        /// It begins with the other.
        case hasPrefix
        /// It ends with the other.
        case hasSuffix
    }

    /// The value at a path compares with a value; one that is null does not.
    case comparison(path: String, Comparison, Value)
    /// The value at a path is one of several.
    case membership(path: String, [Value])
    /// The text at a path matches; upper and lower case differ unless they are ignored.
    case text(path: String, TextMatch, String, ignoresCase: Bool)
    /// The value at a path is null.
    case isNull(path: String)
    /// All hold.
    case and([Filter])
    /// At least one holds.
    case or([Filter])
    /// The other does not hold.
    case not(Filter)
}
