import SyncPersistence

/// The primary keys of *parts*: records of objects without a key in a relationship to one.
///
/// A part belongs to the record in whose object it stands. Its key is made of that record's key, and no payload can name
/// it: one of 2²⁸ integers, and text that begins with a mark of control characters, are refused as keys of a remote.
enum PartKey {
    /// The bits above the lowest 36 of an integer.
    fileprivate static let band: UInt64 = 0xA9F_35C1
    fileprivate static let mark = "\u{1}part\u{1}"

    /// The key of a type that a number stands for; nil for types that no part can have.
    static func key(_ type: AttributeType, _ number: UInt64) -> Value? {
        switch type {
        case .integer: .integer(Int64(bitPattern: band << 36 | number >> 28))
        case .string: .string("\(mark)\(String(number, radix: 16))")
        default: nil
        }
    }
}

extension Value {
    /// Whether it is the primary key of a part.
    var isPartKey: Bool {
        switch self {
        case .integer(let number): UInt64(bitPattern: number) >> 36 == PartKey.band
        case .string(let text): text.utf8.first == 1 && text.hasPrefix(PartKey.mark)
        default: false
        }
    }
}

extension SyncRun {
    /// What an object without a key stands for: a part of the record in whose object it stands; nil if there can be none,
    /// which is reported.
    ///
    /// - Parameter current: The key of the record that the relationship leads to, or null.
    func part(
        _ object: ValueObject, _ relationship: RelationshipMap, _ declared: EntityMap, _ map: EntityMap,
        _ current: Value, _ parent: RecordID, _ place: Place
    ) throws -> Filling? {
        if request.options.isStrict { try reportMissingKey(map, at: place) }
        let filling = Filling(
            object: object, map: declared, key: current, place: place, isNested: true,
            inverse: relationship.definition.inverse, parent: parent)
        if current.isNull {
            guard let key = try newPartKey(map, of: relationship, parent) else {
                try reportMissingKey(map, at: place)
                return nil
            }
            filling.key = map.isKeyPrimary ? key : .null
            if !map.isKeyPrimary { filling.storedKey = key }
        } else {
            guard let record = try record(map, current) else { return nil }
            guard record.isKeyless(map), try !hasOtherOwners(record, than: parent) else {
                try report(
                    SyncReport(
                        .noKey, at: place.path, of: record.id,
                        expected: "a value of the primary key, as the record that is connected has a key or other "
                            + "records that lead to it", found: "none"))
                return nil
            }
            filling.storedKey = current
            if map.hasKey {
                filling.key = map.key(of: map.keyParts.map { record.values[map.attributes[$0].slot] })
            }
        }
        outcome.parts.append(RecordID(map.shape.name, filling.storedKey ?? filling.key))
        return filling
    }

    /// A key for a new part of a record: the same for the same record and relationship, unless another has it.
    private func newPartKey(_ map: EntityMap, of relationship: RelationshipMap, _ parent: RecordID) throws -> Value? {
        if map.isKeyPrimary && map.keyParts.count != 1 { return nil }
        let type = map.isKeyPrimary ? map.attributes[map.keyParts[0]].type : .integer
        let root = mapping.schema[parent.entity]?.root ?? parent.entity
        var number = Value.array([.string(root), parent.key, .string(relationship.name)]).digest(seed: 0)
        while true {
            guard let key = PartKey.key(type, number) else { return nil }
            // One that was deleted here belongs to a record that has had this one's key.
            guard let record = try record(map, key), try isGone(map, key) || hasOtherOwners(record, than: parent) else {
                return key
            }
            number &+= 1 << 28
        }
    }

    /// Whether a record other than the given one leads to a record; what the record has for itself does not count.
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
                    let query = Query(shape.name, where: .comparison(path: slot, .equal, record.key), limit: 2)
                    if try transaction.records(query).contains(where: { isOther(shape.name, $0.key) }) { return true }
                case .links(let links, let end):
                    let query = Query(links, where: .comparison(path: end.far, .equal, record.key), limit: 2)
                    if try transaction.records(query).contains(where: { isOther(shape.name, $0[end.near]) }) {
                        return true
                    }
                case .inverse(let slot, _):
                    if record.shape.slot(named: slot) != nil, isOther(shape.name, record[slot]) { return true }
                case nil: break
                }
            }
        }
        return false
    }

    /// Whether the records to which a relationship of a record leads are the record's own: by the delete rule, or as parts
    /// in a list.
    private func isOwned(_ shape: Shape, by record: Record, _ relationship: String?) throws -> Bool {
        guard let definition = relationship.flatMap({ record.shape.relationship(named: $0) })?.definition,
            definition.isToMany
        else { return false }
        if definition.deleteRule == .cascade { return true }
        return try !mapping.map(of: shape.name).hasKey
    }
}

extension Record {
    /// Whether no object names it by a key.
    fileprivate func isKeyless(_ map: EntityMap) -> Bool {
        key.isPartKey || !map.isKeyPrimary && map.keyParts.allSatisfy { values[map.attributes[$0].slot].isNull }
    }
}
