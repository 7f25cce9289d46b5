/// Why a text is not JSON: where, what was found there, and what was expected.
package struct JSONError: Error, Hashable {
    package let location: TextLocation
    package let found: String
    package let expected: String
}

extension JSONError: CustomStringConvertible {
    /// Such as `found '}', expected a value`; the location goes before it, after the name of the file.
    package var description: String { "found \(found), expected \(expected)" }
}

/// A place in a text, as an editor shows it: both parts are counted from 1, the column in Unicode scalars.
package struct TextLocation: Hashable, CustomStringConvertible {
    package let line: Int
    package let column: Int

    /// The given place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The place of a byte.
    ///
    /// - Complexity: O(offset)
    package init(offset: Int, in bytes: some Collection<UInt8>) {
        var line = 1
        var column = 1
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                // The bytes that continue a scalar do not count.
                column += 1
            }
        }
        self.line = line
        self.column = column
    }

    package var description: String { "\(line):\(column)" }
}
