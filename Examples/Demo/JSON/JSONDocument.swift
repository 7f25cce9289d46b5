/// A JSON text that has been read, and where the records in it stand.
struct JSONDocument {
    let root: JSONValue

    /// The text, without a byte order mark.
    let bytes: [UInt8]

    /// Where the elements of the root begin, if it is an array.
    let elements: [Int]

    /// Where the elements of the arrays begin that are members of the root, if it is an object; an empty array has no
    /// entry.
    let elementsByMember: [String: [Int]]

    /// Reads a text strictly by RFC 8259, but for a byte order mark, which is passed over.
    ///
    /// A name that stands twice in one object is an error, and so are more than ``JSONParser/maximumDepth`` levels.
    ///
    /// - Complexity: O(*n*)
    init(_ text: some Collection<UInt8>) throws(JSONError) {
        bytes = Array(text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text.dropFirst(0))
        var parser = JSONParser(bytes)
        root = try parser.document()
        elements = parser.elements
        elementsByMember = parser.elementsByMember
    }

    /// The place of a byte, as an editor shows it.
    func location(of offset: Int) -> TextLocation {
        TextLocation(offset: offset, in: bytes)
    }
}
