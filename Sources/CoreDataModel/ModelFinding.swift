/// Something that was found in a model: what is wrong with it, or what is passed over.
public struct ModelFinding: Hashable, Sendable {
    /// The line, from 1, or nil where it is about the file as a whole.
    public let line: Int?

    /// The column in Unicode scalars, from 1, or nil where it is about the file as a whole.
    public let column: Int?

    /// The entity, or its property, such as `User.name`; nil where it is about neither.
    public let subject: String?

    /// What is the matter, and what to do about it.
    public let message: String

    init(_ message: String, at position: MarkupPosition? = nil, subject: String? = nil) {
        line = position?.line
        column = position?.column
        self.subject = subject
        self.message = message
    }
}

extension ModelFinding: CustomStringConvertible {
    /// Such as `line 4, column 9: User.name: it leads to …`.
    public var description: String {
        var text = ""
        if let line, let column { text += "line \(line), column \(column): " }
        if let subject { text += "\(subject): " }
        return text + message
    }
}

extension Array<ModelFinding> {
    /// In the order of the file.
    func inOrder() -> [ModelFinding] {
        enumerated().sorted { left, right in
            let (leftLine, rightLine) = (left.element.line ?? 0, right.element.line ?? 0)
            let (leftColumn, rightColumn) = (left.element.column ?? 0, right.element.column ?? 0)
            return (leftLine, leftColumn, left.offset) < (rightLine, rightColumn, right.offset)
        }.map(\.element)
    }
}
