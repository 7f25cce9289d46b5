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
