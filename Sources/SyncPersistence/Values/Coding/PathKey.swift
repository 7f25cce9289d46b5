/// A step of a coding path that no type has a key for: an element's index, or `super`.
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

    /// The key of a member.
    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    /// The key under which what a class inherits is coded.
    static let `super` = PathKey("super")
}
