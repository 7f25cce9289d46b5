#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    /// Whether the filter holds for a record.
    ///
    /// - Parameter follow: The record to which a step leads from another, or nil.
    package func holds(
        for record: Record, follow: (BoundPath.Step, Record) throws -> Record?
    ) rethrows -> Bool {
        switch self {
        case .constant(let result): return result
        case .comparison(let path, let comparison, let value):
            return comparison.holds(try path.value(of: record, follow: follow), value)
        case .membership(let path, let values):
            return values.contains(try path.value(of: record, follow: follow))
        case .text(let path, let pattern):
            switch try path.value(of: record, follow: follow) {
            case .string(let text): return pattern.matches(text)
            case .url(let url): return pattern.matches(url.absoluteString)
            default: return false
            }
        case .isNull(let path): return try path.value(of: record, follow: follow).isNull
        case .and(let filters): return try filters.allSatisfy { try $0.holds(for: record, follow: follow) }
        case .or(let filters): return try filters.contains { try $0.holds(for: record, follow: follow) }
        case .not(let filter): return try !filter.holds(for: record, follow: follow)
        }
    }

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
