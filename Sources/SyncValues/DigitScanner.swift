/// A scanner that reads digits from the bytes of text.
package struct DigitScanner {
    // because: the scanner lives no longer than the call that lends the bytes.
    let bytes: UnsafeRawBufferPointer
    private var position = 0

    /// Creates a scanner at the first byte.
    package init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether no bytes are left.
    package var isAtEnd: Bool { position == bytes.count }

    /// Whether the next byte is a digit.
    package var isAtDigit: Bool { position < bytes.count && bytes[position] &- UInt8(ascii: "0") < 10 }

    /// Skips a byte if it is the next one, and returns whether it is.
    @inline(__always)
    package mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// Reads the next digit; nil if there is none.
    @inline(__always)
    private mutating func digit() -> UInt8? {
        guard position < bytes.count else { return nil }
        let digit = bytes[position] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        position &+= 1
        return digit
    }

    /// Reads a number of exactly `count` digits; nil if there are fewer.
    @inline(__always)
    package mutating func digits(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            number = number &* 10 &+ Int(digit)
        }
        return number
    }

    /// Reads the number that all following digits form; nil for no digits, more than 18 digits, or a leading zero.
    package mutating func number() -> UInt64? {
        let start = position
        var number: UInt64 = 0
        while let digit = digit() {
            if position &- start > 18 { return nil }
            number = number &* 10 &+ UInt64(digit)
        }
        let count = position &- start
        return count == 0 || count > 1 && bytes[start] == UInt8(ascii: "0") ? nil : number
    }

    /// Reads the digits after a decimal point as a fraction; nil if there are none.
    package mutating func fraction() -> Double? {
        let start = position
        var number: UInt64 = 0
        var count = 0
        while let digit = digit() {
            // Further digits make no difference to a double.
            if count < 18 {
                number = number &* 10 &+ UInt64(digit)
                count &+= 1
            }
        }
        return position == start ? nil : Double(number) / Double.powerOfTen(count)
    }
}
