/// An XML element and its place.
struct MarkupElement {
    /// The name, including a prefix such as `xs:`.
    let name: String
    /// The place of its opening tag.
    let position: MarkupPosition
    /// The attributes in their order, with distinct names.
    var attributes: [MarkupAttribute] = []
    /// The elements directly within it, in their order.
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
    /// The name, including a prefix.
    let name: String
    /// The value without quotation marks and references.
    let value: String
    /// The place of its name.
    let position: MarkupPosition
}
