/// The results of a run of checks.
///
/// As text, it has a line for each violation:
///
/// ```
/// 176 checks, 1 failed:
///   deleting.cascade: keys of 'Post': expected [1], found [1, 2]
/// ```
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
///
/// One fault of an adapter often causes violations of several checks. The first in the order of topics is usually the
/// nearest to its cause.
public struct ContractViolation: Hashable, Sendable, CustomStringConvertible {
    /// The name of the check, such as `deleting.cascade`.
    public let check: String

    /// What the check examined.
    ///
    /// It may name a step of the check, such as `the store after an error`.
    public let subject: String

    /// What the contract requires.
    ///
    /// Long texts are shortened in the middle.
    public let expected: String

    /// What the check found instead.
    public let found: String

    /// One line, such as `deleting.cascade: keys of 'Post': expected [1], found [1, 2]`.
    public var description: String { "\(check): \(subject): expected \(expected), found \(found)" }
}

/// An error for an adapter that violates the contract.
///
/// Test frameworks show its description, which has all violations.
public struct ContractError: Error, CustomStringConvertible {
    /// The report with the violations.
    public let report: ContractReport

    /// All violations, one per line.
    public var description: String { report.description }
}
