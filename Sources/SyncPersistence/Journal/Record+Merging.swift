import DifferentialSync

extension Record {
    /// Returns the fields by which two versions of a record are merged.
    ///
    /// Each value is a field of its own. A reference forms a field with the record's place in the order at its other
    /// end.
    ///
    /// - Parameters:
    ///   - shape: The shape of all versions.
    ///   - schema: The schema, which determines where places are stored.
    package static func mergeFields(of shape: Shape, in schema: Schema) -> [MergeField<Record>] {
        let places = places(of: shape, in: schema)
        let companions = Set(places.values)
        return shape.slots.indices.compactMap { slot in
            if shape.keySlots.contains(slot) || companions.contains(slot) { return nil }
            let name = shape.slots[slot].name
            if let place = places[slot] { return reference(name, at: slot, place: place) }
            if shape.slots[slot].isInternal { return place(name, at: slot) }
            return MergeField(
                name, areEqual: { $0.isSame(as: $1, at: slot) }, copy: { $1.values[slot] = $0.values[slot] },
                merge: { base, local, remote, merged in
                    // If both sides have inserted the record, a local default does not conflict with a remote value.
                    guard base == nil, local.hasDefault(at: slot) else { return false }
                    merged.values[slot] = remote.values[slot]
                    return true
                })
        }
    }

    /// Returns the slots of places in an order, by the slots of their references.
    private static func places(of shape: Shape, in schema: Schema) -> [Int: Int] {
        guard shape.hasPlaces else { return [:] }
        var places: [Int: Int] = [:]
        for relationship in schema.shapes.flatMap(\.relationships) {
            guard case .inverse(let name, let position?) = relationship.storage, let slot = shape.slot(named: name),
                let place = shape.slot(named: position)
            else { continue }
            places[slot] = place
        }
        return places
    }

    /// Returns the field of a place in an order.
    ///
    /// A clash is resolved: the local place is kept, or without a base the remote one.
    private static func place(_ name: String, at slot: Int) -> MergeField<Record> {
        MergeField(
            name, areEqual: { $0.isSame(as: $1, at: slot) }, copy: { $1.values[slot] = $0.values[slot] },
            merge: { base, _, remote, merged in
                if base == nil { merged.values[slot] = remote.values[slot] }
                return true
            })
    }

    /// Returns the field of a reference together with the place in the order at its other end.
    private static func reference(_ name: String, at slot: Int, place: Int) -> MergeField<Record> {
        MergeField(
            name, areEqual: { $0.isSame(as: $1, at: slot) && $0.isSame(as: $1, at: place) },
            copy: { source, target in
                target.values[slot] = source.values[slot]
                target.values[place] = source.values[place]
            },
            merge: { base, local, remote, merged in
                if local.isSame(as: remote, at: slot) {
                    let isRemotePlace = base.map { $0.isSame(as: local, at: place) } ?? true
                    if isRemotePlace { merged.values[place] = remote.values[place] }
                    return true
                }
                guard let base else {
                    guard local.hasDefault(at: slot) else { return false }
                    merged.values[slot] = remote.values[slot]
                    merged.values[place] = remote.values[place]
                    return true
                }
                if base.isSame(as: local, at: slot) {
                    merged.values[slot] = remote.values[slot]
                    merged.values[place] = remote.values[place]
                    return true
                }
                return base.isSame(as: remote, at: slot)
            })
    }

    /// Whether a slot has its default value, which a record without a stated value has.
    private func hasDefault(at slot: Int) -> Bool { values[slot] == shape.slots[slot].defaultValue }

    /// Whether two records of one shape have equal values in a slot.
    private func isSame(as other: Record, at slot: Int) -> Bool {
        values[slot] == other.values[slot] || [values[slot]].areSame(as: [other.values[slot]])
    }

    /// Whether two records differ in nothing except their places in orders.
    func isSame(butForPlacesAs other: Record) -> Bool {
        guard shape == other.shape else { return false }
        return values.indices.allSatisfy { slot in
            isSame(as: other, at: slot) || shape.slots[slot].isInternal && !shape.keySlots.contains(slot)
        }
    }
}
