package enum ValueOrder: Sendable { case ascending, same, descending }
extension Value {
    package func order(to other: Value) -> ValueOrder {
        func by<C: Comparable>(_ left: C, _ right: C) -> ValueOrder {
            left < right ? .ascending : left > right ? .descending : .same
        }
        switch (self, other) {
        case (.bool(let left), .bool(let right)): return by(left ? 1 : 0, right ? 1 : 0)
        case (.integer(let left), .integer(let right)): return by(left, right)
        case (.integer(let left), .double(let right)): return by(Double(left), right)
        case (.double(let left), .integer(let right)): return by(left, Double(right))
        case (.double(let left), .double(let right)): return by(left, right)
        case (.decimal(let left), .decimal(let right)): return by(left, right)
        case (.date(let left), .date(let right)): return by(left, right)
        case (.string(let left), .string(let right)):
            return left.utf8.elementsEqual(right.utf8)
                ? .same : left.utf8.lexicographicallyPrecedes(right.utf8) ? .ascending : .descending
        case (.bytes(let left), .bytes(let right)):
            return left.elementsEqual(right)
                ? .same : left.lexicographicallyPrecedes(right) ? .ascending : .descending
        default: return by("\(self)", "\(other)")
        }
    }
}
package struct ContentDigest {
    package static func digest(of values: [Value], seed: UInt64) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(values)
        hasher.combine(seed)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
