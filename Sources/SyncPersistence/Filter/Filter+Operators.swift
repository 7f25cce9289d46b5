extension Filter {
    /// Both hold.
    ///
    /// An ``and(_:)`` on either side is taken apart, so that a chain does not become deep. Of a chain of some hundred
    /// conditions, those that are joined come in groups, so that each further one is added in few steps.
    public static func && (left: Filter, right: Filter) -> Filter {
        .and(joined(left.conjuncts, right.conjuncts, by: Filter.and, \.conjuncts))
    }

    /// At least one holds.
    ///
    /// An ``or(_:)`` on either side is taken apart, so that a chain does not become deep. Of a chain of some hundred
    /// conditions, those that are joined come in groups, so that each further one is added in few steps.
    public static func || (left: Filter, right: Filter) -> Filter {
        .or(joined(left.alternatives, right.alternatives, by: Filter.or, \.alternatives))
    }

    /// The filter does not hold; of one that begins with ``not(_:)``, what follows.
    public static prefix func ! (filter: Filter) -> Filter {
        if case .not(let inner) = filter { inner } else { .not(filter) }
    }

    /// The filters of both sides; where there are many on one of them, those of the other in a group with the nearest.
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

    private static let groupSize = 256

    private var conjuncts: [Filter] {
        if case .and(let filters) = self { filters } else { [self] }
    }

    private var alternatives: [Filter] {
        if case .or(let filters) = self { filters } else { [self] }
    }
}
