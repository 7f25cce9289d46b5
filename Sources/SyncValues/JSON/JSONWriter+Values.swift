#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONWriter {
    /// Writes a value as plain JSON.
    ///
    /// Decimals become numbers. Bytes, dates, UUIDs and URLs become text.
    ///
    /// - Throws: `JSONRepresentationError` if a number is infinite or NaN, or a date is outside of the years 0 to 9999.
    /// - Complexity: O(*n*) for a value of size *n*
    package mutating func write(_ value: Value) throws(JSONRepresentationError) {
        guard var parts = parts(of: value) else { return try writeScalar(value) }
        var outer: [ValueParts] = []
        open(parts)
        while true {
            if parts.isAtEnd {
                close(parts.names == nil ? "]" : "}", isEmpty: parts.values.isEmpty)
                guard let last = outer.popLast() else { return }
                parts = last
                continue
            }
            separate(isFirst: parts.next == 0)
            if let names = parts.names {
                write(names[parts.next])
                colon()
            }
            let part = parts.visitNext()
            if let inner = self.parts(of: part) {
                outer.append(parts)
                parts = inner
                open(parts)
            } else {
                do throws(JSONRepresentationError) {
                    try writeScalar(part)
                } catch {
                    throw error.inside((outer + [parts]).map(\.step).joined())
                }
            }
        }
    }

    /// Returns the parts of an array or object, sorted if the layout sorts names; nil for other values.
    @inline(__always)
    private func parts(of value: Value) -> ValueParts? {
        format.contains(.sortedNames) ? ValueParts(sorted: value) : ValueParts(value)
    }

    /// Writes the opening bracket of an array or object.
    private mutating func open(_ parts: ValueParts) { open(parts.names == nil ? "[" : "{") }

    /// Writes a value that is neither an array nor an object.
    ///
    /// - Throws: `JSONRepresentationError` without a path.
    private mutating func writeScalar(_ value: Value) throws(JSONRepresentationError) {
        switch value {
        case .null: write(literal: "null")
        case .bool(let value): if value { write(literal: "true") } else { write(literal: "false") }
        case .integer(let value): write(value)
        case .double(let value):
            guard value.isFinite else { throw JSONRepresentationError(value.isNaN ? .notANumber : .infinite) }
            write(value)
        case .decimal(let value):
            guard !value.isNaN else { throw JSONRepresentationError(.notANumber) }
            write(unescaped: DecimalDigits(value).text)
        case .string(let value): write(value)
        case .bytes(let value): write(value.base64EncodedString())
        case .date(let value):
            guard let text = value.internetText else { throw JSONRepresentationError(.dateOutOfRange) }
            write(text)
        case .uuid(let value): write(value)
        case .url(let value): write(value.absoluteString)
        case .array, .object: break
        }
    }

    /// Writes a UUID in quotes.
    mutating func write(_ uuid: UUID) {
        write(literal: "\"")
        uuid.appendText(to: &bytes)
        write(literal: "\"")
    }

    /// Returns a name as a step of a path: `.name`, or `["a name"]` for other characters than letters, digits and `_`.
    static func step(to name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
        }
        if isPlain, !name.isEmpty { return ".\(name)" }
        var writer = JSONWriter()
        writer.write(name)
        return "[\(writer.text)]"
    }
}

extension ValueParts {
    /// The step of a path from the container to the part that was visited last.
    fileprivate var step: String { names.map { JSONWriter.step(to: $0[next - 1]) } ?? "[\(next - 1)]" }
}
