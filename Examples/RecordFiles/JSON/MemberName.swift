import DifferentialSync

/// The name of a member of an object, compared scalar by scalar.
///
/// Swift compares texts by their characters, so `é` as one scalar would be the same name as `é` as two.
package struct MemberName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The name in quotes, as JSON has it.
    package var quoted: String { JSONValue.quoted(text) }

    package static func == (left: MemberName, right: MemberName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension MemberName: Comparable {
    package static func < (left: MemberName, right: MemberName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension MemberName: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        self.init(text)
    }
}

extension MemberName: CustomStringConvertible {
    package var description: String { text }
}

extension MemberName: FieldName {
    package var fieldName: String { text }
}
