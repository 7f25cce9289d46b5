/// A ``Filter`` that is resolved and checked for the records of an entity: it can no longer fail.
///
/// For the authors of adapters, who evaluate it, or write it in the language of a data base. Whatever a comparison was
/// asked with, here it has a value of the kind that stands at the end of its path.
package indirect enum BoundFilter: Hashable, Sendable {
    /// True or false for each record.
    case constant(Bool)
    /// What is at the end of a path is not null and compares with a value, of the same kind and not null.
    case comparison(BoundPath, Filter.Comparison, Value)
    /// What is at the end of a path is one of several values, of the same kind and not null; there is at least one, and
    /// no two are equal.
    case membership(BoundPath, Set<Value>)
    /// What is at the end of a path is text or a locator that matches.
    case text(BoundPath, TextPattern)
    /// What is at the end of a path is null, or a step leads nowhere.
    case isNull(BoundPath)
    /// All hold.
    case and([BoundFilter])
    /// At least one holds.
    case or([BoundFilter])
    /// The other does not hold.
    case not(BoundFilter)
}

extension BoundFilter {
    /// What has to hold if the filter is to: the filters that are joined by the outermost `and`.
    package var conjuncts: [BoundFilter] {
        guard case .and(let filters) = self else { return [self] }
        return filters.flatMap(\.conjuncts)
    }
}

extension BoundFilter {
    /// At least one holds, in short: what is to be one of several values is asked once, however many they are.
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
            // In the place of the first that asks for the path.
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

    private var alternatives: [BoundFilter] {
        guard case .or(let filters) = self else { return [self] }
        return filters.flatMap(\.alternatives)
    }
}

extension Filter.Comparison {
    /// Whether two values of one kind compare so; null never does.
    package func holds(_ left: Value, _ right: Value) -> Bool {
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
