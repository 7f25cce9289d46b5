/// A condition on the values of records.
///
/// ``Field`` creates filters that are easier to read:
///
/// ```swift
/// Field("author.name") == "Ada" && (Field("stars") > 3 || !Field("due").isNull)
/// ```
///
/// ## Paths
///
/// A path names an attribute (`"stars"`) or a relationship to one (`"author"`). The value of a relationship is the key
/// of the record at the other end, an array if the key has several parts. A path may lead through relationships to one,
/// wherever they are stored (`"author.company.name"`). If names contain dots, the longest name that fits counts. If a
/// step leads to no record, the value at the end of the path is null.
///
/// ## Results
///
/// A filter is either true or false for a record, and every store returns the same result:
///
/// | filter | true if |
/// |---|---|
/// | ``comparison(path:_:_:)`` | neither value is null, even for ``Comparison/notEqual``, and the comparison is true |
/// | ``membership(path:_:)`` | the value is not null and equals a value of the list |
/// | ``text(path:_:_:ignoresCase:)`` | the text or locator is not null and matches; the empty text always matches |
/// | ``isNull(path:)`` | the value is null |
/// | ``and(_:)`` | all filters are true, or there are none |
/// | ``or(_:)`` | at least one filter is true |
/// | ``not(_:)`` | the filter is false |
///
/// Text, locators, bytes and identifiers are compared by their bytes, text in UTF-8. False comes before true. Numbers
/// of different kinds are compared by their exact size, with one exception. Compared with decimals, a double counts as
/// the shortest decimal that is read as that double, so `Field("price") == 9.99` finds the decimal 9.99. JSON and keys
/// of several parts have equality, as for `Value`, but no order. A value of another kind than the attribute's is an
/// error.
///
/// If case is ignored, the results of `lowercased()` are compared by Unicode scalars, which is the same in every
/// locale.
public indirect enum Filter: Sendable {
    /// The comparison of a record's value with another value.
    public enum Comparison: String, Hashable, Sendable, Codable, CaseIterable {
        /// Both are equal.
        case equal
        /// They are not equal.
        case notEqual
        /// The record's value is less.
        case less
        /// The record's value is less than or equal to the other.
        case lessOrEqual
        /// The record's value is greater.
        case greater
        /// The record's value is greater than or equal to the other.
        case greaterOrEqual
    }

    /// The way in which text is matched.
    public enum TextMatch: String, Hashable, Sendable, Codable, CaseIterable {
        /// The text contains the other text.
        case contains
        /// The text begins with the other text.
        case hasPrefix
        /// The text ends with the other text.
        case hasSuffix
    }

    /// The value at a path compares with a value; null never does.
    case comparison(path: String, Comparison, Value)
    /// The value at a path is one of several values.
    case membership(path: String, [Value])
    /// The text at a path matches; case counts unless it is ignored.
    case text(path: String, TextMatch, String, ignoresCase: Bool)
    /// The value at a path is null.
    case isNull(path: String)
    /// All filters are true.
    case and([Filter])
    /// At least one filter is true.
    case or([Filter])
    /// The filter is false.
    case not(Filter)
}
