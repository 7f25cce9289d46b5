// Written by hand, because synthesized code recurses once for each level, and a filter may have any number of levels.
extension Filter: Hashable {
    /// Whether both have the same conditions, joined in the same way and order.
    ///
    /// - Complexity: O(size of the filter)
    public static func == (left: Filter, right: Filter) -> Bool {
        var waiting = [(left, right)]
        while let (left, right) = waiting.popLast() {
            switch (left, right) {
            case (
                .comparison(let leftPath, let leftComparison, let leftValue),
                .comparison(let rightPath, let rightComparison, let rightValue)
            ):
                if leftPath != rightPath || leftComparison != rightComparison || leftValue != rightValue {
                    return false
                }
            case (.membership(let leftPath, let leftValues), .membership(let rightPath, let rightValues)):
                if leftPath != rightPath || leftValues != rightValues { return false }
            case (
                .text(let leftPath, let leftMatch, let leftText, let leftIgnoresCase),
                .text(let rightPath, let rightMatch, let rightText, let rightIgnoresCase)
            ):
                if leftPath != rightPath || leftMatch != rightMatch || !leftText.hasSameScalars(as: rightText)
                    || leftIgnoresCase != rightIgnoresCase
                {
                    return false
                }
            case (.isNull(let leftPath), .isNull(let rightPath)):
                if leftPath != rightPath { return false }
            case (.and(let leftFilters), .and(let rightFilters)), (.or(let leftFilters), .or(let rightFilters)):
                if leftFilters.count != rightFilters.count { return false }
                waiting += zip(leftFilters, rightFilters)
            case (.not(let left), .not(let right)): waiting.append((left, right))
            default: return false
            }
        }
        return true
    }

    /// Hashes the conditions and how they are joined.
    ///
    /// - Complexity: O(size of the filter)
    public func hash(into hasher: inout Hasher) {
        var waiting = [self]
        while let filter = waiting.popLast() {
            switch filter {
            case .comparison(let path, let comparison, let value):
                hasher.combine(0 as UInt8)
                hasher.combine(path)
                hasher.combine(comparison)
                hasher.combine(value)
            case .membership(let path, let values):
                hasher.combine(1 as UInt8)
                hasher.combine(path)
                hasher.combine(values)
            case .text(let path, let match, let text, let ignoresCase):
                hasher.combine(2 as UInt8)
                hasher.combine(path)
                hasher.combine(match)
                text.hashScalars(into: &hasher)
                hasher.combine(ignoresCase)
            case .isNull(let path):
                hasher.combine(3 as UInt8)
                hasher.combine(path)
            case .and(let filters):
                hasher.combine(4 as UInt8)
                hasher.combine(filters.count)
            case .or(let filters):
                hasher.combine(5 as UInt8)
                hasher.combine(filters.count)
            case .not: hasher.combine(6 as UInt8)
            }
            waiting += filter.parts
        }
    }
}
