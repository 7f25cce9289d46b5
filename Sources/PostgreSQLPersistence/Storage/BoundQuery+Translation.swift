import SyncPersistence

extension BoundQuery {
    /// Whether SQL expresses the whole query.
    ///
    /// Otherwise SQL finds the records that match the conditions that it does express, and Swift examines these.
    var isTranslatable: Bool { filter?.isTranslatable ?? true }

    /// The roots of the hierarchies whose records the query reads.
    var roots: Set<String> {
        var roots: Set<String> = [shape.root]
        for path in (filter?.paths ?? []) + sort.map(\.path) {
            for step in path.steps { roots.insert(step.destination.root) }
        }
        return roots
    }

    /// Whether an index finds the records that match a condition.
    ///
    /// Then sorting these is faster than searching all records in their order.
    var isFoundByIndex: Bool {
        filter?.conjuncts.contains { conjunct in
            switch conjunct {
            case .comparison(let path, .equal, _), .membership(let path, _):
                switch path.end {
                case .key: path.steps.isEmpty
                case .slot(let slot):
                    path.steps.isEmpty && (slot.slot.isIndexed || shape.keySlots == [slot.position])
                }
            default: false
            }
        } ?? false
    }
}

extension BoundFilter {
    /// Whether SQL expresses the filter.
    ///
    /// Text without regard to case is compared by Swift's rules, and JSON by its values. PostgreSQL has other rules.
    var isTranslatable: Bool {
        switch self {
        case .constant, .isNull: true
        case .comparison(let path, _, _), .membership(let path, _): path.types != [.json]
        case .text(_, let pattern):
            !pattern.ignoresCase && (pattern.match == .hasPrefix || TextForm.isFoundExactly(pattern.text))
        case .and(let filters), .or(let filters): filters.allSatisfy(\.isTranslatable)
        case .not(let filter): filter.isTranslatable
        }
    }
}
