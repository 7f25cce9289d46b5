#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Decimal {
    /// Creates the decimal with the fewest digits that is read as a double.
    ///
    /// It is nil if the double is not finite, or has more than a hundred digits before or after the point.
    package init?(shortest number: Double) {
        if number == 0 {
            self = 0
            return
        }
        guard (1e-100...1e100).contains(number.magnitude) else { return nil }
        // For example 123.45 or 1.2345e-07. The description of a double is the shortest text that is read as the
        // double.
        let parts = "\(number.magnitude)".utf8.split(separator: UInt8(ascii: "e"))
        var (significand, exponent) = (0 as UInt64, parts.count == 2 ? Int(Substring(parts[1])) ?? 0 : 0)
        var isFraction = false
        for byte in parts[0] {
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else {
                significand = significand * 10 + UInt64(byte - UInt8(ascii: "0"))
                if isFraction { exponent -= 1 }
            }
        }
        self.init(sign: number < 0 ? .minus : .plus, exponent: exponent, significand: Decimal(significand))
    }
}
