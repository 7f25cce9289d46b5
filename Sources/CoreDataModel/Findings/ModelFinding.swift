/// A finding in a model: a fault or a skipped part.
///
/// Faults are thrown in a ``ModelError``. Skipped parts are in ``ModelDocument/notices``, and the model can be used.
public struct ModelFinding: Hashable, Sendable {
    /// The line from 1; nil for a finding about the whole file.
    public let line: Int?

    /// The column in Unicode scalars from 1; nil for a finding about the whole file.
    public let column: Int?

    /// The entity or property, such as `User.name`; nil for other findings.
    public let subject: String?

    /// The problem and the remedy.
    public let message: String

    /// Creates a finding; without a position, it is about the whole file.
    init(_ message: String, at position: MarkupPosition? = nil, subject: String? = nil) {
        line = position?.line
        column = position?.column
        self.subject = subject
        self.message = message
    }
}

extension ModelFinding: CustomStringConvertible {
    /// The finding in one line, such as `line 4, column 9: User.name: it leads to …`.
    public var description: String {
        var text = ""
        if let line, let column { text += "line \(line), column \(column): " }
        if let subject { text += "\(subject): " }
        return text + message
    }
}

extension Array<ModelFinding> {
    /// Returns the findings in the order of the file.
    ///
    /// Findings at one position keep their order.
    ///
    /// - Complexity: O(*n* log *n*)
    func inOrder() -> [ModelFinding] {
        enumerated().sorted { left, right in
            let (leftLine, rightLine) = (left.element.line ?? 0, right.element.line ?? 0)
            let (leftColumn, rightColumn) = (left.element.column ?? 0, right.element.column ?? 0)
            return (leftLine, leftColumn, left.offset) < (rightLine, rightColumn, right.offset)
        }.map(\.element)
    }
}
