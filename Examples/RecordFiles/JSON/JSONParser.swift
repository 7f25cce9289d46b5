/// Reads a JSON text, value by value.
///
/// It is not the reader of `SyncValues`, for three reasons:
///
/// - A merged file keeps the text of its records. So the parser finds the byte range of each element.
/// - Numbers are compared as they are written: `1` and `1.0` differ.
/// - `diffsync` needs no library but the core.
package struct JSONParser {
    /// How many arrays and objects may stand inside each other: what is read is walked by recursion, and a hostile file
    /// must not exhaust the stack.
    package static let maximumDepth = 128

    package let bytes: [UInt8]
    package var position = 0
    private var depth = 0
    private var rootMember: MemberName?
    /// The number of the first line of the text.
    private let firstLine: Int

    /// See ``JSONDocument/elements``.
    private(set) var elements: [Range<Int>] = []

    /// See ``JSONDocument/elementsByMember``.
    private(set) var elementsByMember: [MemberName: [Range<Int>]] = [:]

    /// See ``JSONDocument/arrays``.
    private(set) var arrays: [MemberName: Range<Int>] = [:]

    package init(_ bytes: [UInt8], line: Int = 1) {
        self.bytes = bytes
        firstLine = line
    }
}

extension JSONParser {
    /// Reads the whole text.
    package mutating func document() throws(JSONError) -> JSONValue {
        try requireUTF8()
        skipSpace()
        let root = try value()
        skipSpace()
        if position < bytes.count { throw unexpected("the end of the file") }
        return root
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        guard let byte = next else { throw unexpected("a value") }
        switch byte {
        case UInt8(ascii: "{"):
            return .object(try object())
        case UInt8(ascii: "["):
            return .array(try array())
        case UInt8(ascii: "\""):
            return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try number())
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            return try word()
        default:
            throw unexpected("a value")
        }
    }

    private mutating func object() throws(JSONError) -> [MemberName: JSONValue] {
        try enter()
        defer { depth -= 1 }
        var members: [MemberName: JSONValue] = [:]
        var offsets: [MemberName: Int] = [:]
        if take("}") { return members }
        repeat {
            skipSpace()
            let offset = position
            if next != UInt8(ascii: "\"") { throw unexpected(members.isEmpty ? "a name or '}'" : "a name") }
            let name = MemberName(try string())
            if let earlier = offsets.updateValue(offset, forKey: name) {
                throw error(
                    at: offset, found: "the name \(name.quoted) again",
                    expected: "it once in an object, as at \(location(of: earlier))")
            }
            skipSpace()
            if !take(":") { throw unexpected("':'") }
            skipSpace()
            if depth == 1 { rootMember = name }
            members[name] = try value()
            skipSpace()
        } while take(",")
        if !take("}") { throw unexpected("',' or '}'") }
        return members
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        let opening = position
        try enter()
        let level = depth
        let name: MemberName? = level == 1 ? "" : level == 2 ? rootMember : nil
        defer {
            if let name { arrays[name] = opening..<position }
            depth -= 1
        }
        var values: [JSONValue] = []
        var ranges: [Range<Int>] = []
        if take("]") { return values }
        repeat {
            skipSpace()
            let start = position
            values.append(try value())
            if level <= 2 { ranges.append(start..<position) }
            skipSpace()
        } while take(",")
        if !take("]") { throw unexpected("',' or ']'") }
        if level == 1 {
            elements = ranges
        } else if level == 2, let rootMember {
            elementsByMember[rootMember] = ranges
        }
        return values
    }

    /// Passes the bracket that opens an array or object, and the space after it.
    private mutating func enter() throws(JSONError) {
        if depth == JSONParser.maximumDepth {
            throw error(
                at: position, found: "more than \(JSONParser.maximumDepth) arrays and objects inside each other",
                expected: "fewer")
        }
        depth += 1
        position += 1
        skipSpace()
    }
}

extension JSONParser {
    private mutating func word() throws(JSONError) -> JSONValue {
        let start = position
        while let byte = next, isLetterOrDigit(byte) { position += 1 }
        switch String(decoding: bytes[start..<position], as: UTF8.self) {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        case let word:
            let shown = word.count > 20 ? word.prefix(20) + "…" : word
            throw error(at: start, found: "'\(shown)'", expected: "a value, such as \"text\", 1, true, false or null")
        }
    }

    private mutating func number() throws(JSONError) -> String {
        let start = position
        _ = take("-")
        if take("0") {
            if let byte = next, isDigit(byte) { throw unexpected("no digit after a leading 0") }
        } else {
            try digits("a digit")
        }
        if take(".") { try digits("a digit after the decimal point") }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            try digits("a digit in the exponent")
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits(_ expected: String) throws(JSONError) {
        guard let byte = next, isDigit(byte) else { throw unexpected(expected) }
        while let byte = next, isDigit(byte) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private func isLetterOrDigit(_ byte: UInt8) -> Bool {
        let lowercase = byte | 0x20
        return isDigit(byte) || lowercase >= UInt8(ascii: "a") && lowercase <= UInt8(ascii: "z")
    }
}

extension JSONParser {
    /// The next byte, or nil at the end.
    package var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Passes the given character, if it is next.
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        if next != UInt8(ascii: character) { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// The place of a byte in the file.
    func location(of offset: Int) -> TextLocation {
        let place = TextLocation(offset: offset, in: bytes)
        return TextLocation(line: firstLine + place.line - 1, column: place.column)
    }

    /// The error that something else is next.
    package func unexpected(_ expected: String) -> JSONError {
        error(at: position, found: character(at: position), expected: expected)
    }

    package func error(at offset: Int, found: String, expected: String) -> JSONError {
        JSONError(location: location(of: offset), found: found, expected: expected)
    }

    /// What stands at a place, for errors.
    package func character(at offset: Int) -> String {
        let text = String(decoding: bytes[offset...].prefix(4), as: UTF8.self)
        guard let scalar = text.unicodeScalars.first else { return "the end of the file" }
        if scalar == "\n" || scalar == "\r" { return "the end of the line" }
        if scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format {
            return "the control character U+\(JSONValue.hexadecimal(scalar.value))"
        }
        return "'\(scalar)'"
    }
}
