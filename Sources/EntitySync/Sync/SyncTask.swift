import SyncPersistence

/// What is still to be done for an object of the payload.
enum SyncTask {
    /// A record takes over what an object says.
    case fill(Filling)
    /// A record is connected with those that an object lists.
    case connect(Connection)
}

/// An object and the record that it stands for.
final class Filling {
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
    let parent: RecordID?
    /// What it stands in, where attributes take their values from that.
    var surroundings: Surroundings?
    /// Whether the record takes over nothing but what the object says, as an element of a list that is replaced as a whole.
    var isWhole = false

    init(
        object: ValueObject, map: EntityMap, key: Value, storedKey: Value? = nil, place: Place, isNested: Bool,
        inverse: String? = nil, parent: RecordID? = nil
    ) {
        self.object = object
        self.map = map
        self.key = key
        self.storedKey = storedKey
        self.place = place
        self.isNested = isNested
        self.inverse = inverse
        self.parent = parent
    }

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
final class Connection {
    /// The record, by the root of its hierarchy.
    let id: RecordID
    /// The entity that has the relationship.
    let entity: String
    let relationship: RelationshipMap
    /// The keys of the others, in their order.
    let keys: [Value]
    /// Where the first of them stood in their list, where they were listed as keys.
    let indices: [Int]
    /// Whether they were listed as keys; they were objects otherwise, and have been stored.
    let isByKey: Bool
    let place: Place
    /// Whether those that are not listed stay members, and whether they are separated though they were listed as objects.
    var keeps = false
    var separates = false
    /// Which changes may be made, once it is put off.
    var operations = SyncOperations.all

    init(
        of record: Record, _ relationship: RelationshipMap, to keys: [Value], indices: [Int] = [], isByKey: Bool,
        at place: Place
    ) {
        id = RecordID(record.shape.root, record.key)
        entity = record.entity
        self.relationship = relationship
        self.keys = keys
        self.indices = indices
        self.isByKey = isByKey
        self.place = place
    }

    /// The place of one of the keys.
    func place(of key: Value) -> Place {
        guard let position = positions[key], indices.indices.contains(position) else { return place }
        return place.element(indices[position])
    }

    /// Where each key stands first; few connections need it.
    private lazy var positions = Dictionary(keys.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
}
