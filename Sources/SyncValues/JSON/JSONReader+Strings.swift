extension JSONReader {
    /// Reads the name of a member.
    ///
    /// A long ASCII name without escapes shares its memory with an equal name in the cache.
    mutating func readName() throws(JSONFault) -> String {
        let start = position &+ 1
        let (end, isASCII) = scanString(from: start)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\""), isASCII, end &- start <= options.lengthLimit else {
            return try readString()
        }
        position = end &+ 1
        return cache.name(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }

    /// Reads a string, from its opening quote to its closing one.
    ///
    /// Most strings have no escapes, and are created from the bytes of the text at once.
    ///
    /// - Throws: `JSONFault` if the string is malformed or longer than the limit.
    /// - Complexity: O(*n*) for *n* bytes
    mutating func readString() throws(JSONFault) -> String {
        let start = position &+ 1
        let (end, isASCII) = scanString(from: start)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return try readEscapedString(from: start) }
        if end &- start > options.lengthLimit { throw fault(.length(options.lengthLimit)) }
        if !isASCII { try validate(start..<end) }
        position = end &+ 1
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }

    /// Returns the offset of the next quote, backslash or control character, and whether all bytes before it are ASCII.
    ///
    /// It looks at eight bytes at a time.
    @inline(__always)
    private func scanString(from start: Int) -> (end: Int, isASCII: Bool) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        var seen: UInt64 = 0
        var offset = start
        while offset &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let special =
                (word.bytes(equal: 0x22) | word.bytes(equal: 0x5C) | (word &- ones &* 0x20) & ~word) & tops
            if special != 0 {
                let bits = UInt64(special.trailingZeroBitCount & ~7)
                seen |= word & ((1 &<< bits) &- 1)
                return (offset &+ Int(bits >> 3), seen & tops == 0)
            }
            seen |= word
            offset &+= 8
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            seen |= UInt64(byte)
            offset &+= 1
        }
        return (offset, seen & tops == 0)
    }

    /// Reads a string with escapes, or with a fault, from the byte after its opening quote on.
    @inline(never)
    private mutating func readEscapedString(from start: Int) throws(JSONFault) -> String {
        scratch.removeAll(keepingCapacity: true)
        position = start
        while true {
            let (end, isASCII) = scanString(from: position)
            if !isASCII { try validate(position..<end) }
            scratch.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
            position = end
            if end &- start > options.lengthLimit { throw fault(.length(options.lengthLimit), at: start &- 1) }
            guard end < bytes.count else { throw fault(.stringEnd) }
            switch bytes[end] {
            case UInt8(ascii: "\\"): try readEscape()
            case UInt8(ascii: "\""):
                position &+= 1
                return String(decoding: scratch, as: UTF8.self)
            default: throw fault(.stringEnd)
            }
        }
    }

    /// Reads an escape from its backslash on, and appends its character to the buffer.
    ///
    /// Two `\u` escapes that form a surrogate pair are read as one character.
    ///
    /// - Throws: `JSONFault` if the escape is unknown, or half of a surrogate pair.
    private mutating func readEscape() throws(JSONFault) {
        let start = position
        position &+= 2
        guard start &+ 1 < bytes.count else { throw fault(.escape, at: bytes.count) }
        switch bytes[start &+ 1] {
        case UInt8(ascii: "\""): scratch.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): scratch.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): scratch.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"):
            var code = try readHexadecimalDigits()
            if code & 0xFC00 == 0xDC00 { throw fault(.highSurrogate, at: start) }
            if code & 0xFC00 == 0xD800 {
                for expected in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
                    guard position < bytes.count else { throw fault(.lowSurrogate) }
                    guard bytes[position] == expected else { throw fault(.lowSurrogate, at: start) }
                    position &+= 1
                }
                let other = try readHexadecimalDigits()
                guard other & 0xFC00 == 0xDC00 else { throw fault(.lowSurrogate, at: start) }
                code = 0x10000 &+ (code & 0x3FF) << 10 &+ other & 0x3FF
            }
            if let scalar = Unicode.Scalar(code) { scratch.append(contentsOf: UTF8.encode(scalar)!) }
        default: throw fault(.escape, at: start &+ 1)
        }
    }

    /// Reads the four digits of a `\u` escape.
    private mutating func readHexadecimalDigits() throws(JSONFault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = bytes[position].hexadecimalDigit else {
                throw fault(.hexadecimalDigits)
            }
            code = code << 4 | UInt32(digit)
            position &+= 1
        }
        return code
    }

    /// Checks that bytes are UTF-8.
    ///
    /// Table 3-7 of the Unicode standard defines the valid sequences. None is longer than necessary, encodes a
    /// surrogate, or is above U+10FFFF.
    ///
    /// - Throws: `JSONFault` at the start of the first invalid sequence.
    private func validate(_ range: Range<Int>) throws(JSONFault) {
        if isText { return }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let first = bytes[offset]
            if first < 0x80 {
                offset &+= 1
                continue
            }
            let (count, second): (Int, ClosedRange<UInt8>) =
                switch first {
                case 0xC2...0xDF: (2, 0x80...0xBF)
                case 0xE0: (3, 0xA0...0xBF)
                case 0xED: (3, 0x80...0x9F)
                case 0xE1...0xEF: (3, 0x80...0xBF)
                case 0xF0: (4, 0x90...0xBF)
                case 0xF1...0xF3: (4, 0x80...0xBF)
                case 0xF4: (4, 0x80...0x8F)
                default: (0, 0x80...0x80)
                }
            guard count > 0, offset &+ count <= range.upperBound, second.contains(bytes[offset &+ 1]) else {
                throw fault(.utf8, at: offset)
            }
            for index in 2..<max(count, 2) where bytes[offset &+ index] & 0xC0 != 0x80 {
                throw fault(.utf8, at: offset)
            }
            offset &+= count
        }
    }
}
