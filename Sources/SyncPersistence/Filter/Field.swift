/// The value at the end of a path, from which filters are created.
///
/// ```swift
/// Field("author.name") == "Ada" && (Field("stars") > 3 || !Field("due").isNull)
/// Field("id").isOne(of: [7, 8])
/// Field("title").contains("milk", ignoringCase: true)
/// ```
public struct Field: Sendable {
    /// The name of an attribute or relationship, or a path through relationships to one.
    public let path: String

    /// Creates the field at the end of a path.
    public init(_ path: String) {
        self.path = path
    }
}

extension Field {
    /// Returns a filter for records whose field equals a value; with nil, whose field is null.
    ///
    /// Text is equal if its Unicode scalars are, and numbers of different types are compared by size, without rounding.
    public static func == (field: Field, value: Value) -> Filter {
        value.isNull ? field.isNull : .comparison(path: field.path, .equal, value)
    }

    /// Returns a filter for records whose field is not null and does not equal a value; with nil, whose field is not
    /// null.
    ///
    /// To include null, negate the equality: `!(Field("age") == 36)`.
    public static func != (field: Field, value: Value) -> Filter {
        value.isNull ? !field.isNull : .comparison(path: field.path, .notEqual, value)
    }

    /// Returns a filter for records whose field is less than a value; null is not.
    ///
    /// Numbers are compared by size, text by its UTF-8 bytes, and dates by time.
    ///
    /// A JSON attribute has no order: reading by the filter then throws ``PersistenceError`` with the code
    /// ``PersistenceError/Code/wrongType``.
    public static func < (field: Field, value: Value) -> Filter { .comparison(path: field.path, .less, value) }

    /// Returns a filter for records whose field is less than or equal to a value; null is not.
    public static func <= (field: Field, value: Value) -> Filter { .comparison(path: field.path, .lessOrEqual, value) }

    /// Returns a filter for records whose field is greater than a value; null is not.
    public static func > (field: Field, value: Value) -> Filter { .comparison(path: field.path, .greater, value) }

    /// Returns a filter for records whose field is greater than or equal to a value; null is not.
    public static func >= (field: Field, value: Value) -> Filter {
        .comparison(path: field.path, .greaterOrEqual, value)
    }
}

extension Field {
    /// A filter for records whose field is null, or where a step of the path leads to no record.
    public var isNull: Filter { .isNull(path: path) }

    /// Returns a filter for records whose field is one of several values; null never is.
    ///
    /// The values may be tens of thousands. An empty list matches no record.
    public func isOne(of values: some Sequence<Value>) -> Filter { .membership(path: path, Array(values)) }

    /// Returns a filter for records whose field contains a text.
    ///
    /// Text is compared by Unicode scalars. No character is a wildcard.
    ///
    /// - Parameters:
    ///   - text: The text to find; the empty text is in every text.
    ///   - ignoringCase: Whether both are compared in lower case, by the rules of Unicode and of no language.
    public func contains(_ text: String, ignoringCase: Bool = false) -> Filter {
        .text(path: path, .contains, text, ignoresCase: ignoringCase)
    }

    /// Returns a filter for records whose field begins with a text.
    ///
    /// An index on the attribute finds the records if case counts.
    ///
    /// - Parameters:
    ///   - text: The beginning, compared by Unicode scalars.
    ///   - ignoringCase: Whether both are compared in lower case, by the rules of Unicode and of no language.
    public func hasPrefix(_ text: String, ignoringCase: Bool = false) -> Filter {
        .text(path: path, .hasPrefix, text, ignoresCase: ignoringCase)
    }

    /// Returns a filter for records whose field ends with a text.
    ///
    /// - Parameters:
    ///   - text: The end, compared by Unicode scalars.
    ///   - ignoringCase: Whether both are compared in lower case, by the rules of Unicode and of no language.
    public func hasSuffix(_ text: String, ignoringCase: Bool = false) -> Filter {
        .text(path: path, .hasSuffix, text, ignoresCase: ignoringCase)
    }
}
