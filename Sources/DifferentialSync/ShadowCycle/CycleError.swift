/// An error of a ``SyncCycle``.
///
/// Neither the cycle nor the collection has changed.
public struct CycleError: Error, Hashable, CustomStringConvertible {
    /// The kinds of error.
    ///
    /// Later versions may add kinds: a `switch` needs a `default`.
    public enum Code: Hashable, Sendable {
        /// The caller made a report that the cycle does not wait for.
        case unexpectedReport
        /// The caller reported changes, and the cycle had requested all elements.
        case unexpectedChanges
        /// Another cycle has changed the collection.
        case overtaken
        /// An earlier cycle had the same name.
        case usedName
        /// The collection belongs to another account than the remote.
        case otherAccount
        /// The store of the collection is synchronized as a whole.
        case wholeStore
        /// A limit does not allow any push or round.
        case invalidLimit
    }

    /// The kind of error.
    public let code: Code

    /// The cause and a remedy.
    public let description: String

    /// Creates an error with a message.
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
    ///   - fact: The objects and their accounts, as the beginning of a sentence.
    ///   - place: The kind of object to use for each account.
    @usableFromInline
    package static func otherAccount(_ fact: String, oneEach place: String) -> CycleError {
        CycleError(
            .otherAccount,
            """
            \(fact). Nothing was sent: choose by 'onAccountChange' whether to merge the local elements into the \
            remote's account or to replace them, or use a \(place) for each account
            """)
    }

    /// The error for a name that an earlier push has.
    @usableFromInline
    static func usedName(_ name: String) -> CycleError {
        CycleError(
            .usedName,
            """
            an earlier push has the name '\(name)': give each cycle a name that no other cycle of any device has
            """)
    }

    /// The error for a collection that another cycle has changed.
    @usableFromInline
    static var overtaken: CycleError {
        CycleError(
            .overtaken,
            "another cycle has changed the collection meanwhile, or it is another collection. Begin a new cycle")
    }

    /// The error for a report of changes after a request for all elements.
    @usableFromInline
    static var unexpectedChanges: CycleError {
        CycleError(
            .unexpectedChanges,
            "a pull of everything was requested, and changes were reported: report all elements of the remote")
    }
}
