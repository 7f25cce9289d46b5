#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONWriter {
    /// Writes a value as plain JSON, which has no cases for decimals, bytes, dates, identifiers and locators.
    package mutating func write(_ value: Value) throws(JSONRepresentationError) {
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
        case .array(let elements): try write(elements)
        case .object(let object):
            if format.contains(.sortedNames) { try write(object.sorted) } else { try write(object.members) }
        }
    }

    /// Writes an identifier in quotes.
    mutating func write(_ uuid: UUID) {
        write(literal: "\"")
        uuid.appendText(to: &bytes)
        write(literal: "\"")
    }

    private mutating func write(_ elements: [Value]) throws(JSONRepresentationError) {
        open("[")
        for index in elements.indices {
            separate(isFirst: index == 0)
            do throws(JSONRepresentationError) {
                try write(elements[index])
            } catch {
                throw error.inside("[\(index)]")
            }
        }
        close("]", isEmpty: elements.isEmpty)
    }

    private mutating func write(
        _ members: some RandomAccessCollection<ValueObject.Member>
    ) throws(JSONRepresentationError) {
        open("{")
        var isFirst = true
        for member in members {
            separate(isFirst: isFirst)
            isFirst = false
            write(member.name)
            colon()
            do throws(JSONRepresentationError) {
                try write(member.value)
            } catch {
                throw error.inside(Self.step(to: member.name))
            }
        }
        close("}", isEmpty: members.isEmpty)
    }

    /// A name as a step of a path: `.name`, or `["a name"]` where it has other characters than letters and digits.
    private static func step(to name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
        }
        if isPlain, !name.isEmpty { return ".\(name)" }
        var writer = JSONWriter()
        writer.write(name)
        return "[\(writer.text)]"
    }
}
