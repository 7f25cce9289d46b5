#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// Creates the number of a text in the form of JSON; nil for other text, or if no double holds the number.
    ///
    /// It is an ``integer(_:)``, otherwise a ``double(_:)`` or, with `readsDecimals`, an exact ``decimal(_:)``, as in
    /// JSON text.
    ///
    /// - Complexity: O(*n*) for *n* characters
    package init?(number text: String, readsDecimals: Bool = false) {
        var options = JSONOptions()
        options.readsDecimals = readsDecimals
        let number: Value? = text.withUTF8Bytes { bytes in
            guard let first = bytes.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10 else {
                return nil
            }
            var reader = JSONReader(bytes, options: options, isText: true, isTagged: false)
            guard let number = try? reader.readNumber(), reader.position == bytes.count else { return nil }
            return number
        }
        guard let number else { return nil }
        self = number
    }
}

extension JSONReader {
    /// Reads a number from its sign or first digit on.
    ///
    /// It is an integer if it has neither fraction nor exponent and fits in 64 bits. Otherwise it is a double, or a
    /// decimal if the options request it.
    mutating func readNumber() throws(JSONFault) -> Value {
        let start = position
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position &+= 1 }
        var digits = Digits()
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position &+= 1
        } else {
            try readDigits(into: &digits)
        }
        var exponent = 0
        var isInteger = true
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position &+= 1
            let fraction = position
            try readDigits(into: &digits)
            exponent = fraction &- position
            isInteger = false
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position &+= 1
            exponent &+= try readExponent()
            isInteger = false
        }
        if position &- start > options.lengthLimit { throw fault(.length(options.lengthLimit), at: start) }
        if isInteger {
            let limit: UInt64 = isNegative ? 1 << 63 : 1 << 63 &- 1
            if digits.areAll, digits.number <= limit {
                return .integer(Int64(truncatingIfNeeded: isNegative ? 0 &- digits.number : digits.number))
            }
            if options.refusesLargeIntegers { throw fault(.integer, at: start) }
        }
        // Only a double has a zero with a sign.
        let isNegativeZero = isNegative && digits.number == 0
        if options.readsDecimals || isInteger && options.readsLargeIntegers, !isNegativeZero,
            let decimal = DecimalDigits(text: UnsafeRawBufferPointer(rebasing: bytes[start..<position]))?.decimal
        {
            return .decimal(decimal)
        }
        return .double(try double(digits, exponent: exponent, isNegative: isNegative, from: start))
    }

    /// Digits as a number, as far as 64 bits are certain to hold it.
    private struct Digits {
        /// The number without the omitted digits.
        var number: UInt64 = 0
        /// Whether no digit was omitted.
        var areAll = true
    }

    /// Reads one digit or more, and appends them to others.
    ///
    /// - Throws: `JSONFault` if no digit follows.
    private mutating func readDigits(into digits: inout Digits) throws(JSONFault) {
        let start = position
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            if digit > 9 { break }
            // The largest number to which any digit can be appended.
            if digits.number <= 1_844_674_407_370_955_160 {
                digits.number = digits.number &* 10 &+ UInt64(digit)
            } else {
                digits.areAll = false
            }
            position &+= 1
        }
        if position == start { throw fault(.digit) }
    }

    /// Reads the exponent after its `e`.
    ///
    /// Its magnitude is at most 10⁹, so that sums with it do not overflow.
    private mutating func readExponent() throws(JSONFault) -> Int {
        var isNegative = false
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
            isNegative = bytes[position] == UInt8(ascii: "-")
            position &+= 1
        }
        var digits = Digits()
        try readDigits(into: &digits)
        let exponent = digits.areAll ? Int(min(digits.number, 1_000_000_000)) : 1_000_000_000
        return isNegative ? -exponent : exponent
    }

    /// Returns the double nearest to a number.
    ///
    /// If digits and power of ten are exact doubles, their rounded product or quotient is the nearest double (W. D.
    /// Clinger, *How to Read Floating Point Numbers Accurately*, 1990). Otherwise the standard library parses the text.
    private func double(
        _ digits: Digits, exponent: Int, isNegative: Bool, from start: Int
    ) throws(JSONFault) -> Double {
        if digits.areAll, digits.number <= 1 << 53, exponent >= -22, exponent <= 22 {
            let number = Double(digits.number)
            let magnitude = exponent < 0 ? number / Double.powerOfTen(-exponent) : number * Double.powerOfTen(exponent)
            return isNegative ? -magnitude : magnitude
        }
        guard let double = Double(text(from: start)), double.isFinite || options.readsHugeNumbers else {
            throw fault(.double, at: start)
        }
        return double
    }

    /// Returns the text from an offset to the position of the reader.
    private func text(from start: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    }
}

extension Double {
    /// Returns the power of ten with an exponent of 0 to 22.
    ///
    /// Powers beyond that are not exact doubles.
    static func powerOfTen(_ exponent: Int) -> Double {
        // Products of powers up to 10²² are exact.
        var (result, base, power) = (1.0, 10.0, exponent)
        while power > 0 {
            if power & 1 == 1 { result *= base }
            base *= base
            power >>= 1
        }
        return result
    }
}
