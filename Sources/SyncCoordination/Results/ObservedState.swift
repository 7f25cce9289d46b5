import SyncPersistence

/// A value that is read from a store and kept up to date by its commits.
protocol ObservedState<Output>: Sendable {
    /// The type of the value.
    associatedtype Output: Sendable

    /// Makes the first value continue the last one of another observation.
    ///
    /// The first value is then read as before, and states its difference from the last one if it states differences.
    mutating func begin(after former: any ObservedState)

    /// Prepares the value after the commit that directly follows the present state.
    ///
    /// The next call is ``update(in:isPrepared:)`` if this returns true.
    ///
    /// - Returns: Whether the value may differ.
    mutating func receive(_ commit: Commit) -> Bool

    /// Brings the value up to date.
    ///
    /// - Parameters:
    ///   - transaction: The transaction in which the value is read.
    ///   - isPrepared: Whether the store is as it was directly after the commit that was received last.
    /// - Returns: The value; nil if it is as before.
    /// - Throws: `PersistenceError` if the value cannot be read.
    mutating func update(in transaction: ReadTransaction, isPrepared: Bool) throws -> Output?
}

extension ObservedState {
    /// Does nothing: the value states no differences.
    mutating func begin(after former: any ObservedState) {}
}
