/// A slot of some or all shapes of one hierarchy.
///
/// A store that keeps their records together has a column for it.
package struct HierarchySlot: Hashable, Sendable {
    /// The slot as the first shape declares it.
    ///
    /// It is optional if any shape has it as optional, and indexed if any shape has it as indexed.
    package let slot: Slot

    /// Whether all shapes of the hierarchy have it.
    package let isShared: Bool

    /// The position among the slots of each shape that has it, by the name of the shape.
    package let positions: [String: Int]

    /// The identifier of the slot in its hierarchy, which does not change when the schema grows.
    package var id: SlotID { slot.id }
}

/// The identifier of a slot in its hierarchy.
package struct SlotID: Hashable, Sendable {
    /// The topmost entity that declares it.
    package let declaredBy: String
    /// The name.
    let name: String

    /// Creates the identifier of a property.
    init(declaredBy: String, name: String) {
        self.declaredBy = declaredBy
        self.name = name
    }
}

extension Slot {
    /// The identifier of the slot in its hierarchy.
    package var id: SlotID { SlotID(declaredBy: declaredBy, name: name) }
}

extension Schema {
    /// Returns the slots of all shapes of a hierarchy.
    ///
    /// The slots of the root come first in their order, then those that each heir adds, in the order of the
    /// definitions. A slot that a shape inherits is the slot of its parent. Slots that two heirs of one parent declare
    /// under one name are separate, whatever their content. So a column keeps its meaning when other entities are added
    /// or renamed.
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
    /// Returns a slot that admits the values of both, and has an index if one of them has.
    fileprivate func united(with other: Slot) -> Slot {
        if isOptional || !other.isOptional, isIndexed || !other.isIndexed { return self }
        return Slot(
            name, content, isOptional: isOptional || other.isOptional, default: defaultValue,
            isIndexed: isIndexed || other.isIndexed, declaredBy: declaredBy, renamedFrom: renamedFrom,
            isInternal: isInternal)
    }
}
