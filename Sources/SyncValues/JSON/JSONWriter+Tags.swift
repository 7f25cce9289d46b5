#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONWriter {
    /// Writes a value in the tagged form.
    ///
    /// - Complexity: O(*n*) for a value of size *n*
    package mutating func writeTagged(_ value: Value) {
        guard var parts = ValueParts(value) else { return writeTaggedScalar(value) }
        var outer: [ValueParts] = []
        openTagged(parts)
        while true {
            if parts.isAtEnd {
                if parts.names == nil { write(literal: "]") } else { write(literal: "]}") }
                guard let last = outer.popLast() else { return }
                parts = last
                continue
            }
            if parts.next > 0 { write(literal: ",") }
            if let names = parts.names {
                write(names[parts.next])
                write(literal: ",")
            }
            let part = parts.visitNext()
            if let inner = ValueParts(part) {
                outer.append(parts)
                parts = inner
                openTagged(parts)
            } else {
                writeTaggedScalar(part)
            }
        }
    }

    /// Writes the opening bracket of an array, or the tag and bracket of an object.
    private mutating func openTagged(_ parts: ValueParts) {
        if parts.names == nil { write(literal: "[") } else { write(literal: "{\"object\":[") }
    }

    /// Writes a value that is neither an array nor an object.
    private mutating func writeTaggedScalar(_ value: Value) {
        switch value {
        case .null: write(literal: "null")
        case .bool(let value): if value { write(literal: "true") } else { write(literal: "false") }
        case .integer(let value): write(value)
        case .double(let value):
            if value.hasFraction {
                write(value)
            } else {
                write(.double, value)
            }
        case .decimal(let value): write(.decimal, unescaped: DecimalDigits(value).text)
        case .string(let value): write(value)
        case .bytes(let value): write(.bytes, unescaped: value.base64EncodedString())
        case .date(let value): write(.date, value.timeIntervalSinceReferenceDate)
        case .uuid(let value):
            write(literal: "{\"uuid\":")
            write(value)
            write(literal: "}")
        case .url(let value):
            write(literal: "{\"url\":")
            write(value.absoluteString)
            write(literal: "}")
        case .array, .object: break
        }
    }

    /// Writes the beginning of a tagged value, up to its content.
    private mutating func open(_ tag: JSONTag) {
        write(literal: "{\"")
        write(unescaped: tag.rawValue)
        write(literal: "\":")
    }

    /// Writes a tag and its number, as text if the number is not finite.
    private mutating func write(_ tag: JSONTag, _ double: Double) {
        if let text = JSONTag.text(for: double) { return write(tag, unescaped: text) }
        open(tag)
        write(double)
        write(literal: "}")
    }

    /// Writes a tag and its text, which needs no escape.
    private mutating func write(_ tag: JSONTag, unescaped text: String) {
        open(tag)
        write(literal: "\"")
        write(unescaped: text)
        write(literal: "\"}")
    }
}
