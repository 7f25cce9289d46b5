/// The smallest element with a key and a value, for exhaustive and random tests.
@frozen
public struct Item: Hashable, Sendable, Codable, Identifiable, CustomStringConvertible {
    /// The key.
    public let id: Int
    /// The content beside the key.
    public var value: Int

    /// Creates an item with a key and a value.
    @inlinable
    public init(_ id: Int, _ value: Int = 0) {
        self.id = id
        self.value = value
    }

    /// The key, and the value as a letter, such as `3b`.
    public var description: String {
        "\(id)\(value < 26 ? String(UnicodeScalar(UInt8(97 + value))) : ":\(value)")"
    }
}

/// A record of an app, for examples.
public struct Note: Hashable, Sendable, Codable, Identifiable {
    /// The key.
    public let id: Int
    /// The text of the note.
    public var text: String
    /// Whether the note is done.
    public var isDone: Bool
    /// A number that grows with each edit.
    public var modified: Int

    /// Creates a note.
    public init(id: Int, text: String, isDone: Bool = false, modified: Int = 0) {
        self.id = id
        self.text = text
        self.isDone = isDone
        self.modified = modified
    }
}
