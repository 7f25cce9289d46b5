/// Why a text is not the JSON that was asked for, and where.
///
/// ```
/// line 3, column 14 (byte 57): expected ',' or '}', found ']'
/// ```
public struct JSONError: Error, Hashable {
    /// What is wrong with the text.
    public enum Code: Hashable, Sendable {
        /// There is no value in it.
        case empty
        /// It ends before its value does.
        case incomplete
        /// Something else was expected where it goes on.
        case unexpected
        /// It goes on after its value.
        case trailing
        /// It is not UTF-8.
        case invalidUTF8
        /// A string has an escape that is none, or half of a surrogate pair.
        case invalidEscape
        /// A number that no double, or no integer where large ones are refused, stands for.
        case numberOutOfRange
        /// More arrays and objects are open than the limit allows.
        case tooDeep
        /// A string, a name or a number is longer than the limit allows.
        case tooLong
        /// An object has two members of one name, which the options refuse.
        case duplicateName
        /// A value of the tagged form does not have the content that its tag promises.
        case invalidTag
    }

    /// What is wrong with the text.
    public let code: Code
    /// Where it is wrong, in bytes from the start of the text.
    public let offset: Int
    /// The line in which it is wrong, from 1.
    public let line: Int
    /// The place in the line, in Unicode scalars from 1.
    public let column: Int
    /// What would be right there.
    public let expected: String
    /// What is there.
    public let found: String
}

extension JSONError: CustomStringConvertible {
    /// Where the text is wrong, what would be right there, and what is there.
    public var description: String {
        "line \(line), column \(column) (byte \(offset)): expected \(expected), found \(found)"
    }
}

/// What a reader stumbles over; an error is made of it once the text is given up.
struct JSONFault: Error {
    /// What would be right.
    enum Expectation {
        case value, valueOrArrayEnd, commaOrArrayEnd, name, nameOrObjectEnd, colon, commaOrObjectEnd, literal, digit
        case stringEnd, escape, hexadecimalDigits, lowSurrogate, highSurrogate, utf8, end, noMark, double, integer
        case depth(Int), length(Int)
        case uniqueName, tag, tagEnd
        case content(JSONTag)
    }

    /// What would be right.
    var expectation: Expectation
    /// Where, in bytes from the start of the text.
    var offset: Int
}

extension JSONError {
    /// The error that a fault in a text is.
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
        code = Self.code(fault.expectation, isAtEnd: end == text.count, isEmpty: before.allSatisfy(\.isJSONSpace))
    }

    private static func code(_ expectation: JSONFault.Expectation, isAtEnd: Bool, isEmpty: Bool) -> Code {
        switch expectation {
        case .value where isAtEnd && isEmpty: .empty
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

    /// What stands at an offset: a character, or more of it where one does not tell enough.
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
        case .noMark: return "a byte order mark, which has to be taken off"
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

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension JSONFault.Expectation {
    /// What would be right, in words.
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
        case .noMark: "a value"
        case .double: "a number that a double holds"
        case .integer: "an integer of 64 bits"
        case .depth(let limit): "at most \(limit) arrays and objects in each other"
        case .length(let limit): "a string, a name or a number of at most \(limit) bytes"
        case .uniqueName: "names that are unique in their object"
        case .tag: "one of the tags \(JSONTag.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))"
        case .tagEnd: "'}' after the content of the tag"
        case .content(let tag): tag.content
        }
    }
}

extension UInt8 {
    /// Whether JSON takes the byte for white space.
    @inline(__always)
    var isJSONSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
    }
}
