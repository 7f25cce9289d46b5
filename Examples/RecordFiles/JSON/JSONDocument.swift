/// A JSON text that has been read, and where the records in it stand.
package struct JSONDocument {
    package let root: JSONValue

    /// The text, without a byte order mark.
    package let bytes: [UInt8]

    /// Where the elements of the root stand, if it is an array.
    package let elements: [Range<Int>]

    /// Where the elements of the arrays stand that are members of the root, if it is an object; an empty array has no
    /// entry.
    package let elementsByMember: [MemberName: [Range<Int>]]

    /// Where the root stands if it is an array, under the empty name, and the arrays that are members of the root if it
    /// is an object, with their brackets.
    package let arrays: [MemberName: Range<Int>]

    /// Reads a text strictly by RFC 8259, but for a byte order mark, which is passed over.
    ///
    /// A name that stands twice in one object is an error, and so are more than ``JSONParser/maximumDepth`` levels.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - line: The number of its first line, for errors.
    /// - Complexity: O(*n*)
    package init(_ text: some Collection<UInt8>, line: Int = 1) throws(JSONError) {
        bytes = Array(text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text.dropFirst(0))
        var parser = JSONParser(bytes, line: line)
        root = try parser.document()
        elements = parser.elements
        elementsByMember = parser.elementsByMember
        arrays = parser.arrays
    }

    package init(
        root: JSONValue, bytes: [UInt8], elements: [Range<Int>], elementsByMember: [MemberName: [Range<Int>]]
    ) {
        self.root = root
        self.bytes = bytes
        self.elements = elements
        self.elementsByMember = elementsByMember
        arrays = [:]
    }

    /// The place of a byte, as an editor shows it.
    package func location(of offset: Int) -> TextLocation {
        TextLocation(offset: offset, in: bytes)
    }
}
