import SyncPersistence

/// A step of processing an object.
enum SyncTask {
    /// Stores the record of an object.
    case fill(PayloadObject)
    /// Connects a record with others.
    case connect(Connection)
}

/// An object of the payload, with the key of its record.
final class PayloadObject {
    /// The members of the object.
    let object: ValueObject
    /// The entity of the list in which the object is; the object itself may be of an inheriting one.
    let map: EntityMap
    /// The key that identifies the object, usually the primary key of the record.
    var key: Value
    /// The primary key of the record; it may be nil if `key` is the primary key.
    ///
    /// It may be equal to `key` by chance if it was counted.
    var storedKey: Value?
    /// The place in the payload, for reports.
    let place: Place
    /// Whether it is nested in another object.
    let isNested: Bool
    /// The owner of the record.
    var owner: Owner?
    /// The relationship to the record of the outer object, for which the object's own values are ignored.
    var inverse: String?
    /// The record of the outer object.
    let parent: RecordID?
    /// Its surroundings, if attributes take values from them.
    var surroundings: Surroundings?
    /// Whether the object replaces all values of the record, as in a list without keys.
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

    /// The owner of a record, whose key is stored in a slot of the record.
    struct Owner {
        /// The slot of the record that has the key of its owner.
        let slot: String
        /// The key of the owner.
        let key: Value
        /// The slot of the record's position in an ordered relationship.
        var positionSlot: String?
        /// The position; nil if it is unknown.
        var place: Int?
        /// Whether it is the parent that the call specifies.
        var isParent = false
    }
}

/// A record, and the records that one of its relationships should lead to.
final class Connection {
    /// The record, with the root of its hierarchy as the entity.
    let id: RecordID
    /// The entity that has the relationship.
    let entity: String
    /// The relationship that connects them.
    let relationship: RelationshipMap
    /// The keys of the other records, in order.
    let keys: [Value]
    /// The positions of the keys in their list; empty for objects.
    let indices: [Int]
    /// Whether they were listed as keys, not as objects, which have been stored.
    let isByKey: Bool
    /// The place of the list or object in the payload, for reports.
    let place: Place
    /// Whether unlisted records stay connected, because the list is partial.
    var keeps = false
    /// Whether unlisted records are disconnected instead of deleted.
    var separates = false
    /// The changes that may be made.
    let operations: SyncOperations

    init(
        of record: Record, _ relationship: RelationshipMap, to keys: [Value], indices: [Int] = [], isByKey: Bool,
        _ operations: SyncOperations, at place: Place
    ) {
        id = record.rootID
        entity = record.entity
        self.relationship = relationship
        self.keys = keys
        self.indices = indices
        self.isByKey = isByKey
        self.operations = operations
        self.place = place
    }

    /// Returns the place where the payload lists a key first; the place of the whole list for a key without an index.
    func place(of key: Value) -> Place {
        guard let position = positions[key], indices.indices.contains(position) else { return place }
        return place.element(indices[position])
    }

    /// The first position of each key.
    private lazy var positions = Dictionary(keys.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
}
