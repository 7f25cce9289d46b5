/// The smallest element with a key and a value, for exhaustive and random tests.
@frozen
public struct Item: Hashable, Sendable, Codable, Identifiable, CustomStringConvertible {
    /// The key.
    public let id: Int
    /// All the rest.
    public var value: Int

    /// An item of the given key and value.
    @inlinable
    public init(_ id: Int, _ value: Int = 0) {
        self.id = id
        self.value = value
    }

    /// Such as `3b`: the key, and the value as a letter.
    public var description: String {
        "\(id)\(value < 26 ? String(UnicodeScalar(UInt8(97 + value))) : ":\(value)")"
    }
}

/// A record as apps have them, for examples.
public struct Note: Hashable, Sendable, Codable, Identifiable {
    /// The key.
    public let id: Int
    /// What the note says.
    public var text: String
    /// Whether it has been dealt with.
    public var isDone: Bool
    /// A number that grows with each edit.
    public var modified: Int

    /// A note of the given parts.
    public init(id: Int, text: String, isDone: Bool = false, modified: Int = 0) {
        self.id = id
        self.text = text
        self.isDone = isDone
        self.modified = modified
    }
}
