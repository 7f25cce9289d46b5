/// A writer of JSON text as UTF-8 bytes, indented or on one line.
package struct JSONWriter {
    /// The text so far.
    package var bytes: [UInt8] = []
    /// The layout of the text.
    let format: JSONFormat
    /// The number of open containers, by which lines are indented.
    private var level = 0

    /// Creates an empty writer with a layout.
    package init(format: JSONFormat = []) {
        self.format = format
    }

    /// The text so far.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONWriter {
    /// Writes text that needs no escape.
    @inline(__always)
    mutating func write(literal text: StaticString) {
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes an integer.
    mutating func write(_ integer: Int64) {
        write(unescaped: String(integer))
    }

    /// Writes a finite number with the fewest digits that are read as the same number.
    ///
    /// A number without a fraction has a point or an exponent, so that it is not read as an integer.
    mutating func write(_ double: Double) {
        write(unescaped: double.description)
    }

    /// Writes text that needs neither quotes nor escapes.
    mutating func write(unescaped text: String) {
        text.withUTF8Bytes { bytes.append(contentsOf: $0) }
    }

    /// Writes a string in quotes, with the escapes that RFC 8259 requires.
    package mutating func write(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        string.withUTF8Bytes { text in
            var start = 0
            var offset = 0
            while offset < text.count {
                offset = Self.special(in: text, from: offset)
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<offset]))
                guard offset < text.count else { break }
                writeEscape(text[offset])
                offset &+= 1
                start = offset
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes the escape of a quote, a backslash or a control character.
    private mutating func writeEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): write(literal: "\\\"")
        case UInt8(ascii: "\\"): write(literal: "\\\\")
        case 0x08: write(literal: "\\b")
        case 0x09: write(literal: "\\t")
        case 0x0A: write(literal: "\\n")
        case 0x0C: write(literal: "\\f")
        case 0x0D: write(literal: "\\r")
        default:
            write(literal: "\\u00")
            let digits: StaticString = "0123456789ABCDEF"
            bytes.append(digits.utf8Start[Int(byte >> 4)])
            bytes.append(digits.utf8Start[Int(byte & 15)])
        }
    }

    /// Returns the offset of the next byte that needs an escape, or the end of the text.
    ///
    /// It looks at eight bytes at a time.
    private static func special(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var offset = start
        while offset &+ 8 <= text.count {
            let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let special = word.bytes(equal: 0x22) | word.bytes(equal: 0x5C) | (word &- ones &* 0x20) & ~word
            let bits = special & (ones &* 0x80)
            if bits != 0 { return offset &+ bits.trailingZeroBitCount >> 3 }
            offset &+= 8
        }
        while offset < text.count {
            let byte = text[offset]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            offset &+= 1
        }
        return offset
    }
}

extension JSONWriter {
    /// Writes the opening bracket of a container.
    package mutating func open(_ bracket: StaticString) {
        write(literal: bracket)
        level += 1
    }

    /// Writes the separator before an element or member.
    package mutating func separate(isFirst: Bool) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        if format.contains(.indented) { breakLine() }
    }

    /// Writes the separator between a name and its value.
    package mutating func colon() {
        if format.contains(.indented) { write(literal: ": ") } else { write(literal: ":") }
    }

    /// Writes the closing bracket of a container.
    package mutating func close(_ bracket: StaticString, isEmpty: Bool) {
        level -= 1
        if format.contains(.indented), !isEmpty { breakLine() }
        write(literal: bracket)
    }

    /// Begins a line, indented by two spaces for each open container.
    private mutating func breakLine() {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
    }
}

extension UInt64 {
    /// Returns a number with the highest bit of each byte set where the byte of this number equals the given one.
    ///
    /// The other bits have no meaning. Above the lowest equal byte, the highest bits may be set without a reason.
    @inline(__always)
    func bytes(equal byte: UInt8) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let difference = self ^ (ones &* UInt64(byte))
        return (difference &- ones) & ~difference
    }
}
