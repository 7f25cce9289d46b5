/// A type of the standard library whose mirror does not show its parts as they are stored.
protocol Divisible {
    /// Whether the values may hold a NaN; nil if that does not follow from the type alone.
    static var holding: NaNHolding? { get }
    /// Compares the parts with those of another value in the same places.
    func compareParts(with other: Any) -> Parts.Outcome
    /// The value that an optional wraps.
    var onlyPart: Any? { get }
}

extension Divisible {
    var onlyPart: Any? { nil }
}

extension Optional: Divisible {
    static var holding: NaNHolding? {
        // A protocol such as `any Equatable` does not conform to itself: the next value may be of any type.
        NaNHolding(type: Wrapped.self) ?? (Wrapped.self is any Equatable.Type ? nil : .hidden)
    }
    var onlyPart: Any? { self }

    func compareParts(with other: Any) -> Parts.Outcome {
        guard let other = other as? Wrapped? else { return .different }
        guard let self, let other else { return self == nil && other == nil ? .equal : .different }
        return Parts.compare(self, other)
    }
}

extension Array: Divisible {
    static var holding: NaNHolding? { .collection(of: Element.self) }

    func compareParts(with other: Any) -> Parts.Outcome {
        guard let other = other as? [Element], count == other.count else { return .different }
        return Parts.Outcome(zip(self, other).lazy.map { Parts.compare($0, $1) })
    }
}

extension ContiguousArray: Divisible {
    static var holding: NaNHolding? { .collection(of: Element.self) }

    func compareParts(with other: Any) -> Parts.Outcome {
        guard let other = other as? ContiguousArray, count == other.count else { return .different }
        return Parts.Outcome(zip(self, other).lazy.map { Parts.compare($0, $1) })
    }
}

extension ArraySlice: Divisible {
    static var holding: NaNHolding? { .collection(of: Element.self) }

    func compareParts(with other: Any) -> Parts.Outcome {
        guard let other = other as? ArraySlice, count == other.count else { return .different }
        return Parts.Outcome(zip(self, other).lazy.map { Parts.compare($0, $1) })
    }
}

extension Set: Divisible {
    static var holding: NaNHolding? { .collection(of: Element.self) }

    func compareParts(with other: Any) -> Parts.Outcome {
        guard let other = other as? Set, count == other.count else { return .different }
        var others = other.filter { $0 != $0 }.map { $0 }
        var outcome = Parts.Outcome.equal
        for element in self where !other.contains(element) {
            let index = others.firstIndex { Parts.compare(element, $0) != .different }
            guard element != element, let index else { return .different }
            outcome = .sameWithNaN
            others.swapAt(index, others.count - 1)
            others.removeLast()
        }
        return outcome
    }
}

extension Dictionary: Divisible {
    static var holding: NaNHolding? {
        Swift.max(.collection(of: Key.self), .collection(of: Value.self))
    }

    func compareParts(with other: Any) -> Parts.Outcome {
        guard let other = other as? Dictionary, count == other.count else { return .different }
        var others = other.filter { $0.key != $0.key }.map { $0 }
        var outcome = Parts.Outcome.equal
        for (key, value) in self {
            if let otherValue = other[key] {
                outcome = Parts.Outcome([outcome, Parts.compare(value, otherValue)])
                if outcome == .different { return outcome }
                continue
            }
            let index = others.firstIndex {
                Parts.compare(key, $0.key) != .different && Parts.compare(value, $0.value) != .different
            }
            guard key != key, let index else { return .different }
            outcome = .sameWithNaN
            others.swapAt(index, others.count - 1)
            others.removeLast()
        }
        return outcome
    }
}

extension AnyHashable: Divisible {
    static var holding: NaNHolding? { .hidden }

    func compareParts(with other: Any) -> Parts.Outcome {
        guard let other = other as? AnyHashable else { return .different }
        return Parts.compare(base, other.base)
    }
}
