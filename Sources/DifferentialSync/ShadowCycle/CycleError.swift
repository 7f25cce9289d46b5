/// Why a ``SyncCycle`` cannot go on as it was asked to.
///
/// Neither the cycle nor the collection has changed.
public struct CycleError: Error, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public enum Code: Hashable, Sendable {
        /// A report that the cycle is not waiting for.
        case unexpectedReport
        /// A pull of changes where everything was requested.
        case unexpectedChanges
        /// The collection has been through another cycle meanwhile.
        case overtaken
        /// The name of the cycle has been used before.
        case usedName
        /// The collection last agreed with the remote of another account.
        case otherAccount
    }

    /// The kind of error.
    public let code: Code

    /// What was not expected, and what to do about it.
    public let description: String

    @usableFromInline
    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
