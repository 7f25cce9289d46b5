/// An error for a model that cannot be used, with every fault and its line and column.
///
/// A tool can show each fault at its place, as a compiler does:
///
/// ```swift
/// for fault in error.findings {
///     print("\(path):\(fault.line ?? 1):\(fault.column ?? 1): error: \(fault.message)")
/// }
/// ```
///
/// Faults of the XML and exceeded limits end the reading, so that such an error has one finding. Faults of the
/// definitions are collected, and one error has them all.
public struct ModelError: Error, Hashable, Sendable {
    /// The kind of error.
    public let code: Code

    /// The path of the file or folder; nil for a model from XML text.
    public internal(set) var path: String?

    /// The faults in the order of the file; never empty.
    public let findings: [ModelFinding]

    /// Creates an error with findings in the order of the file.
    init(_ code: Code, path: String? = nil, _ findings: [ModelFinding]) {
        self.code = code
        self.path = path
        self.findings = findings
    }

    /// Creates an error with one finding.
    init(_ code: Code, _ message: String, at position: MarkupPosition? = nil, subject: String? = nil) {
        self.init(code, [ModelFinding(message, at: position, subject: subject)])
    }

    /// The kinds of error.
    ///
    /// Later versions may add kinds: a `switch` needs a `default`.
    public enum Code: Hashable, Sendable {
        /// A file is missing, cannot be read, or is not part of a model.
        case file
        /// A file is not well-formed XML, or not XML of a model.
        case xml
        /// A file exceeds one of the ``ModelLimits``.
        case limit
        /// The definitions are inconsistent.
        case model
    }
}

extension ModelError: CustomStringConvertible {
    /// The path and all findings, each on a line.
    public var description: String {
        let place = path.map { "'\($0)': " } ?? ""
        if findings.count == 1 { return place + findings[0].description }
        return "\(place)the model has \(findings.count) faults:\n" + findings.map { "  \($0)" }.joined(separator: "\n")
    }
}
