/// Reads values that stand in a longer JSON text, one after the other or here and there.
///
/// The values of one list share the names of their members, as those do that are read in one.
package struct JSONPartReader: ~Copyable {
    private var reader: JSONReader

    /// A reader of nothing yet.
    package init(options: JSONOptions) {
        reader = JSONReader(
            UnsafeRawBufferPointer(start: nil, count: 0), options: options, isText: false, isTagged: false)
    }

    /// How many arrays and objects are open around the values.
    package var outerDepth: Int {
        get { reader.outerDepth }
        set { reader.outerDepth = newValue }
    }

    /// Where names stand that an object of the value has twice that was read last, as paths from that; some if there are
    /// many.
    package var duplicateNames: [String] { reader.duplicates }

    /// Reads the value that begins at an offset; answers where it ends, too.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8, or a part of it.
    ///   - offset: Where the value begins in that, after white space at most.
    /// - Throws: ``JSONError`` whose place is that within the bytes; the reader is of no use after that.
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
    /// What is wrong where an array of objects does not go on as it should.
    package static func brokenList(in bytes: UnsafeRawBufferPointer, at offset: Int, expectsValue: Bool) -> JSONError {
        JSONError(JSONFault(expectation: expectsValue ? .value : .commaOrArrayEnd, offset: offset), in: bytes)
    }

    /// What is missing in an object between two values.
    package enum MemberPart {
        case name, nameOrEnd, uniqueName, colon, commaOrEnd
    }

    /// What is wrong in an object between two values, or before the first.
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

    /// What is wrong behind the last value of a text.
    package static func trailing(in bytes: UnsafeRawBufferPointer, at offset: Int) -> JSONError {
        JSONError(JSONFault(expectation: .end, offset: offset), in: bytes)
    }

    /// The error in a text before which there are so many bytes, the last `column` characters of them in `lines` lines.
    package func moved(bytes: Int, lines: Int, column: Int) -> JSONError {
        JSONError(
            code: code, offset: offset + bytes, line: line + lines,
            column: line == 1 ? self.column + column : self.column,
            expected: expected, found: found)
    }
}
