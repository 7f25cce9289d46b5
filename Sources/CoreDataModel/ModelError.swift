/// Why a model cannot be used: every fault that was found, each with its line and column.
public struct ModelError: Error, Hashable, Sendable {
    /// What kind of error it is.
    public let code: Code

    /// The path of the file or folder that it is about, or nil for XML that was given as such.
    public internal(set) var path: String?

    /// What is wrong, in the order of the file; never empty.
    public let findings: [ModelFinding]

    init(_ code: Code, path: String? = nil, _ findings: [ModelFinding]) {
        self.code = code
        self.path = path
        self.findings = findings
    }

    init(_ code: Code, _ message: String, at position: MarkupPosition? = nil, subject: String? = nil) {
        self.init(code, [ModelFinding(message, at: position, subject: subject)])
    }

    /// The kinds of error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// A file is not there, cannot be read, or is not one of those that a model consists of.
        public static let file = Code(description: "file")
        /// A file is not well-formed XML, or XML of a kind that a model never is.
        public static let xml = Code(description: "xml")
        /// A file is beyond one of the ``ModelLimits``.
        public static let limit = Code(description: "limit")
        /// The definitions are not sound.
        public static let model = Code(description: "model")
    }
}

extension ModelError: CustomStringConvertible {
    /// The path, and all findings, one in a line.
    public var description: String {
        let place = path.map { "'\($0)': " } ?? ""
        if findings.count == 1 { return place + findings[0].description }
        return "\(place)the model has \(findings.count) faults:\n" + findings.map { "  \($0)" }.joined(separator: "\n")
    }
}
