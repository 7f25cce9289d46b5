/// A rule that a simulation has found broken.
public struct SimulationFault: Error, Hashable, Sendable {
    /// The rule.
    public let rule: Rule

    /// What was found.
    public let text: String

    /// Creates a fault.
    init(rule: Rule, text: String) {
        self.rule = rule
        self.text = text
    }

    /// The rules of a synchronization.
    public enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
        /// A device and the service are equal, except for what the device lists.
        case disagreement
        /// An edit is in the service, was replaced by a user or a policy that has seen it, or is listed by a device.
        case lostEdit
        /// A deleted record does not come back, unless a policy has preferred another change of it.
        case zombie
        /// A value and one that a user has put in its place after seeing it are no conflict.
        case falseConflict
        /// No conflict stays open if the policies leave none open.
        case undecided
        /// After the last cycle, nothing is under way or unsent, unless a device lists it.
        case pending
        /// Cycles come to an end, and then to rest.
        case restless
        /// Sequences, cursors and numbers of pushes do not go back.
        case goesBack
        /// Nothing reaches another account.
        case leak
        /// No step throws an error that its caller did not cause.
        case error
    }
}

extension SimulationFault: CustomStringConvertible {
    /// The rule, and what was found.
    public var description: String { "\(rule): \(text)" }
}
