/// A resolved path of a ``Filter`` or a ``Query/SortKey``: the relationships that it leads through, and its end.
///
/// Adapters receive resolved paths, because paths are only resolved and checked here.
package struct BoundPath: Hashable, Sendable {
    /// The path as it was written.
    let text: String

    /// The shape at which it starts.
    package let start: Shape

    /// The relationships to one that it leads through, in order; at most ``maximumSteps``.
    package let steps: [Step]

    /// The end of the path.
    package let end: End

    /// How many relationships a path may lead through.
    package static let maximumSteps = 32

    /// A step from one record to another.
    package struct Step: Hashable, Sendable {
        /// The slot that connects both records.
        ///
        /// It belongs to the record at which the step starts, or to the destination.
        package let slot: BoundSlot

        /// Whether the slot belongs to the destination.
        ///
        /// The step then leads to the record whose slot has the key of the starting record. If there are several, it
        /// leads to the one that was stored first.
        package let isInverse: Bool

        /// The shape to which it leads.
        ///
        /// Records of the hierarchy that do not inherit the shape are not found.
        package let destination: Shape
    }

    /// The value at the end of a path.
    package enum End: Hashable, Sendable {
        /// The value of a slot.
        case slot(BoundSlot)
        /// The record's key.
        case key(Shape)
    }
}

/// A slot of a shape, found by its name.
package struct BoundSlot: Hashable, Sendable {
    /// The shape in which the name was found.
    package let shape: Shape

    /// The position of the slot in the shape; it may differ in a shape that inherits this one.
    package let position: Int

    /// The name of the slot, also in the shapes that inherit this one.
    package let name: String

    /// Creates the slot at a position of a shape.
    init(_ shape: Shape, _ position: Int) {
        self.shape = shape
        self.position = position
        name = shape.slots[position].name
    }

    /// The definition of the slot in ``shape``.
    package var slot: Slot { shape.slots[position] }

    /// Returns the value of a record in the slot.
    func value(of record: Record) -> Value {
        record.shape === shape ? record.values[position] : record[name]
    }
}

extension BoundPath {
    /// The types of the values at the end: the type of an attribute or key, or of each part of a key.
    package var types: [AttributeType] {
        switch end {
        case .slot(let slot): slot.slot.columnTypes
        case .key(let shape): shape.keySlots.flatMap { shape.slots[$0].columnTypes }
        }
    }

    /// The slot of the starting record itself at which the path ends; nil for any other end.
    var ownSlot: BoundSlot? {
        if steps.isEmpty, case .slot(let slot) = end { slot } else { nil }
    }
}
