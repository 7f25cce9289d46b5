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
        /// The collection belongs to another account than the remote.
        case otherAccount
        /// A limit with which no cycle can run, such as no rounds.
        case invalidLimit
    }

    /// The kind of error.
    public let code: Code

    /// What was not expected, and what to do about it.
    public let description: String

    @usableFromInline
    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension CycleError {
    /// The error for a remote of another account.
    ///
    /// - Parameters:
    ///   - fact: What belongs to which account, as the beginning of a sentence.
    ///   - place: What to have for each account.
    @usableFromInline
    package static func otherAccount(_ fact: String, oneEach place: String) -> CycleError {
        CycleError(
            .otherAccount,
            """
            \(fact). Nothing was sent: choose by 'onAccountChange' whether to merge what is here into the remote's \
            account or to replace it, or use a \(place) for each account
            """)
    }

    /// The error for a name that a push has already.
    package static func usedName(_ name: String) -> CycleError {
        CycleError(
            .usedName,
            """
            the name '\(name)' has been used for a push before: give each cycle a name that no other one has, of \
            any device
            """)
    }
}
