#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A decimal number in the one form that all equal numbers share.
///
/// The number is ±(`high` · 2⁶⁴ + `low`) · 10^`exponent`, where the last digit is not zero. For example:
///
/// | number | digits | exponent |
/// |---|---|---|
/// | 12.50 | 125 | −1 |
/// | 1000 | 1 | 3 |
/// | 0 | 0 | 0 |
///
/// `Decimal` may hold one number in several forms, for example 1 as 1 · 10⁰ and as 10 · 10⁻¹. In this form, decimals
/// are compared, hashed and written exactly, without the allocations of Foundation's arithmetic. The standard library's
/// `UInt128` would hold the digits, but needs macOS 15 and iOS 18.
struct DecimalDigits: Hashable, Sendable {
    /// Whether it is NaN; all other properties are zero then.
    private(set) var isNaN = false
    /// Whether it is below zero.
    private(set) var isNegative = false
    /// The upper half of the 128 bits of the digits.
    private(set) var high: UInt64 = 0
    /// The lower half of the 128 bits of the digits.
    private(set) var low: UInt64 = 0
    /// The power of ten that the digits are multiplied by.
    private(set) var exponent = 0

    /// Whether it is zero.
    var isZero: Bool { high | low == 0 && !isNaN }

    /// Creates the digits of a decimal.
    init(_ decimal: Decimal) {
        guard !decimal.isNaN else {
            isNaN = true
            return
        }
        (high, low) = decimal.digits
        guard high | low != 0 else { return }
        isNegative = decimal.sign == .minus
        exponent = decimal.exponent
        normalize()
    }

    /// Creates the digits of an integer.
    init(_ integer: Int64) {
        isNegative = integer < 0
        low = integer.magnitude
        normalize()
    }

    /// Creates the digits of a JSON number's text, such as `-12.5e3`.
    ///
    /// It returns nil if the text is not a number, or if 128 bits do not hold the digits.
    ///
    /// - Complexity: O(*n*) for *n* bytes
    init?(text: UnsafeRawBufferPointer) {
        var position = text.startIndex
        if position < text.endIndex, text[position] == UInt8(ascii: "-") {
            isNegative = true
            position += 1
        }
        var pendingZeros = 0
        var digitCount = 0
        var isFraction = false
        digits: while position < text.endIndex {
            switch text[position] {
            case UInt8(ascii: "."):
                guard !isFraction else { return nil }
                isFraction = true
            case UInt8(ascii: "0"):
                // A zero counts only if another digit follows it.
                pendingZeros += 1
                digitCount += 1
                if isFraction { exponent -= 1 }
            case let byte where byte &- UInt8(ascii: "0") < 10:
                if !isZero { for _ in 0..<pendingZeros where !multiplyByTen() { return nil } }
                pendingZeros = 0
                guard multiplyByTen() else { return nil }
                let (sum, carry) = low.addingReportingOverflow(UInt64(byte &- UInt8(ascii: "0")))
                low = sum
                if carry {
                    guard high < .max else { return nil }
                    high += 1
                }
                digitCount += 1
                if isFraction { exponent -= 1 }
            default: break digits
            }
            position += 1
        }
        guard digitCount > 0 else { return nil }
        exponent += pendingZeros
        if position < text.endIndex {
            guard text[position] | 0x20 == UInt8(ascii: "e"),
                let power = Int(String(decoding: text[(position + 1)...], as: UTF8.self)), power.magnitude < 1_000_000
            else { return nil }
            exponent += power
        }
        guard high | low != 0 else {
            (isNegative, exponent) = (false, 0)
            return
        }
        normalize()
    }

    /// Creates the fewest digits that are read as a double; nil if it is infinite or NaN.
    init?(shortest double: Double) {
        // The standard library describes a double with these digits.
        let digits = double.description.withUTF8Bytes { DecimalDigits(text: $0) }
        guard let digits else { return nil }
        self = digits
    }

    /// Moves zeros at the end of the digits into the exponent.
    ///
    /// For example, 1200 · 10⁰ becomes 12 · 10².
    private mutating func normalize() {
        guard high | low != 0 else { return }
        while low & 1 == 0 {
            let (quotient, remainder) = Self.divide(high, low, by: 10)
            if remainder != 0 { return }
            (high, low) = quotient
            exponent += 1
        }
    }

    /// Multiplies the digits by ten.
    ///
    /// If 128 bits do not hold the product, the digits are unchanged and it returns false.
    private mutating func multiplyByTen() -> Bool {
        let lower = low.multipliedFullWidth(by: 10)
        let (upper, overflow) = high.multipliedReportingOverflow(by: 10)
        let (sum, carry) = upper.addingReportingOverflow(lower.high)
        if overflow || carry { return false }
        (high, low) = (sum, lower.low)
        return true
    }

    /// Divides a number of 128 bits by a number of 64 bits.
    private static func divide(
        _ high: UInt64, _ low: UInt64, by divisor: UInt64
    ) -> (quotient: (UInt64, UInt64), remainder: UInt64) {
        let upper = high.quotientAndRemainder(dividingBy: divisor)
        let lower = divisor.dividingFullWidth((upper.remainder, low))
        return ((upper.quotient, lower.quotient), lower.remainder)
    }
}

extension DecimalDigits {
    /// Returns the order of this number and another; NaN comes last.
    ///
    /// Two NaNs are the same.
    func order(to other: DecimalDigits) -> ValueOrder {
        if isNaN || other.isNaN { return ValueOrder(isNaN ? 1 : 0, other.isNaN ? 1 : 0) }
        let sign = isZero ? 0 : isNegative ? -1 : 1
        let otherSign = other.isZero ? 0 : other.isNegative ? -1 : 1
        if sign != otherSign { return ValueOrder(sign, otherSign) }
        return isNegative ? other.magnitudeOrder(to: self) : magnitudeOrder(to: other)
    }

    /// Returns the order of the absolute values.
    private func magnitudeOrder(to other: DecimalDigits) -> ValueOrder {
        if isZero || other.isZero { return ValueOrder(isZero ? 0 : 1, other.isZero ? 0 : 1) }
        var (left, right) = (self, other)
        // The number with the larger exponent is converted to the other's exponent. If there is no room for that, it is
        // larger.
        while left.exponent > right.exponent {
            guard left.multiplyByTen() else { return .descending }
            left.exponent -= 1
        }
        while right.exponent > left.exponent {
            guard right.multiplyByTen() else { return .ascending }
            right.exponent -= 1
        }
        return left.high == right.high ? ValueOrder(left.low, right.low) : ValueOrder(left.high, right.high)
    }

    /// Returns the order of this number and a double, without rounding; NaN comes last.
    ///
    /// An exact comparison can need hundreds of bits, so it uses `BigNatural` for numbers with a fraction.
    func order(to double: Double) -> ValueOrder {
        if isNaN || double.isNaN { return ValueOrder(isNaN ? 1 : 0, double.isNaN ? 1 : 0) }
        if double.isInfinite { return double < 0 ? .descending : .ascending }
        if let integer = Int64(exactly: double) { return order(to: DecimalDigits(integer)) }
        if isZero || isNegative != (double < 0) { return double < 0 ? .descending : .ascending }
        // double = significand · 2^power. Both sides are multiplied until no power is negative.
        let power = Int(double.exponent) - 52
        let significand = UInt64(double.significand.magnitude * 0x1p52)
        var left = BigNatural(high: high, low: low)
        var right = BigNatural(high: 0, low: significand)
        for _ in 0..<abs(exponent) { exponent > 0 ? left.multiplyByTen() : right.multiplyByTen() }
        power > 0 ? right.shiftLeft(by: power) : left.shiftLeft(by: -power)
        return isNegative ? right.order(to: left) : left.order(to: right)
    }
}

extension DecimalDigits {
    /// The number as JSON text, `-12.5` or `1e100`; `nan` for NaN.
    ///
    /// It has an exponent only if it has more than 40 digits before the point, or more than 5 zeros directly after it.
    var text: String {
        if isNaN { return "nan" }
        let (sign, digits) = (isNegative ? "-" : "", digitText)
        let point = digits.utf8.count + exponent
        if exponent >= 0, point <= 40 { return sign + digits + String(repeating: "0", count: exponent) }
        if exponent < 0, point > 0 { return sign + digits.prefix(point) + "." + digits.suffix(-exponent) }
        if exponent < 0, point > -6 { return sign + "0." + String(repeating: "0", count: -point) + digits }
        return "\(sign)\(digits)e\(exponent)"
    }

    /// The digits without sign and exponent.
    private var digitText: String {
        let (upper, lower) = Self.divide(high, low, by: 10_000_000_000_000_000_000)
        if upper == (0, 0) { return String(lower) }
        let (top, middle) = Self.divide(upper.0, upper.1, by: 10_000_000_000_000_000_000)
        let front = top.1 == 0 ? String(middle) : String(top.1) + Self.padded(middle)
        return front + Self.padded(lower)
    }

    /// The number as a `Decimal`; nil if no decimal holds it.
    var decimal: Decimal? {
        if isNaN { return .nan }
        // The exponent of a decimal is 127 at most. A larger one becomes zeros at the end of the digits.
        var digits = self
        while digits.exponent > 127 {
            guard digits.multiplyByTen() else { return nil }
            digits.exponent -= 1
        }
        let text = "\(isNegative ? "-" : "")\(digits.digitText)e\(digits.exponent)"
        guard let decimal = Decimal(string: text), DecimalDigits(decimal) == self else { return nil }
        return decimal
    }

    /// Returns a number with 19 digits, after zeros if necessary.
    private static func padded(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 19 - digits.utf8.count) + digits
    }
}

extension Decimal {
    /// The 128 bits of the digits, without sign and exponent.
    fileprivate var digits: (high: UInt64, low: UInt64) {
        #if canImport(FoundationEssentials)
            // because: Foundation stores the digits after four bytes of exponent and flags, in eight words of 16 bits,
            // the lowest first. The tests compare these bits with its text. Its public API returns the digits only as
            // text, which takes microseconds. Comparing decimals in filters and digests needs nanoseconds.
            return withUnsafeBytes(of: self) { bytes in
                var (high, low): (UInt64, UInt64) = (0, 0)
                for word in (0..<4).reversed() {
                    low = low << 16 | UInt64(bytes.loadUnaligned(fromByteOffset: 4 + 2 * word, as: UInt16.self))
                    high = high << 16 | UInt64(bytes.loadUnaligned(fromByteOffset: 12 + 2 * word, as: UInt16.self))
                }
                return (high, low)
            }
        #else
            let mantissa = _mantissa
            let words = [
                mantissa.0, mantissa.1, mantissa.2, mantissa.3, mantissa.4, mantissa.5, mantissa.6, mantissa.7,
            ].prefix(Int(_length))
            return words.reversed().reduce((0, 0)) { ($0.0 << 16 | $0.1 >> 48, $0.1 << 16 | UInt64($1)) }
        #endif
    }

    /// The number as text, the same for all equal numbers; ``init(exactly:)`` parses it.
    package var exactText: String { DecimalDigits(self).text }

    /// Creates the decimal of a JSON number's text, or of `nan`; nil for other text, or if no decimal holds the number.
    package init?(exactly text: String) {
        if text == "nan" {
            self = .nan
            return
        }
        guard let decimal = text.withUTF8Bytes({ DecimalDigits(text: $0) })?.decimal else { return nil }
        self = decimal
    }

    /// Creates the decimal of the fewest digits that are read as a double; nil if no decimal holds them.
    package init?(shortest double: Double) {
        guard let decimal = DecimalDigits(shortest: double)?.decimal else { return nil }
        self = decimal
    }
}

extension Decimal {
    /// The number as an integer of 64 bits; nil if it is not one.
    package var exactInteger: Int64? { DecimalDigits(self).integer }

    /// The greatest integer of 64 bits that is not above the number; nil if each one is above it, and for NaN.
    package var integerNotAbove: Int64? { DecimalDigits(self).integerNotAbove }

    /// The double nearest to the number; nil for NaN.
    package var nearestDouble: Double? {
        let digits = DecimalDigits(self)
        if digits.isNaN { return nil }
        // As in the JSON reader: if digits and power of ten are exact doubles, their product or quotient is the nearest
        // double.
        if digits.high == 0, digits.low <= 1 << 53, digits.exponent.magnitude <= 22 {
            let number = Double(digits.low)
            let power = Double.powerOfTen(abs(digits.exponent))
            let magnitude = digits.exponent < 0 ? number / power : number * power
            return digits.isNegative ? -magnitude : magnitude
        }
        return Double(digits.text)
    }
}

extension DecimalDigits {
    /// The number as an integer of 64 bits; nil if it is not one.
    fileprivate var integer: Int64? {
        guard !isNaN, exponent >= 0 else { return nil }
        var digits = self
        while digits.exponent > 0 {
            guard digits.high == 0, digits.multiplyByTen() else { return nil }
            digits.exponent -= 1
        }
        guard digits.high == 0 else { return nil }
        if isNegative { return digits.low <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- digits.low) : nil }
        return Int64(exactly: digits.low)
    }
    /// The greatest integer of 64 bits that is not above the number; nil if each one is above it, and for NaN.
    fileprivate var integerNotAbove: Int64? {
        if isNaN { return nil }
        var whole = self
        var hasFraction = false
        while whole.exponent < 0, whole.high | whole.low != 0 {
            let (quotient, remainder) = Self.divide(whole.high, whole.low, by: 10)
            (whole.high, whole.low) = quotient
            whole.exponent += 1
            if remainder != 0 { hasFraction = true }
        }
        if whole.isZero { return isNegative && hasFraction ? -1 : 0 }
        guard let integer = whole.integer else { return isNegative ? nil : .max }
        if !isNegative || !hasFraction { return integer }
        return integer > .min ? integer - 1 : nil
    }
}
