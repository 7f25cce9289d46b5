#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ValueConvertible where Self: FixedWidthInteger {
    /// An integer; a decimal if the number does not fit in 64 bits with a sign, and text if no decimal holds it.
    var nativeValue: Value {
        if let integer = Int64(exactly: self) { return .integer(integer) }
        return Decimal(exactly: String(self)).map { .decimal($0) } ?? .string(String(self))
    }

    /// Creates a number from an integer, or from a double or decimal without a fraction.
    ///
    /// - Throws: `ValueConversionFault` if the value is not a whole number that fits.
    init(native value: Value) throws(ValueConversionFault) {
        let number: Self?
        switch value {
        case .integer(let content): number = Self(exactly: content)
        case .double(let content): number = Self(exactly: content)
        case .decimal(let content): number = Self(DecimalDigits(content).text)
        default: throw .kind
        }
        guard let number else { throw .content("a whole number from \(Self.min) to \(Self.max)") }
        self = number
    }
}

extension Int: ValueConvertible {}
extension Int8: ValueConvertible {}
extension Int16: ValueConvertible {}
extension Int32: ValueConvertible {}
extension Int64: ValueConvertible {}
extension UInt: ValueConvertible {}
extension UInt8: ValueConvertible {}
extension UInt16: ValueConvertible {}
extension UInt32: ValueConvertible {}
extension UInt64: ValueConvertible {}

extension Double: ValueConvertible {
    var nativeValue: Value { .double(self) }

    /// Creates the double nearest to an integer, a double or a decimal.
    init(native value: Value) throws(ValueConversionFault) {
        switch value {
        case .double(let content): self = content
        case .integer(let content): self = Double(content)
        case .decimal(let content): self = content.nearestDouble ?? .nan
        default: throw .kind
        }
    }
}

extension Float: ValueConvertible {
    /// The double with the same digits, 0.1 for 0.1, if it is read back as the same number.
    var nativeValue: Value {
        guard isFinite, let double = Double(description), Float(double) == self else { return .double(Double(self)) }
        return .double(double)
    }

    /// Creates the number of 32 bits nearest to an integer, a double or a decimal.
    ///
    /// - Throws: `ValueConversionFault` if a finite number is too large.
    init(native value: Value) throws(ValueConversionFault) {
        let double = try Double(native: value)
        self = Float(double)
        if isInfinite, double.isFinite { throw .content("a number of 32 bits") }
    }
}

extension Decimal: ValueConvertible {
    var nativeValue: Value { .decimal(self) }

    /// Creates a number from a decimal, from an integer, or from the fewest digits that are read as a double.
    init(native value: Value) throws(ValueConversionFault) {
        switch value {
        case .decimal(let content): self = content
        case .integer(let content): self = Decimal(content)
        case .double(let content):
            guard let decimal = Decimal(shortest: content) else { throw .content("a number that a decimal holds") }
            self = decimal
        default: throw .kind
        }
    }
}
