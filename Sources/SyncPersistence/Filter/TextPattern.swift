/// Text to find in other text.
package struct TextPattern: Hashable, Sendable {
    /// The way in which the text is matched.
    package let match: Filter.TextMatch

    /// The unchanged text.
    package let text: String

    /// Whether case is ignored.
    package let ignoresCase: Bool

    /// The UTF-8 bytes to find.
    private let bytes: [UInt8]

    /// For each prefix of the bytes, the length of its longest proper suffix that is a prefix too.
    private let borders: [Int]

    /// Creates a pattern from the text of a filter.
    ///
    /// - Complexity: O(*n*), where *n* is the number of bytes of the text
    package init(_ match: Filter.TextMatch, _ text: String, ignoresCase: Bool) {
        self.match = match
        self.text = text
        self.ignoresCase = ignoresCase
        bytes = Array((ignoresCase ? text.lowercased() : text).utf8)
        borders = match == .contains ? TextPattern.borders(of: bytes) : []
    }
}

extension TextPattern {
    /// Whether a text contains this one, or begins or ends with it.
    ///
    /// Both are compared by their Unicode scalars. If case is ignored, the results of `lowercased()` are compared,
    /// which are the same in every locale. Every text contains the empty one, and begins and ends with it.
    ///
    /// - Complexity: O(*n*)
    package func matches(_ text: String) -> Bool {
        var text = ignoresCase ? text.lowercased() : text
        // Equal bytes are equal scalars, because no scalar's bytes begin within another's.
        return text.withUTF8 { text in
            switch match {
            case .hasPrefix: text.starts(with: bytes)
            case .hasSuffix: text.count >= bytes.count && text.suffix(bytes.count).elementsEqual(bytes)
            case .contains: isContained(in: text)
            }
        }
    }

    /// Whether text contains the bytes, by Knuth, Morris, Pratt, *Fast Pattern Matching in Strings*, 1977.
    private func isContained(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        if bytes.isEmpty { return true }
        var count = 0
        for byte in text {
            while count > 0, bytes[count] != byte { count = borders[count - 1] }
            if bytes[count] == byte { count += 1 }
            if count == bytes.count { return true }
        }
        return false
    }

    /// Returns for each prefix the length of its longest border: a proper prefix that is also a suffix.
    ///
    /// The search of Knuth, Morris and Pratt (1977) continues there after a mismatch, and so looks at each byte once.
    ///
    /// - Complexity: O(*n*) for *n* bytes
    private static func borders(of bytes: [UInt8]) -> [Int] {
        var borders = Array(repeating: 0, count: bytes.count)
        var count = 0
        for place in bytes.indices.dropFirst() {
            while count > 0, bytes[count] != bytes[place] { count = borders[count - 1] }
            if bytes[count] == bytes[place] { count += 1 }
            borders[place] = count
        }
        return borders
    }
}
