/// The slots of a shape that name other records, as a transaction follows them.
final class ReferenceSlots {
    let shape: Shape

    /// Those that must not name a record that is not there.
    let enforced: [Reference]

    /// Whether a record may be named by one other alone.
    let hasExclusive: Bool

    /// One slot.
    final class Reference {
        let slot: Slot
        /// The position of the slot.
        let position: Int
        /// The entity of what it names.
        let destination: Shape
        /// What is known of its hierarchy, once the transaction has met that.
        var hierarchy: HierarchyState?
        /// What was named last: of records that come one after the other, many name the same.
        var latest: Value = .null

        init(_ slot: Slot, at position: Int, to destination: Shape) {
            self.slot = slot
            self.position = position
            self.destination = destination
        }
    }

    init(of shape: Shape, in schema: Schema) {
        self.shape = shape
        hasExclusive = shape.relationships.contains {
            if case .reference(_, let isExclusive, _) = $0.storage { isExclusive } else { false }
        }
        enforced = shape.slots.enumerated().compactMap { position, slot in
            guard case .reference(let name, _, true) = slot.content, let destination = schema[name] else { return nil }
            return Reference(slot, at: position, to: destination)
        }
    }
}
