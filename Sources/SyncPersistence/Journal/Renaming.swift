/// That a record has another primary key, and where it is named.
struct Renaming {
    /// The record's shape.
    let shape: Shape
    let former: Value
    let new: Value
    let schema: Schema

    /// A slot in which records of a shape name the record.
    struct Naming {
        let shape: Shape
        let slot: Int
    }

    /// The slots in which it may be named, each once for the topmost shape that has it.
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

    /// Whether a slot of a shape may name the record.
    func names(_ other: Shape, at slot: Int) -> Bool {
        guard case .reference(let destination, _, _) = other.slots[slot].content else { return false }
        return schema[destination]?.root == shape.root
    }

    /// A record, or an image of one, as it is once the record has its new key.
    func renamed(_ record: Record) -> Record {
        var renamed = record
        if record.shape.root == shape.root, record.key == former { renamed.setKey(new) }
        for slot in record.shape.slots.indices
        where record.values[slot] == former && names(record.shape, at: slot) { renamed.values[slot] = new }
        return renamed
    }
}

extension Record {
    /// Gives a record a key: its parts are as many as the entity has.
    fileprivate mutating func setKey(_ key: Value) {
        let parts: [Value] = if shape.keySlots.count > 1, case .array(let parts) = key { parts } else { [key] }
        for (slot, part) in zip(shape.keySlots, parts) { values[slot] = part }
    }
}
