/// A step of a coding path for which no type has a key: an element's index, or `super`.
package struct PathKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    package init?(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    package init?(intValue: Int) { self.init(index: intValue) }

    /// Creates the key of a member.
    package init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    /// The key of a superclass's content.
    static let `super` = PathKey("super")
}
