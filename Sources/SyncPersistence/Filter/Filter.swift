/// Which records are meant: a condition on their values.
///
/// ``Field`` makes filters that are easier to read:
///
/// ```swift
/// Field("author.name") == "Ada" && (Field("stars") > 3 || !Field("due").isNull)
/// ```
///
/// ## Paths
///
/// A path names an attribute (`"stars"`), or a relationship to one (`"author"`), for which the key of the record at the
/// other end stands: an array where it has several parts. A path may lead over relationships to one, wherever they are
/// stored (`"author.company.name"`). Where names have dots themselves, the longest that fits is meant. If a step leads to
/// no record, there is null at the end of the path.
///
/// ## What holds
///
/// A filter holds or does not, there is no third; every store answers alike:
///
/// | filter | holds if |
/// |---|---|
/// | ``comparison(path:_:_:)`` | neither side is null, not even for ``Comparison/notEqual``, and they compare so |
/// | ``membership(path:_:)`` | the value is not null and equal to one of the list |
/// | ``text(path:_:_:ignoresCase:)`` | the text or locator is not null and matches; the empty text is in each |
/// | ``isNull(path:)`` | there is null |
/// | ``and(_:)`` | all hold; with none, always |
/// | ``or(_:)`` | at least one holds; with none, never |
/// | ``not(_:)`` | the other does not hold |
///
/// Text, locators, bytes and identifiers are compared by their bytes, text in UTF-8; truth values with false before true.
/// Numbers of different kinds are compared by their exact size, except that a double stands among decimals for the
/// shortest decimal that reads as it: `Field("price") == 9.99` means what it says. JSON, and keys of several parts, are
/// equal or not, as ``Value`` has it, and have no order. A value of another kind than the attribute's is an error.
///
/// Where case is ignored, text matches if what `lowercased()` makes of both does, by Unicode scalars, the same in every
/// locale.
public indirect enum Filter: Sendable {
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
