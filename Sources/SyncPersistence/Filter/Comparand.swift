#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The counterpart of a value among the values of an attribute's type.
enum Comparand: Hashable {
    /// An equal value of the type.
    case exact(Value)
    /// The greatest value of the type below a number that the type does not have; nil if all are greater.
    case inexact(Value?)
}

extension Comparand {
    /// Creates the counterpart of a value among those of a type; nil if they cannot be compared, and for null.
    ///
    /// Numbers of all cases are compared by their exact size. Among decimals, a double counts as the shortest decimal
    /// that is read as that double: 9.99 for 9.99, not 9.9900000000000002131628….
    init?(_ value: Value, as type: AttributeType) {
        switch (type, value) {
        case (.integer, .double(let number)) where !number.isNaN:
            let greatest = number < -0x1p63 ? nil : number < 0x1p63 ? Int64(number.rounded(.down)) : .max
            self = Comparand(greatest: greatest.map { .integer($0) }, notAbove: value)
        case (.integer, .decimal(let number)) where !number.isNaN:
            self = Comparand(greatest: number.integerNotAbove.map { .integer($0) }, notAbove: value)
        case (.double, .integer(let number)): self = Comparand(doubleNear: Double(number), notAbove: value)
        case (.double, .decimal(let number)):
            guard let nearest = number.nearestDouble else { return nil }
            self = Comparand(doubleNear: nearest, notAbove: value)
        case (.decimal, .integer(let number)): self = .exact(.decimal(Decimal(number)))
        case (.decimal, .double(let number)):
            guard number == 0 || (1e-100...1e100).contains(number.magnitude),
                let decimal = Decimal(shortest: number)
            else { return nil }
            self = .exact(.decimal(decimal))
        default:
            guard !value.isNull, type.admits(value) else { return nil }
            self = .exact(value)
        }
    }

    /// Creates the counterpart of a key with several parts.
    init(parts: [Comparand]) {
        var values: [Value] = []
        for case .exact(let value) in parts { values.append(value) }
        self = values.count == parts.count ? .exact(.array(values)) : .inexact(nil)
    }

    /// Creates the counterpart of a number from the greatest value of the type that is not above it; nil for none.
    private init(greatest: Value?, notAbove number: Value) {
        if let greatest, greatest.order(to: number) == .same {
            self = .exact(greatest)
        } else {
            self = .inexact(greatest)
        }
    }

    /// Creates the counterpart of a number among doubles from the double nearest to it.
    private init(doubleNear nearest: Double, notAbove number: Value) {
        let isAbove = Value.double(nearest).order(to: number) == .descending
        self.init(greatest: .double(isAbove ? nearest.nextDown : nearest), notAbove: number)
    }
}
