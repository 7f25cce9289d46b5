/// Why a text is not JSON: where, what was found there, and what was expected.
struct JSONError: Error, Hashable {
    let location: TextLocation
    let found: String
    let expected: String
}

extension JSONError: CustomStringConvertible {
    /// Such as `found '}', expected a value`; the location goes before it, after the name of the file.
    var description: String { "found \(found), expected \(expected)" }
}

/// A place in a text, as an editor shows it: both parts are counted from 1, the column in Unicode scalars.
struct TextLocation: Hashable, CustomStringConvertible {
    let line: Int
    let column: Int

    /// The place of a byte.
    ///
    /// - Complexity: O(offset)
    init(offset: Int, in bytes: some Collection<UInt8>) {
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

    var description: String { "\(line):\(column)" }
}
