/// A ``Filter`` that is resolved and checked for the records of an entity, so that it cannot fail.
///
/// Adapters evaluate it, or translate it to the language of a database. The value in each comparison has the type of
/// the values at the end of its path.
package indirect enum BoundFilter: Hashable, Sendable {
    /// The same result for each record.
    case constant(Bool)
    /// The value at the end of a path is not null and compares with a value, which has the same type and is not null.
    case comparison(BoundPath, Filter.Comparison, Value)
    /// The value at the end of a path is one of several distinct values, which have the same type and are not null.
    ///
    /// There is at least one.
    case membership(BoundPath, Set<Value>)
    /// The value at the end of a path is text or a locator that matches a pattern.
    case text(BoundPath, TextPattern)
    /// The value at the end of a path is null, or a step leads to no record.
    case isNull(BoundPath)
    /// All filters match.
    case and([BoundFilter])
    /// At least one filter matches.
    case or([BoundFilter])
    /// The filter does not match.
    case not(BoundFilter)
}

extension BoundFilter {
    /// The filters that must all match: those that the outermost `and` joins.
    package var conjuncts: [BoundFilter] {
        guard case .and(let filters) = self else { return [self] }
        return filters.flatMap(\.conjuncts)
    }

    /// The paths of all conditions.
    package var paths: [BoundPath] {
        switch self {
        case .constant: []
        case .comparison(let path, _, _), .membership(let path, _), .text(let path, _), .isNull(let path): [path]
        case .and(let filters), .or(let filters): filters.flatMap(\.paths)
        case .not(let filter): filter.paths
        }
    }
}

extension BoundFilter {
    /// Joins filters by `or`.
    ///
    /// All values that one path may equal become one membership.
    static func joined(byOr filters: [BoundFilter]) -> BoundFilter {
        var members: [BoundPath: Set<Value>] = [:]
        var joined: [BoundFilter] = []
        for filter in filters.flatMap(\.alternatives) {
            let (path, values): (BoundPath, Set<Value>)
            switch filter {
            case .comparison(let end, .equal, let value): (path, values) = (end, [value])
            case .membership(let end, let several): (path, values) = (end, several)
            default:
                joined.append(filter)
                continue
            }
            // In the place of the first filter with the path.
            if members[path] == nil { joined.append(.membership(path, [])) }
            members[path, default: []].formUnion(values)
        }
        for (place, filter) in joined.enumerated() {
            guard case .membership(let path, _) = filter, let values = members[path] else { continue }
            joined[place] =
                values.count == 1 ? .comparison(path, .equal, values[values.startIndex]) : .membership(path, values)
        }
        return joined.count == 1 ? joined[0] : .or(joined)
    }

    /// The filters that a disjunction joins; the filter itself if it is none.
    private var alternatives: [BoundFilter] {
        guard case .or(let filters) = self else { return [self] }
        return filters.flatMap(\.alternatives)
    }
}

extension Filter.Comparison {
    /// Whether the comparison is true for two values of one kind; it is false for null.
    func holds(_ left: Value, _ right: Value) -> Bool {
        if left.isNull || right.isNull { return false }
        switch self {
        case .equal: return left == right
        case .notEqual: return left != right
        case .less: return left.order(to: right) == .ascending
        case .lessOrEqual: return left.order(to: right) != .descending
        case .greater: return left.order(to: right) == .descending
        case .greaterOrEqual: return left.order(to: right) != .ascending
        }
    }
}
