/// A step of a coding path for which no type has a key: an element's index, or `super`.
struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init?(intValue: Int) { self.init(index: intValue) }

    /// Creates the key of a member.
    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    /// The key of a superclass's content.
    static let `super` = PathKey("super")
}
