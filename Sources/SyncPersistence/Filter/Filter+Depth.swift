extension Filter {
    /// How deep filters may be nested, to be evaluated or coded.
    ///
    /// The operators `&&` and `||` join any number of conditions in two levels, and `!` adds at most one. A filter with
    /// tens of thousands of levels overflows the stack instead of causing an error. Operators never create one from a
    /// chain.
    public static let maximumDepth = 200

    /// How many conditions a filter may have, to be evaluated.
    ///
    /// All values that one field may equal count as one condition, by ``membership(path:_:)`` or as alternatives.
    public static let maximumConditionCount = 5_000

    /// Whether the filter is nested deeper than ``maximumDepth``.
    ///
    /// - Complexity: O(size of the filter)
    var isTooDeep: Bool {
        var waiting = [(filter: self, depth: 1)]
        while let (filter, depth) = waiting.popLast() {
            if depth > Filter.maximumDepth { return true }
            for part in filter.parts { waiting.append((part, depth + 1)) }
        }
        return false
    }

    /// The filters that it consists of.
    var parts: [Filter] {
        switch self {
        case .comparison, .membership, .text, .isNull: []
        case .and(let filters), .or(let filters): filters
        case .not(let filter): [filter]
        }
    }
}

extension PersistenceError.Code {
    /// A filter or a payload is nested too deep, or a path leads through too many relationships.
    public static let tooDeep = PersistenceError.Code("tooDeep")

    /// A filter has more conditions than ``Filter/maximumConditionCount``.
    public static let tooManyConditions = PersistenceError.Code("tooManyConditions")
}
