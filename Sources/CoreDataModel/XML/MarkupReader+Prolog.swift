extension MarkupReader {
    /// Reads the declaration `<?xml version="1.0" …?>` if there is one.
    ///
    /// Its encoding is only checked for its form here, because ``MarkupText`` has decoded the text.
    ///
    /// - Throws: `ModelError` for an attribute that is unknown, invalid or in the wrong order, and if the version is
    ///   missing.
    mutating func readDeclaration() throws(ModelError) {
        guard isAt("<?xml"), text.count > offset + 5, text[offset + 5].isSpace else { return }
        offset += 5
        // The attributes that may follow, in the only order that XML allows.
        var allowed = ["version", "encoding", "standalone"][...]
        while true {
            let hasSpace = skipSpace()
            if isAt("?>") {
                offset += 2
                if allowed.count == 3 {
                    throw error("the XML declaration has no version: add 'version=\"1.0\"'", at: 0)
                }
                return
            }
            let attribute = try readAttribute(hasSpace: hasSpace)
            let value = attribute.value
            let isKnown: Bool
            switch attribute.name {
            case "version": isKnown = value.wholeMatch(of: /1\.[0-9]+/) != nil
            case "encoding": isKnown = value.wholeMatch(of: /[A-Za-z][A-Za-z0-9._-]*/) != nil
            default: isKnown = value == "yes" || value == "no"
            }
            let place = allowed.firstIndex(of: attribute.name)
            guard isKnown, let place, place == allowed.startIndex || attribute.name == "standalone" else {
                throw ModelError(
                    .xml,
                    "'\(attribute.name)' cannot stand so in an XML declaration: write "
                        + "'<?xml version=\"1.0\" encoding=\"UTF-8\"?>'",
                    at: attribute.position)
            }
            allowed = allowed[(place + 1)...]
        }
    }

    /// Skips the rest of a construct and its end.
    ///
    /// - Parameters:
    ///   - end: The text that ends the construct.
    ///   - start: The offset of the construct, for an error.
    ///   - what: The construct in words, for an error.
    mutating func skip(to end: StaticString, beginning start: Int, _ what: String) throws(ModelError) {
        while !isAt(end) {
            if offset >= text.count { throw error("\(what) does not end: add '\(end)'", at: start) }
            offset += 1
        }
        offset += end.utf8CodeUnitCount
    }

    /// Skips a comment.
    ///
    /// - Throws: `ModelError` if it does not end, or if it contains `--`.
    mutating func skipComment() throws(ModelError) {
        let start = offset
        offset += 4
        try skip(to: "--", beginning: start, "this comment")
        guard byte == UInt8(ascii: ">") else {
            throw error("'--' cannot stand in a comment, but at its end: take it away", at: offset - 2)
        }
        offset += 1
    }

    /// Skips a processing instruction.
    ///
    /// - Throws: `ModelError` if it does not end, or for an XML declaration that is not at the start of the file.
    mutating func skipInstruction() throws(ModelError) {
        let start = offset
        offset += 2
        let name = try readName("an instruction")
        if name.lowercased() == "xml" {
            throw error("an XML declaration stands at the very beginning, and nowhere else: take it away", at: start)
        }
        guard isAt("?>") || byte?.isSpace == true else { throw error("a space is missing behind '\(name)'") }
        try skip(to: "?>", beginning: start, "this instruction")
    }

    /// Skips a document type without declarations, if it is allowed.
    ///
    /// - Parameter isFirst: Whether no element precedes it.
    /// - Throws: `ModelError` for any other document type.
    mutating func readDocumentType(isFirst: Bool) throws(ModelError) {
        let start = offset
        guard isFirst, isAt("<!DOCTYPE") else { throw error("'<!' begins nothing that can stand here: take it away") }
        guard allowsDocumentType else {
            throw error(
                "a document type is declared here, which no model has and whose entities may be of any size: take it away"
            )
        }
        while let byte, byte != UInt8(ascii: ">") {
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "<") && offset > start {
                throw error(
                    "the document type has declarations of its own, which are not read: take them away", at: start)
            }
            offset += 1
        }
        if byte == nil { throw error("this document type does not end: add '>'", at: start) }
        offset += 1
    }
}
