extension Filter {
    /// Both hold.
    ///
    /// An ``and(_:)`` on either side is taken apart, so that a chain does not become deep.
    public static func && (left: Filter, right: Filter) -> Filter { .and(left.conjuncts + right.conjuncts) }

    /// At least one holds.
    ///
    /// An ``or(_:)`` on either side is taken apart, so that a chain does not become deep.
    public static func || (left: Filter, right: Filter) -> Filter { .or(left.alternatives + right.alternatives) }

    /// The filter does not hold; of one that begins with ``not(_:)``, what follows.
    public static prefix func ! (filter: Filter) -> Filter {
        if case .not(let inner) = filter { inner } else { .not(filter) }
    }

    private var conjuncts: [Filter] {
        if case .and(let filters) = self { filters } else { [self] }
    }

    private var alternatives: [Filter] {
        if case .or(let filters) = self { filters } else { [self] }
    }
}
