extension Filter {
    /// Returns a filter for records that match both filters.
    ///
    /// An ``and(_:)`` on either side is flattened, so that a chain does not become deep. In a chain of several hundred
    /// conditions, the joined conditions form groups, so that each further condition is added in few steps.
    public static func && (left: Filter, right: Filter) -> Filter {
        .and(joined(left.conjuncts, right.conjuncts, by: Filter.and, \.conjuncts))
    }

    /// Returns a filter for records that match at least one of both filters.
    ///
    /// An ``or(_:)`` on either side is flattened, so that a chain does not become deep. In a chain of several hundred
    /// conditions, the joined conditions form groups, so that each further condition is added in few steps.
    public static func || (left: Filter, right: Filter) -> Filter {
        .or(joined(left.alternatives, right.alternatives, by: Filter.or, \.alternatives))
    }

    /// Returns a filter for records that do not match a filter.
    ///
    /// The negation of ``not(_:)`` is the inner filter.
    public static prefix func ! (filter: Filter) -> Filter {
        if case .not(let inner) = filter { inner } else { .not(filter) }
    }

    /// Joins the filters of both sides.
    ///
    /// If only one side has many, those of the other form a group with the nearest one.
    private static func joined(
        _ left: [Filter], _ right: [Filter], by join: ([Filter]) -> Filter, _ parts: (Filter) -> [Filter]
    ) -> [Filter] {
        if (left.count < groupSize) == (right.count < groupSize) { return left + right }
        if left.count < groupSize {
            let first = parts(right[0])
            return first.count >= groupSize ? left + right : [join(left + first)] + right.dropFirst()
        }
        let last = parts(left[left.count - 1])
        return last.count >= groupSize ? left + right : left.dropLast() + [join(last + right)]
    }

    /// From how many filters on a conjunction or disjunction is nested in another one instead of growing.
    private static let groupSize = 256

    /// The filters that a conjunction joins; the filter itself if it is none.
    private var conjuncts: [Filter] {
        if case .and(let filters) = self { filters } else { [self] }
    }

    /// The filters that a disjunction joins; the filter itself if it is none.
    private var alternatives: [Filter] {
        if case .or(let filters) = self { filters } else { [self] }
    }
}
