/// A reader of several values within a longer JSON text.
///
/// Its values share the names of their members, like the objects of one list.
package struct JSONPartReader: ~Copyable {
    /// The reader of all values, which keeps their names for the next ones.
    private var reader: JSONReader

    /// Creates a reader without text.
    package init(options: JSONOptions) {
        reader = JSONReader(
            UnsafeRawBufferPointer(start: nil, count: 0), options: options, isText: false, isTagged: false)
    }

    /// How many arrays and objects are open around the values.
    package var outerDepth: Int {
        get { reader.outerDepth }
        set { reader.outerDepth = newValue }
    }

    /// The paths of names that occur twice in an object of the last value, from that value; at most 100.
    package var duplicateNames: [String] { reader.duplicates }

    /// Reads the value at an offset, and returns it with its end.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8, or a part of it.
    ///   - offset: The offset in `bytes` of the value or of white space before it.
    /// - Throws: ``JSONError`` with a position within `bytes`. The reader must not be used after an error.
    /// - Complexity: O(*n*) for a value of *n* bytes
    package mutating func read(
        _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(JSONError) -> (value: Value, end: Int) {
        reader.bytes = bytes
        reader.position = offset
        if !reader.duplicates.isEmpty { reader.duplicates = [] }
        do throws(JSONFault) {
            let isString = offset < bytes.count && bytes[offset] == UInt8(ascii: "\"")
            let value: Value = isString ? .string(try reader.readString()) : try reader.readValue()
            return (value, reader.position)
        } catch {
            throw JSONError(error, in: bytes)
        }
    }
}

extension JSONError {
    /// Returns the error for an array of objects that does not continue properly.
    package static func brokenList(in bytes: UnsafeRawBufferPointer, at offset: Int, expectsValue: Bool) -> JSONError {
        JSONError(JSONFault(expectation: expectsValue ? .value : .commaOrArrayEnd, offset: offset), in: bytes)
    }

    /// The part of an object that is missing between two values.
    package enum MemberPart {
        /// The name of a member, where an object cannot end: after a comma.
        case name
        /// The name of a member, or the end of the object.
        case nameOrEnd
        /// A name that no earlier member has.
        case uniqueName
        /// The colon after a name.
        case colon
        /// A comma, or the end of the object.
        case commaOrEnd
    }

    /// Returns the error for an object that is malformed between two values, or before the first.
    package static func brokenObject(
        in bytes: UnsafeRawBufferPointer, at offset: Int, missing part: MemberPart
    ) -> JSONError {
        let expectation: JSONFault.Expectation =
            switch part {
            case .name: .name
            case .nameOrEnd: .nameOrObjectEnd
            case .uniqueName: .uniqueName
            case .colon: .colon
            case .commaOrEnd: .commaOrObjectEnd
            }
        return JSONError(JSONFault(expectation: expectation, offset: offset), in: bytes)
    }

    /// Returns the error for content after the last value of a text.
    package static func trailing(in bytes: UnsafeRawBufferPointer, at offset: Int) -> JSONError {
        JSONError(JSONFault(expectation: .end, offset: offset), in: bytes)
    }

    /// Returns the error with its position in a longer text.
    ///
    /// - Parameters:
    ///   - bytes: How many bytes precede this text.
    ///   - lines: How many line breaks precede this text.
    ///   - column: How many characters precede this text in its first line.
    package func moved(bytes: Int, lines: Int, column: Int) -> JSONError {
        JSONError(
            code: code, offset: offset + bytes, line: line + lines,
            column: line == 1 ? self.column + column : self.column,
            expected: expected, found: found)
    }
}
