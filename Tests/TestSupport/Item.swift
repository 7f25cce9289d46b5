/// The smallest element with a key and a value, for exhaustive and random tests.
@frozen
public struct Item: Hashable, Sendable, Codable, Identifiable, CustomStringConvertible {
    public let id: Int
    public var value: Int

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
    public let id: Int
    public var text: String
    public var isDone: Bool
    public var modified: Int

    public init(id: Int, text: String, isDone: Bool = false, modified: Int = 0) {
        self.id = id
        self.text = text
        self.isDone = isDone
        self.modified = modified
    }
}
