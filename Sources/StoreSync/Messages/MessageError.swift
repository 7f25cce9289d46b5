/// An error in the JSON of a message.
public struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names and positions that lead to the wrong value.
    public let path: [String]

    /// What is wrong with the value, and what was expected.
    public let problem: String

    /// The place and the problem.
    public var description: String { path.isEmpty ? problem : "at \(path.joined(separator: ".")): \(problem)" }
}
