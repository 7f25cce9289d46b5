import SyncPersistence

/// Finds and makes the records of objects without a key.
///
/// Each is a part of the record in whose object it is nested.
///
/// For example, the object of a user has an `address` object, whose entity has no key that the remote states. Its
/// record gets a key from the key of the user, so that the next payload finds it again.
final class ObjectParts {
    unowned let processor: ObjectProcessor
    /// The records of the payload's objects without a key.
    private(set) var ids: [RecordID] = []
    /// Those whose owners were deleted locally, with the owners.
    private(set) var ofDeletedOwners: [(part: RecordID, owner: RecordID)] = []

    /// Creates an empty table of parts.
    init(_ processor: ObjectProcessor) { self.processor = processor }

    /// Adds the record of an object without a key.
    private func add(_ id: RecordID, of owner: RecordID) throws {
        ids.append(id)
        if try processor.records.isDeletedLocally(mapping.map(of: owner.entity), owner.key) {
            ofDeletedOwners.append((id, owner))
        }
    }

    /// Adds the records of the objects of a list without a key.
    func add(_ children: [PayloadObject], _ destination: EntityMap, of owner: RecordID) throws {
        for child in children {
            if let key = child.storedKey { try add(RecordID(destination.shape.name, key), of: owner) }
        }
    }

    /// Removes the records that were deleted because their owners were deleted locally.
    func removeDeleted() throws {
        if !ofDeletedOwners.isEmpty { ids = try ids.filter { try transaction.record($0) != nil } }
    }

    /// The transaction of the sync.
    var transaction: any PayloadStore { processor.transaction }
    /// The maps of all entities.
    var mapping: Mapping { processor.mapping }
}

extension ObjectParts {
    /// Returns an object without a key, with the key of its part; nil if it cannot be a part, which is reported.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - relationship: The to-one relationship from the record in whose object it is nested.
    ///   - declared: The destination of the relationship.
    ///   - map: The entity of the object.
    ///   - current: The key of the record that the relationship leads to, or null.
    ///   - parent: The record in whose object it is nested.
    ///   - place: The place of the object.
    func part(
        _ object: ValueObject, _ relationship: RelationshipMap, _ declared: EntityMap, _ map: EntityMap,
        _ current: Value, _ parent: RecordID, _ place: Place
    ) throws -> PayloadObject? {
        if processor.options.isStrict { try processor.reports.addMissingKey(map, at: place) }
        let source = PayloadObject(
            object: object, map: declared, key: current, place: place, isNested: true,
            inverse: relationship.definition.inverse, parent: parent)
        // A locally deleted owner still leads to a part that was deleted after it: that is made again.
        if let record = try current.isNull ? nil : processor.records.record(map, current) {
            guard record.isKeyless(map), try !hasOtherOwners(record, than: parent) else {
                try processor.reports.add(
                    .noKey, at: place, of: record.id,
                    expected: "a value of the primary key, as the record that is connected has a key or other "
                        + "records that lead to it", found: "none")
                return nil
            }
            source.storedKey = current
            if map.hasKey {
                source.key = map.key(of: map.keyParts.map { record.values[map.attributes[$0].slot] })
            }
        } else {
            guard let key = try newPartKey(map, of: relationship, parent) else {
                try processor.reports.addMissingKey(map, at: place)
                return nil
            }
            source.key = map.isKeyPrimary ? key : .null
            if !map.isKeyPrimary { source.storedKey = key }
        }
        try add(RecordID(map.shape.name, source.storedKey ?? source.key), of: parent)
        return source
    }

    /// Returns a key for a new part: the same key for the same record and relationship, unless it is taken.
    private func newPartKey(_ map: EntityMap, of relationship: RelationshipMap, _ parent: RecordID) throws -> Value? {
        if map.isKeyPrimary && map.keyParts.count != 1 { return nil }
        let type = map.isKeyPrimary ? map.attributes[map.keyParts[0]].type : .integer
        let root = mapping.schema[parent.entity]?.root ?? parent.entity
        var number = Value.array([.string(root), parent.key, .string(relationship.name)]).digest(seed: 0)
        while true {
            guard let key = PartKey.key(type, number) else { return nil }
            // A part that was deleted locally belongs to an earlier record with the same key as the parent.
            guard let record = try processor.records.record(map, key),
                try processor.records.isDeletedLocally(map, key) || hasOtherOwners(record, than: parent)
            else {
                return key
            }
            number &+= 1 << 28
        }
    }

    /// Whether a record other than the given owner leads to a record.
    ///
    /// Records that belong to the record itself do not count.
    func hasOtherOwners(_ record: Record, than owner: RecordID? = nil) throws -> Bool {
        let root = owner.map { mapping.schema[$0.entity]?.root ?? $0.entity }
        func isOther(_ entity: String, _ key: Value) -> Bool {
            !key.isNull && (key != owner?.key || mapping.schema[entity]?.root != root)
        }
        for entity in mapping.schema.entities {
            for relationship in entity.relationships {
                guard mapping.schema[relationship.destination]?.root == record.shape.root,
                    let shape = mapping.schema[entity.name], try !isOwned(shape, by: record, relationship.inverse)
                else { continue }
                switch shape.relationship(named: relationship.name)?.storage {
                case .reference(let slot, _, _):
                    if try referring(to: record, shape, slot).contains(where: { isOther(shape.name, $0.key) }) {
                        return true
                    }
                case .links(let links, let end):
                    let links = try referring(to: record, transaction.shape(links), end.far)
                    if links.contains(where: { isOther(shape.name, $0[end.near]) }) { return true }
                case .inverse(let slot, _):
                    if record.shape.slot(named: slot) != nil, isOther(shape.name, record[slot]) { return true }
                case nil: break
                }
            }
        }
        return false
    }

    /// Returns two of the records that refer to a record in a slot.
    ///
    /// If there are local changes, those are left out for which the payload states another target. Such a statement waits
    /// for the merge with a local change.
    private func referring(to record: Record, _ shape: Shape, _ slot: String) throws -> [Record] {
        let mayDiffer = try processor.records.mayDiffer(shape)
        let filter = Filter.comparison(path: slot, .equal, record.key)
        if !mayDiffer { return try transaction.records(Query(shape.name, where: filter, limit: 2)) }
        var found: [Record] = []
        try transaction.forEach(Query(shape.name, where: filter)) { other in
            if let entry = try transaction.journalEntry(RecordID(shape.root, other.key)), entry.isUnresolved,
                entry.base?[slot] == record.key,
                !(entry.remote.map { $0[slot] == record.key } ?? (shape.role != .links))
            {
                return true
            }
            found.append(other)
            return found.count < 2
        }
        return found
    }

    /// Whether a record owns the records that a relationship leads to: by its delete rule, or as parts in a list.
    private func isOwned(_ shape: Shape, by record: Record, _ relationship: String?) throws -> Bool {
        guard let definition = relationship.flatMap({ record.shape.relationship(named: $0) })?.definition,
            definition.isToMany
        else { return false }
        if definition.deleteRule == .cascade { return true }
        return try !mapping.map(of: shape.name).hasKey
    }
}

extension Record {
    /// Whether no object can identify the record by a key.
    fileprivate func isKeyless(_ map: EntityMap) -> Bool {
        key.isPartKey || !map.isKeyPrimary && map.keyParts.allSatisfy { values[map.attributes[$0].slot].isNull }
    }
}
