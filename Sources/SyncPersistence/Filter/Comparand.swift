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
        case (.integer, .double(let number)) where !number.isNaN: self = Comparand.integer(value)
        case (.integer, .decimal(let number)) where !number.isNaN: self = Comparand.integer(value)
        case (.double, .integer): self = Comparand.double(value)
        case (.double, .decimal(let number)) where !number.isNaN: self = Comparand.double(value)
        case (.decimal, .integer(let number)): self = .exact(.decimal(Decimal(number)))
        case (.decimal, .double(let number)):
            guard let decimal = Decimal(shortest: number) else { return nil }
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

    private static func integer(_ number: Value) -> Comparand {
        let sign = UInt64(1) << 63
        return greatest(in: 0...UInt64.max, notAbove: number) { .integer(Int64(bitPattern: $0 ^ sign)) }
    }

    private static func double(_ number: Value) -> Comparand {
        // Bit patterns in the order of the numbers: those of negative numbers are reversed and come first.
        let sign = UInt64(1) << 63
        let infinity = Double.infinity.bitPattern
        return greatest(in: ~(infinity | sign)...(infinity | sign), notAbove: number) { place in
            .double(Double(bitPattern: place & sign == 0 ? ~place : place ^ sign))
        }
    }

    /// Returns the counterpart of a number among values that increase with their places.
    ///
    /// - Complexity: 65 comparisons
    private static func greatest(
        in places: ClosedRange<UInt64>, notAbove number: Value, value: (UInt64) -> Value
    ) -> Comparand {
        var (low, high) = (places.lowerBound, places.upperBound)
        if value(low).order(to: number) == .descending { return .inexact(nil) }
        while low < high {
            // The middle place, or the upper one of two.
            let middle = high - (high - low) / 2
            if value(middle).order(to: number) == .descending { high = middle - 1 } else { low = middle }
        }
        return value(low).order(to: number) == .same ? .exact(value(low)) : .inexact(value(low))
    }
}
