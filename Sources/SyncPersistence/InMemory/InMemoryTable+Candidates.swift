extension InMemoryTable {
    /// Returns the places of all records that may match a query, in order; nil if no equality restricts the key or an
    /// indexed slot.
    ///
    /// The most selective equality that the filter requires determines the places.
    ///
    /// - Complexity: O(*m* log *m*) for *m* places
    func candidates(for query: BoundQuery) -> [Int]? {
        guard let filter = query.filter else { return nil }
        let conjuncts = filter.conjuncts
        if conjuncts.contains(.constant(false)) { return [] }
        var required: [String: [Value]] = [:]
        for conjunct in conjuncts {
            guard let (slot, values) = conjunct.requirement else { continue }
            required[slot.name] = required[slot.name].map { $0.count < values.count ? $0 : values } ?? values
        }
        if required.isEmpty { return nil }
        if let places = placesByKey(required, query.shape) { return places }
        let choices = required.compactMap { name, values in
            index(of: name).map { index in
                (count: values.reduce(0) { $0 + index.count(of: $1) }, index: index, values: values)
            }
        }
        guard let best = choices.min(by: { $0.count < $1.count }) else { return nil }
        // Each record has one value in the slot, so no place occurs twice.
        return best.values.flatMap { best.index.places(of: $0) }.sorted()
    }

    /// Returns the places of the records with the required keys; nil if the requirements do not determine whole keys.
    private func placesByKey(_ required: [String: [Value]], _ shape: Shape) -> [Int]? {
        let parts = shape.keySlots.compactMap { required[shape.slots[$0].name] }
        if parts.count < shape.keySlots.count { return nil }
        if parts.count == 1 { return parts[0].compactMap { place(of: $0) }.sorted() }
        // Several parts need one value each; otherwise the indexes are used.
        if parts.contains(where: { $0.count > 1 }) { return nil }
        return place(of: .array(parts.map { $0[0] })).map { [$0] } ?? []
    }
}

extension BoundFilter {
    /// The slot of the record itself that must have one of some values for a match; nil if there is none.
    fileprivate var requirement: (slot: BoundSlot, values: [Value])? {
        switch self {
        case .comparison(let path, .equal, let value): path.ownSlot.map { ($0, [value]) }
        case .membership(let path, let values): path.ownSlot.map { ($0, Array(values)) }
        default: nil
        }
    }
}
