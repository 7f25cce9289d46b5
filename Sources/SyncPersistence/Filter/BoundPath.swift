/// A path of a ``Filter`` or a ``Query/SortKey``, resolved: which relationships it leads over, and where it ends.
///
/// For the authors of adapters; paths are resolved and checked here and nowhere else.
package struct BoundPath: Hashable, Sendable {
    /// The path as it was written.
    package let text: String

    /// The shape at which it starts.
    package let start: Shape

    /// The relationships to one that it leads over, in order; at most ``maximumSteps``.
    package let steps: [Step]

    /// Where it ends.
    package let end: End

    /// How many relationships a path may lead over.
    package static let maximumSteps = 32

    /// A way from one record to another.
    package struct Step: Hashable, Sendable {
        /// The slot that connects both: of the record from which the step starts, or of that to which it leads.
        package let slot: BoundSlot

        /// Whether the slot is one of the destination.
        ///
        /// The step leads then to the record whose slot holds the key of that from which it starts; should there be
        /// several, to the first of them that was stored.
        package let isInverse: Bool

        /// The shape to which it leads.
        ///
        /// A record of the hierarchy that does not inherit it is none that is found.
        package let destination: Shape
    }

    /// What is compared at the end of a path.
    package enum End: Hashable, Sendable {
        /// What is in a slot.
        case slot(BoundSlot)
        /// The record's key.
        case key(Shape)
    }
}

/// A slot of a shape, found by its name.
package struct BoundSlot: Hashable, Sendable {
    /// The shape.
    package let shape: Shape

    /// Where the slot stands among those of the shape; in one that inherits it, it may stand elsewhere.
    package let position: Int

    /// The name, by which the shapes that inherit this one have it too.
    package let name: String

    package init(_ shape: Shape, _ position: Int) {
        self.shape = shape
        self.position = position
        name = shape.slots[position].name
    }

    /// The slot.
    package var slot: Slot { shape.slots[position] }

    /// What a record has in it.
    package func value(of record: Record) -> Value {
        record.shape === shape ? record.values[position] : record[name]
    }
}

extension BoundPath {
    /// What may stand at the end: the type of an attribute, or of a key; of several parts, those of the parts.
    package var types: [AttributeType] {
        switch end {
        case .slot(let slot): slot.slot.columnTypes
        case .key(let shape): shape.keySlots.flatMap { shape.slots[$0].columnTypes }
        }
    }

    /// The slot of the starting record itself at which the path ends; nil if it ends elsewhere.
    package var ownSlot: BoundSlot? {
        if steps.isEmpty, case .slot(let slot) = end { slot } else { nil }
    }
}
