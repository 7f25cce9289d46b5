import SyncPersistence

/// What is still to be done for an object of the payload.
enum SyncTask {
    /// A record takes over what an object says.
    case fill(Filling)
    /// A record is connected with those that an object lists.
    case connect(Connection)
}

/// An object and the record that it stands for.
struct Filling {
    let object: ValueObject
    let map: EntityMap
    /// What tells the object apart: the primary key as a rule.
    var key: Value
    /// The primary key of the record, where that is something else.
    var storedKey: Value?
    let place: Place
    /// Whether it stands in another object.
    let isNested: Bool
    /// The owner that the record belongs to.
    var owner: Owner?
    /// The relationship that leads back to the object in which it stands: what the object says of it does not count.
    var inverse: String?
    /// The record of the object in which it stands.
    var parent: RecordID?

    /// A record's owner, named in a slot of the record.
    struct Owner {
        let slot: String
        let key: Value
        /// The slot of the record's place among the owner's, where those have an order.
        var positionSlot: String?
        /// The place, where it is known.
        var place: Int?
        /// Whether it is the parent of the whole payload.
        var isParent = false
    }
}

/// A record, and the records that one of its relationships is to lead to.
struct Connection {
    /// The record, by the root of its hierarchy.
    let id: RecordID
    /// The entity that has the relationship.
    let entity: String
    let relationship: RelationshipMap
    /// The keys of the others, in their order.
    let keys: [Value]
    /// Whether they were listed as keys; they were objects otherwise, and have been stored.
    let isByKey: Bool
    let place: Place
}
