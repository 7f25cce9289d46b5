/// What is at the end of a path, to make a ``Filter`` of.
///
/// ```swift
/// Field("author.name") == "Ada" && (Field("stars") > 3 || !Field("due").isNull)
/// Field("id").isOne(of: [7, 8])
/// Field("title").contains("milk", ignoringCase: true)
/// ```
public struct Field: Sendable {
    /// The name of an attribute or relationship, or a path over relationships to one.
    public let path: String

    /// What is at the end of a path.
    public init(_ path: String) {
        self.path = path
    }
}

extension Field {
    /// Both are equal; with nil, whether the field is null.
    public static func == (field: Field, value: Value) -> Filter {
        value.isNull ? field.isNull : .comparison(path: field.path, .equal, value)
    }

    /// Neither is null, and they are not equal; with nil, whether the field is not null.
    public static func != (field: Field, value: Value) -> Filter {
        value.isNull ? !field.isNull : .comparison(path: field.path, .notEqual, value)
    }

    /// The field is less; null is not.
    public static func < (field: Field, value: Value) -> Filter { .comparison(path: field.path, .less, value) }

    /// The field is not greater; null is neither.
    public static func <= (field: Field, value: Value) -> Filter { .comparison(path: field.path, .lessOrEqual, value) }

    /// The field is greater; null is not.
    public static func > (field: Field, value: Value) -> Filter { .comparison(path: field.path, .greater, value) }

    /// The field is not less; null is neither.
    public static func >= (field: Field, value: Value) -> Filter {
        .comparison(path: field.path, .greaterOrEqual, value)
    }
}

extension Field {
    /// The field is null, or a step of the path leads nowhere.
    public var isNull: Filter { .isNull(path: path) }

    /// The field is one of several values; null is never.
    public func isOne(of values: some Sequence<Value>) -> Filter { .membership(path: path, Array(values)) }

    /// The field's text contains another.
    public func contains(_ text: String, ignoringCase: Bool = false) -> Filter {
        .text(path: path, .contains, text, ignoresCase: ignoringCase)
    }

    /// The field's text begins with another.
    public func hasPrefix(_ text: String, ignoringCase: Bool = false) -> Filter {
        .text(path: path, .hasPrefix, text, ignoresCase: ignoringCase)
    }

    /// The field's text ends with another.
    public func hasSuffix(_ text: String, ignoringCase: Bool = false) -> Filter {
        .text(path: path, .hasSuffix, text, ignoresCase: ignoringCase)
    }
}
