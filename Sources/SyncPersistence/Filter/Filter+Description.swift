extension Filter: CustomStringConvertible {
    /// The condition in a readable form, for example `author.name == "Ada" && (stars > 3 || !(due is null))`.
    ///
    /// It contains the values of comparisons.
    public var description: String { text(depth: 1, within: .or) }

    /// The precedence of a filter's operator.
    private enum Tightness: Int {
        case or, and, not
    }

    /// Returns the filter as an expression, in parentheses where the outer one binds more tightly.
    private func text(depth: Int, within outer: Tightness) -> String {
        if depth > Filter.maximumDepth { return "…" }
        switch self {
        case .comparison(let path, let comparison, let value):
            return "\(path) \(comparison.symbol) \(value)".enclosed(outer == .not)
        case .membership(let path, let values):
            return "\(path) is one of \(Value.array(values))".enclosed(outer == .not)
        case .text(let path, let match, let text, let ignoresCase):
            let phrase = "\(path) \(match.phrase) \(Value.string(text))\(ignoresCase ? " ignoring case" : "")"
            return phrase.enclosed(outer == .not)
        case .isNull(let path): return "\(path) is null".enclosed(outer == .not)
        case .and(let filters):
            if filters.isEmpty { return "true" }
            return filters.map { $0.text(depth: depth + 1, within: .and) }.joined(separator: " && ")
                .enclosed(filters.count > 1 && outer == .not)
        case .or(let filters):
            if filters.isEmpty { return "false" }
            let inner = filters.count > 1 ? Tightness.or : outer
            return filters.map { $0.text(depth: depth + 1, within: inner) }.joined(separator: " || ")
                .enclosed(filters.count > 1 && outer != .or)
        case .not(let filter): return "!" + filter.text(depth: depth + 1, within: .not)
        }
    }
}

extension Filter.Comparison {
    /// The operator, such as `<=`.
    fileprivate var symbol: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension Filter.TextMatch {
    /// The words for a comparison of text, such as `begins with`.
    fileprivate var phrase: String {
        switch self {
        case .contains: "contains"
        case .hasPrefix: "begins with"
        case .hasSuffix: "ends with"
        }
    }
}

extension String {
    /// Returns the text, in parentheses if requested.
    fileprivate func enclosed(_ isEnclosed: Bool) -> String { isEnclosed ? "(\(self))" : self }
}
