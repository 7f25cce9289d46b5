/// A step of a coding path for which no type has a key: an element's index, or `super`.
package struct PathKey: CodingKey {
    /// The name, or a text like `Index 3` for an index.
    package let stringValue: String
    /// The index; nil for a name.
    package let intValue: Int?

    /// Creates the key of an element.
    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    /// Creates the key of a member.
    package init?(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    /// Creates the key of an element.
    package init?(intValue: Int) { self.init(index: intValue) }

    /// Creates the key of a member.
    package init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    /// The key of a superclass's content.
    static let `super` = PathKey("super")
}
