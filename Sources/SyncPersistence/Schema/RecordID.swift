/// The identity of a record: its entity and its primary key.
public struct RecordID: Hashable, Sendable {
    /// The name of the entity, or of one that it inherits.
    public let entity: String

    /// The primary key; an array if it has several parts.
    public let key: Value

    /// Creates the identity of a record.
    public init(_ entity: String, _ key: Value) {
        self.entity = entity
        self.key = key
    }

    /// Returns the identifier under the name of its hierarchy's root; itself if the schema lacks the entity.
    package func rooted(in schema: Schema) -> RecordID { RecordID(schema[entity]?.root ?? entity, key) }
}

extension RecordID: CustomStringConvertible {
    /// The entity and the key, for example `User 7`.
    public var description: String { "\(entity) \(key)" }
}

extension RecordID: Codable {}

extension RecordID {
    /// Whether one record comes before another in lists.
    package static func areInIncreasingOrder(_ left: RecordID, _ right: RecordID) -> Bool {
        left.entity == right.entity
            ? Value.areInIncreasingOrder(left.key, right.key) : left.entity < right.entity
    }
}
