extension MarkupReader {
    /// Reads an opening tag, and returns its element without children.
    ///
    /// - Returns: The element, and whether the tag also closes it, as `<a/>` does.
    /// - Throws: `ModelError` if the tag is malformed, or has two attributes with one name.
    mutating func readStartTag() throws(ModelError) -> (MarkupElement, isEmpty: Bool) {
        let start = offset
        offset += 1
        var element = MarkupElement(name: try readName("an element"), position: position(start))
        var names: Set<String> = []
        while true {
            let hasSpace = skipSpace()
            if isAt(">") {
                offset += 1
                return (element, false)
            }
            if isAt("/>") {
                offset += 2
                return (element, true)
            }
            guard byte != nil else {
                throw error("the file ends inside of the tag of '\(element.name)': it has been cut off", at: start)
            }
            let attribute = try readAttribute(hasSpace: hasSpace)
            if !names.insert(attribute.name).inserted {
                throw ModelError(
                    .xml,
                    "the attribute '\(attribute.name)' is given twice: take one away",
                    at: attribute.position)
            }
            element.attributes.append(attribute)
        }
    }

    /// Reads a closing tag, and returns the element that it closes.
    ///
    /// - Parameter element: The innermost open element.
    /// - Throws: `ModelError` if no element is open, or if it has another name.
    mutating func readEndTag(_ element: MarkupElement?) throws(ModelError) -> MarkupElement? {
        let start = offset
        offset += 2
        let name = try readName("an element")
        guard let element else { throw error("'</\(name)>' ends an element that has not begun", at: start) }
        if name != element.name {
            throw error(
                "'</\(name)>' stands where '\(element.name)' ends, which begins in line \(element.position.line): write "
                    + "'</\(element.name)>'", at: start)
        }
        _ = skipSpace()
        guard byte == UInt8(ascii: ">") else { throw error("the tag '</\(name)>' has no '>'", at: start) }
        offset += 1
        return element
    }

    /// Reads the name of an element, attribute or instruction.
    ///
    /// - Parameter what: The owner of the name in words, for an error.
    mutating func readName(_ what: String) throws(ModelError) -> String {
        let start = offset
        guard let first = byte, first.beginsName else {
            throw error("the name of \(what) was expected: write '&lt;' where a '<' is meant as such")
        }
        while let byte, byte.continuesName { offset += 1 }
        return String(decoding: text[start..<offset], as: UTF8.self)
    }

    /// Reads an attribute: its name, `=`, and its value in quotation marks.
    ///
    /// - Parameter hasSpace: Whether white space precedes the attribute, as XML requires.
    mutating func readAttribute(hasSpace: Bool) throws(ModelError) -> MarkupAttribute {
        let start = offset
        guard let first = byte, first.beginsName else {
            throw error("the name of an attribute, or the end of the tag, was expected")
        }
        if !hasSpace { throw error("a space is missing in front of this attribute") }
        let name = try readName("an attribute")
        _ = skipSpace()
        guard byte == UInt8(ascii: "=") else { throw error("the attribute '\(name)' has no value: add '=\"…\"'") }
        offset += 1
        _ = skipSpace()
        guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw error("the value of '\(name)' has no quotation marks: add them")
        }
        offset += 1
        let position = position(start)
        return MarkupAttribute(name: name, value: try readValue(quote, of: name, position), position: position)
    }

    /// Reads the value of an attribute up to its closing quotation mark.
    ///
    /// As in XML, each white space character becomes a space.
    ///
    /// - Parameters:
    ///   - quote: The quotation mark that ends the value.
    ///   - name: The name of the attribute, for an error.
    ///   - position: The place of the attribute, for an error.
    private mutating func readValue(
        _ quote: UInt8, of name: String, _ position: MarkupPosition
    ) throws(ModelError) -> String {
        var value: [UInt8] = []
        while let byte, byte != quote {
            switch byte {
            case UInt8(ascii: "<"):
                throw error("a '<' stands in the value of '\(name)': write '&lt;', or end the value before it")
            case UInt8(ascii: "&"): value += try readReference()
            default:
                value.append(byte.isSpace ? 0x20 : byte)
                offset += 1
            }
            if value.count > ModelLimits.attributeLength {
                throw ModelError(
                    .limit,
                    "the value of '\(name)' has more than \(ModelLimits.attributeLength) bytes, which that of no "
                        + "model has",
                    at: position)
            }
        }
        guard byte == quote else {
            throw ModelError(
                .xml,
                "the file ends inside of the value of '\(name)': it has been cut off",
                at: position)
        }
        offset += 1
        return String(decoding: value, as: UTF8.self)
    }

    /// Reads a character reference, such as `&amp;` or `&#10;`, and returns its character in UTF-8.
    ///
    /// - Throws: `ModelError` for entities that a document type would declare.
    mutating func readReference() throws(ModelError) -> [UInt8] {
        let start = offset
        let body = text[(offset + 1)...].prefix(10).prefix { $0 != UInt8(ascii: ";") }
        let name = String(decoding: body, as: UTF8.self)
        offset += body.count + 2
        if offset <= text.count, text[offset - 1] == UInt8(ascii: ";") {
            if let scalar = MarkupReader.scalar(of: name), scalar.isXML { return Array(UTF8.encode(scalar)!) }
        }
        throw error("'&' begins no reference that is known here: write '&amp;' for the character itself", at: start)
    }

    /// Returns the scalar of a reference such as `amp`, `#10` or `#xA`; nil for other names.
    private static func scalar(of name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let isHex = name.hasPrefix("#x")
        let digits = name.dropFirst(isHex ? 2 : 1)
        if digits.first == "+" { return nil }
        return UInt32(digits, radix: isHex ? 16 : 10).flatMap { Unicode.Scalar($0) }
    }
}
