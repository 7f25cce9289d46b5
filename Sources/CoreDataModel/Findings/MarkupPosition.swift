/// A place in a text, as editors count it.
///
/// A tabulator is one column. An editor that counts UTF-16 units differs for characters beyond U+FFFF.
struct MarkupPosition: Hashable, Comparable {
    /// The number of the line, from 1.
    var line = 1
    /// The number of the Unicode scalar in the line, from 1.
    var column = 1

    /// Whether the first place precedes the second in the text.
    static func < (left: MarkupPosition, right: MarkupPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
