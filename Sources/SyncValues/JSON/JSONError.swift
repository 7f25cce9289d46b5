/// The error for a text that is not valid JSON or that the options refuse, with its position.
///
/// ```
/// line 3, column 14 (byte 57): expected ',' or '}', found ']'
/// ```
public struct JSONError: Error, Hashable {
    /// The kinds of error.
    ///
    /// Later versions may add kinds: a `switch` needs a `default`.
    public enum Code: Hashable, Sendable {
        /// The text has no value.
        case empty
        /// The text ends before its value is complete.
        case incomplete
        /// The text continues with something unexpected.
        case unexpected
        /// The text continues after its value.
        case trailing
        /// The text is not UTF-8.
        case invalidUTF8
        /// A string has an invalid escape, or half of a surrogate pair.
        case invalidEscape
        /// A number is out of range for a double, or for an integer where large ones are refused.
        case numberOutOfRange
        /// More arrays and objects are open than the limit allows.
        case tooDeep
        /// A string, a name or a number is longer than the limit allows.
        case tooLong
        /// An object has two members with one name, and the options refuse that.
        case duplicateName
        /// A value of the tagged form does not have the content that its tag requires.
        case invalidTag
    }

    /// The kind of the error.
    public let code: Code
    /// The offset of the error, in bytes from the start of the text.
    public let offset: Int
    /// The line of the error, from 1.
    public let line: Int
    /// The position in the line, in Unicode scalars from 1.
    public let column: Int
    /// The content that is expected at the offset.
    public let expected: String
    /// The content that was found at the offset.
    public let found: String
}

extension JSONError: CustomStringConvertible {
    /// The position, the expected content and the content that was found.
    public var description: String {
        "line \(line), column \(column) (byte \(offset)): expected \(expected), found \(found)"
    }
}

/// A fault that a reader has found.
///
/// It becomes an error when reading ends.
struct JSONFault: Error {
    /// The expected content.
    ///
    /// The number of `depth` and `length` is the limit that the text exceeds. `tag`, `content` and `tagEnd` are the
    /// parts of a tagged value.
    enum Expectation {
        case value, valueOrArrayEnd, commaOrArrayEnd, name, nameOrObjectEnd, colon, commaOrObjectEnd, literal, digit
        case stringEnd, escape, hexadecimalDigits, lowSurrogate, highSurrogate, utf8, end, double, integer
        case depth(Int), length(Int), object
        case uniqueName, tag, tagEnd
        case content(JSONTag)
    }

    /// The expected content.
    var expectation: Expectation
    /// The offset of the fault, in bytes from the start of the text.
    var offset: Int
}

extension JSONError {
    /// Creates the error for a fault in a text.
    init(_ fault: JSONFault, in text: UnsafeRawBufferPointer) {
        let end = min(fault.offset, text.count)
        let before = text[..<end]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        offset = end
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        // A scalar is counted by its first byte.
        column = text[lineStart..<end].count { $0 & 0xC0 != 0x80 } + 1
        expected = fault.expectation.text
        found = Self.found(in: text, at: end, fault.expectation)
        let isEmpty = before.dropMark.allSatisfy(\.isJSONSpace)
        code = Self.code(fault.expectation, isAtEnd: end == text.count, isEmpty: isEmpty)
    }

    /// Returns the kind of the error for an expectation that the text does not meet.
    private static func code(_ expectation: JSONFault.Expectation, isAtEnd: Bool, isEmpty: Bool) -> Code {
        switch expectation {
        case .value where isAtEnd && isEmpty, .object where isAtEnd && isEmpty: .empty
        case .end: .trailing
        case .utf8: .invalidUTF8
        case .double, .integer: .numberOutOfRange
        case .depth: .tooDeep
        case .length: .tooLong
        case .uniqueName: .duplicateName
        case .content: .invalidTag
        case _ where isAtEnd: .incomplete
        case .escape, .hexadecimalDigits, .lowSurrogate, .highSurrogate: .invalidEscape
        case .tag, .tagEnd: .invalidTag
        default: .unexpected
        }
    }

    /// Returns a description of the content at an offset: a character, or more if one is not informative.
    private static func found(
        in text: UnsafeRawBufferPointer, at offset: Int, _ expectation: JSONFault.Expectation
    ) -> String {
        guard offset < text.count else { return "the end of the text" }
        switch expectation {
        case .uniqueName: return "a name for the second time"
        case .double, .integer: return "one beyond that"
        case .depth: return "one more"
        case .length: return "one that is longer"
        case .content: return "something else"
        case .lowSurrogate, .highSurrogate: return "half of a surrogate pair"
        default: break
        }
        let characters = String(decoding: text[offset..<min(offset + 4, text.count)], as: UTF8.self)
        guard let scalar = characters.unicodeScalars.first, scalar != "\u{FFFD}" else {
            return "byte 0x\(hexadecimal(UInt32(text[offset]), digits: 2))"
        }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator, .nonspacingMark, .enclosingMark:
            "U+\(hexadecimal(scalar.value, digits: 4))"
        default: "'\(scalar)'"
        }
    }

    /// Returns a number in base 16, with at least the given number of digits.
    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension JSONFault.Expectation {
    /// The expected content, in words.
    fileprivate var text: String {
        switch self {
        case .value: "a value"
        case .valueOrArrayEnd: "a value or ']'"
        case .commaOrArrayEnd: "',' or ']'"
        case .name: "a name in quotes"
        case .nameOrObjectEnd: "a name in quotes or '}'"
        case .colon: "':' after the name"
        case .commaOrObjectEnd: "',' or '}'"
        case .literal: "true, false or null"
        case .digit: "a digit"
        case .stringEnd: "the end of the string, or a character that needs no escape"
        case .escape: "one of \"\\/bfnrtu after '\\'"
        case .hexadecimalDigits: "four hexadecimal digits after '\\u'"
        case .lowSurrogate: "the other half of a surrogate pair, '\\uDC00' to '\\uDFFF'"
        case .highSurrogate: "the first half of a surrogate pair, '\\uD800' to '\\uDBFF', before the other"
        case .utf8: "UTF-8"
        case .end: "nothing after the value"
        case .double: "a number that a double holds"
        case .integer: "an integer of 64 bits"
        case .depth(let limit): "at most \(limit) arrays and objects in each other"
        case .length(let limit): "a string, a name or a number of at most \(limit) bytes"
        case .object: "an object"
        case .uniqueName: "names that are unique in their object"
        case .tag: "one of the tags \(JSONTag.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))"
        case .tagEnd: "'}' after the content of the tag"
        case .content(let tag): tag.content
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The bytes without a byte order mark before them.
    fileprivate var dropMark: Self { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self }
}

extension UInt8 {
    /// Whether the byte is JSON white space.
    @inline(__always)
    var isJSONSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
    }
}
