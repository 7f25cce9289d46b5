/// The text of an XML file in UTF-8, with line feeds as line ends, as XML requires.
struct MarkupText {
    /// The text in UTF-8.
    private(set) var bytes: [UInt8] = []

    /// Decodes a file by its byte order mark, or by the encoding that it declares.
    ///
    /// - Throws: `ModelError` if it is not text, or has characters that XML excludes.
    /// - Complexity: O(*n*) for *n* bytes
    init(_ file: [UInt8]) throws(ModelError) {
        bytes.reserveCapacity(file.count)
        switch MarkupText.encoding(of: file) {
        case .utf8(let start): try decode(file[start...], UTF8.self, "UTF-8")
        case .utf16(let start, let isBigEndian):
            let units = stride(from: start, to: file.count - 1, by: 2).lazy.map { offset in
                let (first, second) = (UInt16(file[offset]), UInt16(file[offset + 1]))
                return isBigEndian ? first << 8 | second : second << 8 | first
            }
            try decode(units, UTF16.self, "UTF-16")
            if (file.count - start) % 2 != 0 { throw MarkupText.error(end, "the file ends inside of a character") }
        case .latin1: try decode(file.lazy.map(UInt32.init), UTF32.self, "ISO 8859-1")
        case .unknown(let name):
            throw MarkupText.error(
                MarkupPosition(), "the encoding '\(name)' is not known here: save the file in UTF-8")
        }
    }

    /// Returns the error for a file that cannot be decoded.
    private static func error(_ position: MarkupPosition, _ message: String) -> ModelError {
        ModelError(.xml, message, at: position)
    }

    /// The place behind the last character.
    private var end: MarkupPosition {
        var position = MarkupPosition()
        position.advance(over: bytes[...])
        return position
    }

    /// Decodes code units, and appends them in UTF-8 with line feeds as line ends.
    ///
    /// Both `\r\n` and a lone `\r` become `\n`.
    ///
    /// - Throws: `ModelError` at the first invalid unit, or at a character that XML excludes.
    private mutating func decode<Units: Sequence, Codec: UnicodeCodec>(
        _ units: Units, _: Codec.Type, _ name: String
    ) throws(ModelError) where Units.Element == Codec.CodeUnit {
        var codec = Codec()
        var iterator = units.makeIterator()
        var isAfterReturn = false
        while true {
            switch codec.decode(&iterator) {
            case .scalarValue(let scalar):
                if !(isAfterReturn && scalar == "\n") {
                    guard scalar.isXML else {
                        let code = String(scalar.value, radix: 16, uppercase: true)
                        let digits = String(repeating: "0", count: max(0, 4 - code.count)) + code
                        throw MarkupText.error(
                            end, "the character U+\(digits) cannot stand in XML: take it away")
                    }
                    if scalar == "\r" { bytes.append(UInt8(ascii: "\n")) } else { bytes += UTF8.encode(scalar)! }
                }
                isAfterReturn = scalar == "\r"
            case .emptyInput: return
            case .error: throw MarkupText.error(end, "this is not \(name): save the file in UTF-8")
            }
        }
    }
}

extension MarkupText {
    /// The encoding of a file, and the offset of the first byte after a byte order mark.
    private enum Encoding {
        /// UTF-8, after a mark of some bytes.
        case utf8(start: Int)
        /// UTF-16 in one of both orders of bytes, after a mark.
        case utf16(start: Int, isBigEndian: Bool)
        /// ISO 8859-1, in which each byte is a scalar.
        case latin1
        /// An encoding that is not read, by its name.
        case unknown(String)
    }

    /// Returns the encoding by the byte order mark or the first bytes, otherwise by the XML declaration.
    ///
    /// Without either, it is UTF-8.
    private static func encoding(of file: [UInt8]) -> Encoding {
        if file.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8(start: 3) }
        if file.starts(with: [0xFE, 0xFF]) { return .utf16(start: 2, isBigEndian: true) }
        if file.starts(with: [0xFF, 0xFE]) { return .utf16(start: 2, isBigEndian: false) }
        if file.starts(with: [0, 0x3C]) { return .utf16(start: 0, isBigEndian: true) }
        if file.starts(with: [0x3C, 0]) { return .utf16(start: 0, isBigEndian: false) }
        guard let name = declaredEncoding(of: file) else { return .utf8(start: 0) }
        switch name.uppercased() {
        case "UTF-8", "UTF8", "US-ASCII", "ASCII": return .utf8(start: 0)
        case "ISO-8859-1", "ISO8859-1", "LATIN1": return .latin1
        default: return .unknown(name)
        }
    }

    /// Returns the name of the encoding in the XML declaration; nil if there is none.
    ///
    /// It looks at the first 200 bytes.
    private static func declaredEncoding(of file: [UInt8]) -> String? {
        guard file.starts(with: Array("<?xml".utf8)) else { return nil }
        let declaration = String(decoding: file.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        guard let start = declaration.firstRange(of: "encoding")?.upperBound else { return nil }
        let value = declaration[start...].drop { " \t\r\n=".contains($0) }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return String(value.dropFirst().prefix { $0 != quote })
    }
}

extension Unicode.Scalar {
    /// Whether XML 1.0 allows it.
    var isXML: Bool {
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}

extension MarkupPosition {
    /// Moves over text in UTF-8.
    mutating func advance(over bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }
}
