extension JSONParser {
    /// Throws for the first byte that is not UTF-8.
    package func requireUTF8() throws(JSONError) {
        if String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) { return }
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar):
                offset += scalar.count
            case .error:
                let byte = String(bytes[offset], radix: 16, uppercase: true)
                throw error(at: offset, found: "the byte 0x\(byte), which is not UTF-8 here", expected: "UTF-8 text")
            case .emptyInput:
                return
            }
        }
    }

    /// Reads a string, from its quote on.
    package mutating func string() throws(JSONError) -> String {
        let opening = position
        position += 1
        var text = ""
        var start = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                text += String(decoding: bytes[start..<position], as: UTF8.self)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                text += String(decoding: bytes[start..<position], as: UTF8.self)
                text.unicodeScalars.append(try escaped())
                start = position
            case 0..<0x20:
                throw error(
                    at: position, found: character(at: position) + " in a string",
                    expected: "it escaped, or '\"' before it")
            default:
                position += 1
            }
        }
        throw error(
            at: position, found: "the end of the file",
            expected: "'\"' to end the string that begins at \(location(of: opening))")
    }

    /// Reads an escaped character, from its backslash on.
    private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
        let start = position
        position += 1
        switch next {
        case UInt8(ascii: "\""): position += 1; return "\""
        case UInt8(ascii: "\\"): position += 1; return "\\"
        case UInt8(ascii: "/"): position += 1; return "/"
        case UInt8(ascii: "b"): position += 1; return "\u{8}"
        case UInt8(ascii: "f"): position += 1; return "\u{C}"
        case UInt8(ascii: "n"): position += 1; return "\n"
        case UInt8(ascii: "r"): position += 1; return "\r"
        case UInt8(ascii: "t"): position += 1; return "\t"
        case UInt8(ascii: "u"): position += 1
        default: throw unexpected("one of \" \\ / b f n r t u after a backslash")
        }
        let first = try codeUnit()
        guard UTF16.isSurrogate(first) else { return Unicode.Scalar(first)! }
        if UTF16.isLeadSurrogate(first), take("\\"), take("u") {
            let second = try codeUnit()
            if UTF16.isTrailSurrogate(second) {
                return Unicode.Scalar(0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF)))!
            }
        }
        throw error(
            at: start, found: "half of a surrogate pair, \\u\(JSONValue.hexadecimal(UInt32(first)))",
            expected: "both halves")
    }

    /// Reads four hexadecimal digits.
    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw unexpected("four hexadecimal digits after \\u")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
