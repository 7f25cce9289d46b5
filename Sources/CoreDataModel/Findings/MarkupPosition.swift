/// A place in a text: line and column in Unicode scalars, both from 1.
struct MarkupPosition: Hashable, Comparable {
    var line = 1
    var column = 1

    /// Whether the first place precedes the second in the text.
    static func < (left: MarkupPosition, right: MarkupPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
