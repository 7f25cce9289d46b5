/// An XML element and its place.
struct MarkupElement {
    let name: String
    let position: MarkupPosition
    var attributes: [MarkupAttribute] = []
    var children: [MarkupElement] = []
    /// The text between its tags, without that of its children.
    var text = ""

    /// Returns an attribute; nil if there is none with the name.
    func attribute(_ name: String) -> MarkupAttribute? { attributes.first { $0.name == name } }

    /// Returns the value of an attribute; nil if there is none with the name.
    subscript(name: String) -> String? { attribute(name)?.value }
}

/// An attribute of an element and its place.
struct MarkupAttribute {
    let name: String
    let value: String
    let position: MarkupPosition
}

/// A place in a text: line and column in Unicode scalars, both from 1.
struct MarkupPosition: Hashable, Comparable {
    var line = 1
    var column = 1

    static func < (left: MarkupPosition, right: MarkupPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
