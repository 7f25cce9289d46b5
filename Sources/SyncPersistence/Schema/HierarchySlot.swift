/// A slot of some or all shapes of one hierarchy: what a store that keeps their records together has a column for.
package struct HierarchySlot: Hashable, Sendable {
    /// The slot as the first shape that has it declares it; optional if it is in any of the shapes, and indexed if any
    /// of them asks for an index.
    package let slot: Slot

    /// Whether all shapes of the hierarchy have it.
    package let isShared: Bool

    /// Its position among the slots of each shape that has it, by the name of the shape.
    package let positions: [String: Int]

    /// What tells it from the others of its hierarchy, whatever is added to the schema.
    package var id: SlotID { slot.id }
}

/// What tells a slot from all others of its hierarchy.
package struct SlotID: Hashable, Sendable {
    /// The topmost entity that declares it.
    package let declaredBy: String
    /// The name.
    package let name: String

    package init(declaredBy: String, name: String) {
        self.declaredBy = declaredBy
        self.name = name
    }
}

extension Slot {
    /// What tells it from all others of its hierarchy.
    package var id: SlotID { SlotID(declaredBy: declaredBy, name: name) }
}

extension Schema {
    /// The slots of all shapes of a hierarchy: those of the root in their order, then those that each heir adds, in the
    /// order of the definitions.
    ///
    /// A slot that a shape inherits is the slot of its parent. Slots that two heirs of one parent declare under one name
    /// are kept apart, whatever they hold: so a column stays what it is when other entities come or are renamed.
    ///
    /// - Complexity: O(number of slots of all shapes of the hierarchy)
    package func columns(of root: Shape) -> [HierarchySlot] {
        let shapes = hierarchy(of: root)
        var order: [SlotID: Int] = [:]
        var slots: [Slot] = []
        var positions: [[String: Int]] = []
        for shape in shapes {
            for (position, slot) in shape.slots.enumerated() {
                if let column = order[slot.id] {
                    slots[column] = slots[column].united(with: slot)
                    positions[column][shape.name] = position
                } else {
                    order[slot.id] = slots.count
                    slots.append(slot)
                    positions.append([shape.name: position])
                }
            }
        }
        return zip(slots, positions).map { slot, positions in
            HierarchySlot(slot: slot, isShared: positions.count == shapes.count, positions: positions)
        }
    }
}

extension Slot {
    fileprivate func united(with other: Slot) -> Slot {
        if isOptional || !other.isOptional, isIndexed || !other.isIndexed { return self }
        return Slot(
            name, content, isOptional: isOptional || other.isOptional, default: defaultValue,
            isIndexed: isIndexed || other.isIndexed, declaredBy: declaredBy, renamedFrom: renamedFrom,
            isInternal: isInternal)
    }
}
