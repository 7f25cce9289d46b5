/// A change of a record's primary key, and the slots that refer to the record.
struct Renaming {
    /// The record's shape.
    let shape: Shape
    /// The key before.
    let former: Value
    /// The key from now on.
    let new: Value
    /// The schema, by which references to the record are found.
    let schema: Schema

    /// A slot in which records of a shape refer to the record.
    struct Naming {
        /// The shape of the records that refer to the renamed one.
        let shape: Shape
        /// The slot by which they refer to it.
        let slot: Int
    }

    /// The slots that may refer to the record, each once for the topmost shape that has it.
    var namings: [Naming] {
        (schema.shapes + schema.internalShapes).flatMap { other in
            other.slots.indices.compactMap { slot in
                guard other.role == nil || other.role == .links, other.slots[slot].declaredBy == other.name,
                    names(other, at: slot)
                else { return nil }
                return Naming(shape: other, slot: slot)
            }
        }
    }

    /// Whether a slot of a shape may refer to the record.
    func names(_ other: Shape, at slot: Int) -> Bool {
        guard case .reference(let destination, _, _) = other.slots[slot].content else { return false }
        return schema[destination]?.root == shape.root
    }

    /// Returns a record, or an image of one, with the new key in place of the former one.
    func renamed(_ record: Record) -> Record {
        var renamed = record
        if record.shape.root == shape.root, record.key == former { renamed.setKey(new) }
        for slot in record.shape.slots.indices
        where record.values[slot] == former && names(record.shape, at: slot) { renamed.values[slot] = new }
        return renamed
    }
}

extension Renaming {
    /// Returns the id that a record or link has once the record has its new key.
    func renamed(_ id: RecordID) -> RecordID {
        guard let named = schema[id.entity] else { return id }
        if named.root == shape.root { return id.key == former ? RecordID(id.entity, new) : id }
        guard named.role == .links, case .array(let parts) = id.key, parts.count == named.keySlots.count else {
            return id
        }
        let keys = zip(named.keySlots, parts).map { slot, part in
            part == former && names(named, at: slot) ? new : part
        }
        return RecordID(id.entity, .array(keys))
    }
}

extension Record {
    /// Sets the key, which must have as many parts as that of the entity.
    fileprivate mutating func setKey(_ key: Value) {
        let parts: [Value] = if shape.keySlots.count > 1, case .array(let parts) = key { parts } else { [key] }
        for (slot, part) in zip(shape.keySlots, parts) { values[slot] = part }
    }
}
