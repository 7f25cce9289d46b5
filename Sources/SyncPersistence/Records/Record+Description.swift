import DifferentialSync

extension Record: CustomStringConvertible, CustomReflectable {
    /// The record on one line of about 100 characters, the key first, for example `User {id: 7, name: "Ada"}`.
    public var description: String { fieldsDescription }

    /// A mirror of the values by name.
    public var customMirror: Mirror {
        Mirror(self, children: describedFields.map { (label: $0.name, value: $0.value) }, displayStyle: .struct)
    }
}

extension Record: DescribedByFields {
    /// The entity, with which the description begins.
    package var fieldsTitle: String { entity }

    /// The slots with their values, those of the key first.
    package var describedFields: [(name: String, value: Any)] {
        let others = shape.slots.indices.filter { !shape.keySlots.contains($0) }
        return (shape.keySlots + others).map { slot in
            // A value's own description truncates long text, but a key is shown in full.
            if case .string(let text) = values[slot] { return (shape.slots[slot].name, text) }
            return (shape.slots[slot].name, values[slot])
        }
    }

    /// How many of the first fields form the key.
    package var keyFieldCount: Int { shape.keySlots.count }
}
