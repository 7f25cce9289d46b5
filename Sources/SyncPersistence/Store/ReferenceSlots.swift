/// The references of a shape, as a transaction follows them.
final class ReferenceSlots {
    /// The shape whose records have the references.
    let shape: Shape

    /// The references whose targets must exist.
    let enforced: [Reference]

    /// The references whose other ends have an order, with the slots of the places there.
    let places: Set<LinkPositions.Side>

    /// A slot that refers to another record, with the rules for both ends.
    final class Reference {
        /// The slot that has the key of another record.
        let slot: Slot
        /// The index of the slot.
        let position: Int
        /// The entity of the target.
        let destination: Shape
        /// The state of the target's hierarchy, once the transaction has used it.
        var hierarchy: HierarchyState?
        /// The last target: consecutive records often have the same.
        var latest: Value = .null

        /// Creates the reference of a slot.
        init(_ slot: Slot, at position: Int, to destination: Shape) {
            self.slot = slot
            self.position = position
            self.destination = destination
        }
    }

    /// Finds the references of a shape.
    init(of shape: Shape, in schema: Schema) {
        self.shape = shape
        let relationships = shape.hasPlaces ? schema.shapes.flatMap(\.relationships) : []
        places = Set(relationships.compactMap { LinkPositions.Side($0, for: shape) })
        enforced = shape.slots.enumerated().compactMap { position, slot in
            guard case .reference(let name, _, true) = slot.content, let destination = schema[name] else { return nil }
            return Reference(slot, at: position, to: destination)
        }
    }
}
