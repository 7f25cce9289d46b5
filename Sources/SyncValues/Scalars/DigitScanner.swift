/// A scanner that reads digits and letters from the bytes of text.
///
/// A function that returns nil may have read some bytes before, so the position is then not specified.
package struct DigitScanner {
    // because: the scanner lives no longer than the call that lends the bytes.
    /// The text; only ASCII digits and letters are read.
    private let bytes: UnsafeRawBufferPointer
    /// The offset of the next byte.
    private var position = 0

    /// Creates a scanner at the first byte.
    package init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether no bytes are left.
    package var isAtEnd: Bool { position == bytes.count }

    /// Whether the next byte is a digit.
    var isAtDigit: Bool { position < bytes.count && bytes[position] &- UInt8(ascii: "0") < 10 }

    /// Skips a byte if it is the next one, and returns whether it is.
    @inline(__always)
    package mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position &+= 1
        return true
    }

    /// Skips text if it is next, and returns whether it is.
    package mutating func skip(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    /// Reads the ASCII letters that follow, at most `limit`, in lower case.
    package mutating func letters(limit: Int = .max) -> String {
        let letters = bytes[position...].prefix(limit).prefix { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
        position += letters.count
        return String(decoding: letters.map { $0 | 0x20 }, as: UTF8.self)
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

    /// Reads a number of one or two digits; nil if there are none.
    package mutating func oneOrTwoDigits() -> Int? {
        guard let first = digit() else { return nil }
        return digit().map { Int(first) * 10 + Int($0) } ?? Int(first)
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

    /// Reads an offset from UTC, `±hh`, `±hhmm` or `±hh:mm`, as seconds; nil if there is none.
    package mutating func offset() -> Int? {
        let isBehind = skip(UInt8(ascii: "-"))
        guard isBehind || skip(UInt8(ascii: "+")), let hours = digits(2), hours < 24 else { return nil }
        var minutes = 0
        if skip(UInt8(ascii: ":")) || isAtDigit {
            guard let digits = digits(2), digits < 60 else { return nil }
            minutes = digits
        }
        let distance = hours * 3_600 + minutes * 60
        return isBehind ? -distance : distance
    }
}
