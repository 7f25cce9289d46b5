/// Text to be found in other text.
package struct TextPattern: Hashable, Sendable {
    /// How it is to be found.
    package let match: Filter.TextMatch

    /// The text as it was given.
    package let text: String

    /// Whether upper and lower case count as the same.
    package let ignoresCase: Bool

    /// The UTF-8 bytes to be found.
    private let bytes: [UInt8]

    /// For each beginning of the bytes, how many of its last bytes are its first ones too.
    private let borders: [Int]

    /// Text to be found so.
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
    /// Both are compared by their Unicode scalars; where case is ignored, by those of what `lowercased()` makes of them,
    /// which is the same in every locale. Every text has the empty one at its beginning and end.
    ///
    /// - Complexity: O(*n*)
    package func matches(_ text: String) -> Bool {
        var text = ignoresCase ? text.lowercased() : text
        // Whole scalars are found where bytes are: no scalar's bytes begin within another's.
        return text.withUTF8 { text in
            switch match {
            case .hasPrefix: text.starts(with: bytes)
            case .hasSuffix: text.count >= bytes.count && text.suffix(bytes.count).elementsEqual(bytes)
            case .contains: isContained(in: text)
            }
        }
    }

    /// Knuth, Morris, Pratt, *Fast Pattern Matching in Strings*, 1977.
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

extension Filter {
    /// Whether a text contains a pattern, or begins or ends with it; see ``TextPattern/matches(_:)``.
    ///
    /// - Complexity: O(length of both)
    package static func matches(_ text: String, _ pattern: String, _ match: TextMatch, ignoresCase: Bool) -> Bool {
        TextPattern(match, pattern, ignoresCase: ignoresCase).matches(text)
    }
}
