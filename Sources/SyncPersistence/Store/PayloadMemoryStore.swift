/// The part of a transaction that keeps what earlier payloads contained, so that unchanged objects are skipped.
///
/// ``WriteTransaction`` alone conforms to it.
package protocol PayloadMemoryStore: ReadTransaction {
    /// Calls a function with the old and the new version of each record that changes from now on; nil for none.
    var onTouch: ((Record?, Record?) -> Void)? { get set }

    /// Calls a function with the token of each record whose journal entry changes from now on, and of its targets for
    /// the remote; nil for none.
    var onEntry: ((UInt64) -> Void)? { get set }

    /// The number of the commit if anything changes.
    func expectedSequence() throws -> Int64

    /// The rows that the sync of payloads keeps.
    var payloadRows: PayloadRows { get }

    /// The marks of changed records, by which these rows become void.
    var payloadMarks: PayloadMarks { get }
}
