extension JSONDocument {
    /// Reads JSON lines: a value in each line.
    ///
    /// Empty lines do not count.
    ///
    /// - Complexity: O(*n*)
    package init(lines text: some Collection<UInt8>) throws(JSONError) {
        let bytes = Array(text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text.dropFirst(0))
        var values: [JSONValue] = []
        var ranges: [Range<Int>] = []
        var (start, line) = (0, 1)
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
            if let first = bytes[start..<end].firstIndex(where: { !isSpace($0) }),
                let last = bytes[start..<end].lastIndex(where: { !isSpace($0) })
            {
                values.append(try JSONDocument(bytes[start..<end], line: line).root)
                ranges.append(first..<(last + 1))
            }
            start = end + 1
            line += 1
        }
        self.init(root: .array(values), bytes: bytes, elements: ranges, elementsByMember: [:])
    }
}
