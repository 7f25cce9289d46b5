#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONReader {
    /// Reads a tag and its content.
    ///
    /// For an object, it reads up to the bracket before the members and returns nil.
    mutating func readTag() throws(JSONFault) -> Value? {
        position &+= 1
        guard skipSpace() == UInt8(ascii: "\"") else { throw fault(.tag) }
        let name = position
        guard let tag = JSONTag(rawValue: try readString()) else { throw fault(.tag, at: name) }
        guard skipSpace() == UInt8(ascii: ":") else { throw fault(.colon) }
        position &+= 1
        let first = skipSpace()
        if tag == .object {
            guard first == UInt8(ascii: "[") else { throw fault(.content(tag)) }
            return nil
        }
        let start = position
        guard let value = try readContent(of: tag, startingWith: first) else { throw fault(.content(tag), at: start) }
        try endTag()
        return value
    }

    /// Reads the brace that ends a tag.
    mutating func endTag() throws(JSONFault) {
        guard skipSpace() == UInt8(ascii: "}") else { throw fault(.tagEnd) }
        position &+= 1
    }

    /// Reads the content of a tag other than `object`; nil if it is invalid.
    ///
    /// - Parameter first: The byte at the position.
    private mutating func readContent(of tag: JSONTag, startingWith first: UInt8) throws(JSONFault) -> Value? {
        if tag == .double || tag == .date {
            return try readDouble(startingWith: first).map {
                tag == .double ? .double($0) : .date(Date(timeIntervalSinceReferenceDate: $0))
            }
        }
        guard first == UInt8(ascii: "\"") else { return nil }
        return tag.value(of: try readString())
    }

    /// Reads a number, or the text for a number that is not finite; nil for other content.
    private mutating func readDouble(startingWith first: UInt8) throws(JSONFault) -> Double? {
        switch first {
        case UInt8(ascii: "\""): return JSONTag.double(for: try readString())
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            let start = position
            switch try readNumber() {
            case .double(let double): return double
            // The integer has lost the sign of −0.
            case .integer(0) where bytes[start] == UInt8(ascii: "-"): return -0.0
            case .integer(let integer): return Double(integer)
            default: return nil
            }
        default: return nil
        }
    }
}

extension JSONTag {
    /// Returns the value of a text under this tag; nil if the text is invalid.
    func value(of text: String) -> Value? {
        switch self {
        case .decimal: Decimal(exactly: text).map { .decimal($0) }
        case .bytes: Data(base64Encoded: text).map { .bytes($0) }
        case .uuid: UUID(text: text).map { .uuid($0) }
        case .url: URL(kept: text).map { .url($0) }
        case .double, .date, .object: nil
        }
    }
}
