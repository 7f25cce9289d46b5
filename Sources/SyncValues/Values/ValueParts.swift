/// An array or object whose parts are visited one after the other.
///
/// Functions that visit a value of any depth keep a stack of these. Recursion would overflow the call stack at some
/// depth.
struct ValueParts {
    /// The names of an object's members; nil for an array.
    let names: [String]?
    /// The elements, or the values of the members in the order of their names.
    let values: [Value]
    /// The position of the next part to visit.
    var next = 0

    /// Creates the parts of an array or object; nil for any other value.
    @inline(__always)
    init?(_ value: Value) {
        switch value {
        case .array(let elements): (names, values) = (nil, elements)
        case .object(let object): (names, values) = (object.names, object.values)
        default: return nil
        }
    }

    /// Creates the parts of an array, or of an object sorted by name; nil for any other value.
    init?(sorted value: Value) {
        guard case .object(let object) = value else {
            self.init(value)
            return
        }
        let order = object.sortedPositions
        self.init(
            .object(ValueObject(distinct: order.map { object.names[$0] }, order.map { object.values[$0] })))
    }

    /// Whether all parts have been visited.
    @inline(__always)
    var isAtEnd: Bool { next == values.count }

    /// Returns the next part and moves behind it.
    ///
    /// - Precondition: Not all parts have been visited.
    @inline(__always)
    mutating func visitNext() -> Value {
        next += 1
        return values[next - 1]
    }
}

/// Two arrays or objects that are compared part by part.
struct ValuePairs {
    /// The parts of the first value.
    let left: ValueParts
    /// The parts of the second value.
    let right: ValueParts
    /// The position of the next pair to compare.
    private var next = 0

    /// Creates the pairs of two arrays, or of two objects with members in the same order; nil if the counts or kinds
    /// differ.
    private init?(equal left: Value, _ right: Value) {
        guard let left = ValueParts(left), let right = ValueParts(right), left.values.count == right.values.count else {
            return nil
        }
        (self.left, self.right) = (left, right)
    }

    /// Whether two arrays or two objects are equal.
    ///
    /// - Complexity: O(*n*) for values of size *n*, O(*m* log *m*) for objects of *m* members in different orders
    static func areEqual(_ left: Value, _ right: Value) -> Bool {
        guard var pair = ValuePairs(equal: left, right.aligned(with: left)) else { return false }
        var outer: [ValuePairs] = []
        while true {
            if pair.next == pair.left.values.count {
                guard let last = outer.popLast() else { return true }
                pair = last
                continue
            }
            let (left, right) = (pair.left.values[pair.next], pair.right.values[pair.next])
            pair.next += 1
            switch (left, right) {
            case (.array, .array), (.object, .object):
                guard let inner = ValuePairs(equal: left, right.aligned(with: left)) else { return false }
                outer.append(pair)
                pair = inner
            default: if left != right { return false }
            }
        }
    }

    /// Returns the order of two arrays or two objects, where members are sorted by name.
    ///
    /// - Complexity: O(*n*) for values of size *n*, O(*m* log *m*) for objects of *m* members
    static func order(_ left: Value, _ right: Value) -> ValueOrder {
        guard var pair = ValuePairs(sorted: left, right) else { return .same }
        var outer: [ValuePairs] = []
        while true {
            if pair.next == pair.left.values.count || pair.next == pair.right.values.count {
                let order = ValueOrder(pair.left.values.count, pair.right.values.count)
                guard order == .same, let last = outer.popLast() else { return order }
                pair = last
                continue
            }
            let next = pair.next
            if let left = pair.left.names, let right = pair.right.names {
                let order = ValueOrder(text: left[next], right[next])
                if order != .same { return order }
            }
            let (left, right) = (pair.left.values[next], pair.right.values[next])
            pair.next += 1
            switch (left, right) {
            case (.array, .array), (.object, .object):
                guard let inner = ValuePairs(sorted: left, right) else { return .same }
                outer.append(pair)
                pair = inner
            default:
                let order = left.order(to: right)
                if order != .same { return order }
            }
        }
    }

    /// Creates the pairs of two arrays, or of two objects with members sorted by name; nil for other values.
    private init?(sorted left: Value, _ right: Value) {
        guard let left = ValueParts(sorted: left), let right = ValueParts(sorted: right) else { return nil }
        (self.left, self.right) = (left, right)
    }
}

extension Value {
    /// Returns an object with its members in the order of another one; null if the names differ.
    ///
    /// It returns any other value unchanged.
    fileprivate func aligned(with other: Value) -> Value {
        guard case .object(let object) = self, case .object(let model) = other, !object.hasNames(of: model) else {
            return self
        }
        guard object.names.count == model.names.count else { return .null }
        var values = object.values
        for (mine, position) in zip(object.sortedPositions, model.sortedPositions) {
            guard object.names[mine].hasSameScalars(as: model.names[position]) else { return .null }
            values[position] = object.values[mine]
        }
        return .object(ValueObject(distinct: model.names, values))
    }
}
