extension InMemoryTable {
    /// Returns the places of all records that may match a query, in order.
    ///
    /// It is nil if no equality restricts the key or an indexed slot, and no short range of integers an indexed slot.
    ///
    /// The most selective equality that the filter requires determines the places, or else the shortest range.
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
        if required.isEmpty { return placesInRange(conjuncts) }
        if let places = placesByKey(required, query.shape) { return places }
        let choices = required.compactMap { name, values in
            index(of: name).map { index in
                (count: values.reduce(0) { $0 + index.count(of: $1) }, index: index, values: values)
            }
        }
        guard let best = choices.min(by: { $0.count < $1.count }) else { return placesInRange(conjuncts) }
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

    /// Returns the places of the integers between two bounds of one indexed slot.
    ///
    /// It is nil if no slot has both bounds, or if there are more integers between them than records.
    ///
    /// - Complexity: O(number of integers)
    private func placesInRange(_ conjuncts: [BoundFilter]) -> [Int]? {
        var ranges: [String: (low: Int64?, high: Int64?)] = [:]
        for (name, bound) in conjuncts.compactMap(\.integerBound) {
            let known = ranges[name]
            switch bound {
            case .low(let low): ranges[name] = (max(low, known?.low ?? low), known?.high)
            case .high(let high): ranges[name] = (known?.low, min(high, known?.high ?? high))
            }
        }
        var shortest: (index: PlaceIndex, low: Int64, high: Int64)?
        for (name, range) in ranges {
            guard let low = range.low, let high = range.high, let index = index(of: name) else { continue }
            if low > high { return [] }
            let (length, isTooLong) = high.subtractingReportingOverflow(low)
            if isTooLong || length >= count { continue }
            if let shortest, shortest.high - shortest.low <= length { continue }
            shortest = (index, low, high)
        }
        guard let shortest else { return nil }
        return (shortest.low...shortest.high).flatMap { shortest.index.places(of: .integer($0)) }.sorted()
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

    /// The least or the greatest integer that a slot of the record itself must have for a match; nil if there is none.
    fileprivate var integerBound: (slot: String, bound: IntegerBound)? {
        guard case .comparison(let path, let comparison, .integer(let number)) = self, let slot = path.ownSlot else {
            return nil
        }
        switch comparison {
        case .greaterOrEqual: return (slot.name, .low(number))
        case .lessOrEqual: return (slot.name, .high(number))
        case .greater where number < .max: return (slot.name, .low(number + 1))
        case .less where number > .min: return (slot.name, .high(number - 1))
        default: return nil
        }
    }
}

/// A bound of a range of integers, which belongs to the range.
private enum IntegerBound {
    /// The least number that is included.
    case low(Int64)
    /// The greatest number that is included.
    case high(Int64)
}
