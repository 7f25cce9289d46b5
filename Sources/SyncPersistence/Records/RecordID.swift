/// Which record: its entity and its primary key.
public struct RecordID: Hashable, Sendable {
    /// The name of the entity, or of one that it inherits.
    public let entity: String

    /// The primary key; of several parts, an array.
    public let key: Value

    /// The record of an entity that has a key.
    public init(_ entity: String, _ key: Value) {
        self.entity = entity
        self.key = key
    }
}

extension RecordID: CustomStringConvertible {
    /// Such as `User 7`.
    public var description: String { "\(entity) \(key)" }
}

extension RecordID: Codable {}
