package import DifferentialSync

extension Record {
    /// The fields that two versions of a record are merged by: each value by itself, and a reference together with the
    /// record's place in the order at its other end.
    ///
    /// - Parameters:
    ///   - shape: The shape of all versions.
    ///   - schema: The schema, which says where places are kept.
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
                    // Of a record that both sides have inserted, a default says nothing against a value.
                    guard base == nil, local.hasDefault(at: slot) else { return false }
                    merged.values[slot] = remote.values[slot]
                    return true
                })
        }
    }

    /// The slots of places in an order, by the references that they belong to.
    private static func places(of shape: Shape, in schema: Schema) -> [Int: Int] {
        guard shape.slots.contains(where: \.isInternal) else { return [:] }
        var places: [Int: Int] = [:]
        for relationship in schema.shapes.flatMap(\.relationships) {
            guard case .inverse(let name, let position?) = relationship.storage, let slot = shape.slot(named: name),
                let place = shape.slot(named: position)
            else { continue }
            places[slot] = place
        }
        return places
    }

    /// A place in an order, of which a clash is settled: the local one stands, or without a base the remote one.
    private static func place(_ name: String, at slot: Int) -> MergeField<Record> {
        MergeField(
            name, areEqual: { $0.isSame(as: $1, at: slot) }, copy: { $1.values[slot] = $0.values[slot] },
            merge: { base, _, remote, merged in
                if base == nil { merged.values[slot] = remote.values[slot] }
                return true
            })
    }

    /// A reference, and the place in the order at its other end, which goes with it.
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

    private func hasDefault(at slot: Int) -> Bool { values[slot] == shape.slots[slot].defaultValue }

    /// Whether two records of one shape have equal values in a slot.
    private func isSame(as other: Record, at slot: Int) -> Bool {
        values[slot] == other.values[slot] || [values[slot]].areSame(as: [other.values[slot]])
    }

    /// Whether two records differ in nothing but their places in orders.
    func isSame(butForPlacesAs other: Record) -> Bool {
        guard shape == other.shape else { return false }
        return values.indices.allSatisfy { slot in
            isSame(as: other, at: slot) || shape.slots[slot].isInternal && !shape.keySlots.contains(slot)
        }
    }
}
