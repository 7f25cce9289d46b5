/// A link of a synced payload that waits for a missing record.
package struct PendingLink {
    /// The entity and the key of the record that has the relationship.
    package let entity: String
    /// The token of the record that has the relationship.
    package let owner: Value
    /// The name of the relationship, as the owner's entity declares it.
    package let relationship: String
    /// The key of the missing record.
    package let key: Value
    /// The target of a relationship to one until the missing record exists.
    package let meanwhile: Value

    /// The family of rows in which a store keeps the links, by the token of the missing record.
    package static let family = "sync.pendingLinks"

    /// The link as a store keeps it.
    package var value: Value { [.string(entity), owner, .string(relationship), key, meanwhile] }

    /// Creates a link that waits for its target.
    package init(entity: String, owner: Value, relationship: String, key: Value, meanwhile: Value) {
        self.entity = entity
        self.owner = owner
        self.relationship = relationship
        self.key = key
        self.meanwhile = meanwhile
    }

    /// Reads a link that a store has kept; nil for another value.
    package init?(_ value: Value) {
        guard case .array(let parts) = value, parts.count == 5, case .string(let entity) = parts[0],
            case .string(let relationship) = parts[2]
        else { return nil }
        self.init(entity: entity, owner: parts[1], relationship: relationship, key: parts[3], meanwhile: parts[4])
    }
}

/// A relationship of a record that waits for missing records.
///
/// It has the tokens of all listed records in their order, and of the missing ones.
package struct PendingList {
    /// The name of the relationship to many, as the owner's entity declares it.
    package let relationship: String
    /// The tokens of all listed records, in their order.
    package private(set) var listed: [Value]
    /// The tokens of the listed records that no payload has had yet.
    package var missing: Set<Value>

    /// The family of rows in which a store keeps the lists, by the token of the record that has the relationship.
    package static let family = "sync.pendingOwners"
    /// The number of the row that contains how many records wait.
    package static let count: Int64 = 0

    /// Appends the records of a former list to the current ones.
    package mutating func add(_ former: PendingList) {
        let known = Set(listed)
        listed += former.listed.filter { !known.contains($0) }
        missing.formUnion(former.missing.subtracting(known))
    }

    /// The list as a store keeps it.
    package var value: Value {
        [.string(relationship), .array(listed), .array(listed.filter { missing.contains($0) })]
    }

    /// Creates the list of a relationship.
    package init(relationship: String, listed: [Value], missing: Set<Value>) {
        self.relationship = relationship
        self.listed = listed
        self.missing = missing
    }

    /// Reads a list that a store has kept; nil for another value.
    package init?(_ value: Value) {
        guard case .array(let parts) = value, parts.count == 3, case .string(let relationship) = parts[0],
            case .array(let listed) = parts[1], case .array(let missing) = parts[2]
        else { return nil }
        self.init(relationship: relationship, listed: listed, missing: Set(missing))
    }
}
