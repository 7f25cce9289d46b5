/// The results of a run of checks.
public struct ContractReport: Sendable {
    /// The names of the checks that ran, in order.
    public internal(set) var checks: [String] = []

    /// The violations that were found.
    public internal(set) var violations: [ContractViolation] = []

    /// Whether no violation was found.
    public var isPassed: Bool { violations.isEmpty }

    /// The names of the checks that found violations, in order, each once.
    public var failedChecks: [String] {
        checks.filter { name in violations.contains { $0.check == name } }
    }
}

extension ContractReport: CustomStringConvertible {
    /// The number of checks, and all violations, one per line.
    public var description: String {
        let failed = failedChecks.count
        let head = "\(checks.count) checks, \(failed == 0 ? "all passed" : "\(failed) failed")"
        return ([head + (failed == 0 ? "" : ":")] + violations.map { "  \($0)" }).joined(separator: "\n")
    }
}

/// A violation of the contract, found by one check.
public struct ContractViolation: Hashable, Sendable, CustomStringConvertible {
    /// The name of the check, such as `deleting.cascade`.
    public let check: String

    /// What the check examined.
    public let subject: String

    /// What the contract requires.
    public let expected: String

    /// What the check found instead.
    public let found: String

    /// One line, such as `deleting.cascade: keys of 'Post': expected [1], found [1, 2]`.
    public var description: String { "\(check): \(subject): expected \(expected), found \(found)" }
}

/// An error for an adapter that violates the contract.
public struct ContractError: Error, CustomStringConvertible {
    /// The report with the violations.
    public let report: ContractReport

    /// All violations, one per line.
    public var description: String { report.description }
}
