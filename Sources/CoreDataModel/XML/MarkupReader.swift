/// A reader of XML 1.0 without document types, which returns a tree of elements with their places.
///
/// ``ModelReading`` gives the tree its meaning. `.xccurrentversion`, a property list, is read too.
///
/// Foundation's parser is unsuitable. On Linux it expands declared entities without notice. It accepts an empty file
/// and text after the root. It reports errors by number, at places that differ by version.
///
/// - Complexity: O(*n*) for *n* bytes; open elements are on a stack with at most `ModelLimits.depth` levels
struct MarkupReader {
    /// The text in UTF-8, with line feeds as line ends.
    let text: [UInt8]
    /// The offset of the next byte to read.
    var offset = 0

    /// Whether a document type without declarations is skipped instead of refused.
    let allowsDocumentType: Bool
    /// The number of elements so far, for the limit.
    private var elementCount = 0

    /// The last offset whose place was computed.
    ///
    /// A later place is counted from it, so it costs only the bytes in between.
    private var known = (offset: 0, position: MarkupPosition())

    /// Creates a reader at the start of a text.
    private init(_ text: MarkupText, allowsDocumentType: Bool) {
        self.text = text.bytes
        self.allowsDocumentType = allowsDocumentType
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: The bytes, in UTF-8 or in the encoding that they declare.
    ///   - allowsDocumentType: Whether a document type without declarations is skipped, as property lists have one.
    /// - Returns: The root element.
    /// - Throws: `ModelError` with the first fault.
    static func read(_ file: [UInt8], allowsDocumentType: Bool = false) throws(ModelError) -> MarkupElement {
        if file.count > ModelLimits.byteCount { throw tooLarge }
        var reader = MarkupReader(try MarkupText(file), allowsDocumentType: allowsDocumentType)
        return try reader.document()
    }

    /// The error for a file with more bytes than `ModelLimits.byteCount`.
    static var tooLarge: ModelError {
        ModelError(
            .limit, "it has more than \(ModelLimits.byteCount) bytes, which no model has: check what it is")
    }
}

extension MarkupReader {
    /// Returns the place of an offset.
    ///
    /// - Complexity: O(*n*) for *n* bytes since the last place, or since the start for an earlier offset
    mutating func position(_ offset: Int) -> MarkupPosition {
        if offset < known.offset { known = (0, MarkupPosition()) }
        known.position.advance(over: text[known.offset..<offset])
        known.offset = offset
        return known.position
    }

    /// Returns an error at the current offset, or at another one.
    mutating func error(
        _ message: String, at offset: Int? = nil
    ) -> ModelError {
        ModelError(.xml, message, at: position(offset ?? self.offset))
    }

    /// Whether the text continues with another one.
    func isAt(_ prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard text.count - offset >= count else { return false }
        return prefix.withUTF8Buffer { text[offset..<offset + count].elementsEqual($0) }
    }

    /// The current byte; nil at the end.
    var byte: UInt8? { offset < text.count ? text[offset] : nil }

    /// Skips white space; returns whether there was any.
    mutating func skipSpace() -> Bool {
        let start = offset
        while let byte, byte.isSpace { offset += 1 }
        return offset > start
    }
}

extension MarkupReader {
    /// Reads the whole text, and returns its root element.
    ///
    /// Open elements are kept in an array and not on the call stack, so that deep nesting exhausts nothing before the
    /// limit is reported.
    ///
    /// - Throws: `ModelError` with the first fault.
    private mutating func document() throws(ModelError) -> MarkupElement {
        try readDeclaration()
        var open: [MarkupElement] = []
        var root: MarkupElement?
        while let byte {
            if byte != UInt8(ascii: "<") {
                try readCharacters(into: &open, isBehindRoot: root != nil)
            } else if isAt("<!--") {
                try skipComment()
            } else if isAt("<?") {
                try skipInstruction()
            } else if isAt("<![CDATA[") && !open.isEmpty {
                let start = offset
                offset += 9
                try skip(to: "]]>", beginning: start, "this section")
                open[open.count - 1].text += String(decoding: text[start + 9..<offset - 3], as: UTF8.self)
            } else if isAt("<!") {
                try readDocumentType(isFirst: open.isEmpty && root == nil)
            } else if isAt("</") {
                guard let closed = try readEndTag(open.last) else { continue }
                open.removeLast()
                if open.isEmpty { root = closed } else { open[open.count - 1].children.append(closed) }
            } else {
                if root != nil { throw error("a second root element begins here: take it away") }
                let (element, isEmpty) = try readStartTag()
                try count(depth: open.count + 1, element)
                if !isEmpty {
                    open.append(element)
                } else if open.isEmpty {
                    root = element
                } else {
                    open[open.count - 1].children.append(element)
                }
            }
        }
        if let last = open.last {
            throw error(
                "the file ends inside of '\(last.name)', which begins in line \(last.position.line): it has been cut off"
            )
        }
        guard let root else { throw error("there is no element: this is no model") }
        return root
    }

    /// Counts an element, and checks the limits of depth and number.
    ///
    /// - Throws: `ModelError` if a limit is exceeded.
    private mutating func count(depth: Int, _ element: MarkupElement) throws(ModelError) {
        elementCount += 1
        if depth > ModelLimits.depth {
            throw ModelError(
                .limit,
                "elements are nested more than \(ModelLimits.depth) deep, which those of no model are",
                at: element.position)
        }
        if elementCount > ModelLimits.elementCount {
            throw ModelError(
                .limit,
                "there are more than \(ModelLimits.elementCount) elements, which no model has",
                at: element.position)
        }
    }

    /// Reads text up to the next tag, and appends it to the innermost open element.
    ///
    /// - Parameters:
    ///   - open: The open elements, the outermost first.
    ///   - isBehindRoot: Whether the root element has ended, so that only white space may follow.
    private mutating func readCharacters(into open: inout [MarkupElement], isBehindRoot: Bool) throws(ModelError) {
        var bytes: [UInt8] = []
        while let byte, byte != UInt8(ascii: "<") {
            if open.isEmpty && !byte.isSpace {
                throw error(
                    isBehindRoot
                        ? "there is text behind the root element: take it away"
                        : "this is not XML: an element was expected")
            }
            if isAt("]]>") { throw error("']]>' cannot stand in text: write ']]&gt;'") }
            if byte == UInt8(ascii: "&") {
                bytes += try readReference()
            } else {
                bytes.append(byte)
                offset += 1
            }
        }
        if !open.isEmpty { open[open.count - 1].text += String(decoding: bytes, as: UTF8.self) }
    }
}

extension UInt8 {
    /// Whether it is white space in XML.
    var isSpace: Bool { self == 0x20 || self == 0x9 || self == 0xA || self == 0xD }

    /// Whether it can begin a name; bytes beyond ASCII count as letters.
    var beginsName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...:
            true
        default: false
        }
    }

    /// Whether it can be part of a name.
    var continuesName: Bool {
        beginsName || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
