/// Reads and changes a store in one transaction.
///
/// What it has applied is seen by what it reads afterwards, and by nobody else before the transaction is committed.
public final class WriteTransaction: ReadTransaction {
    /// Runs a body that changes a storage, and what the schema asks of the whole.
    ///
    /// The author of an adapter calls it in a transaction of the store's own, commits that if it returns, and rolls it
    /// back if it throws.
    public static func run<Result>(
        on storage: any RecordStorage, _ body: (WriteTransaction) throws -> Result
    ) throws -> (commit: Commit, result: Result) {
        let transaction = WriteTransaction(on: storage)
        let result = try body(transaction)
        return (try transaction.finish(), result)
    }
}

extension WriteTransaction {
    /// Makes changes.
    ///
    /// - Throws: ``PersistenceError`` for a change that the schema does not allow. The transaction is to be given up
    ///   then; it is if the error leaves its body.
    public func apply(_ changes: ChangeSet) throws {
    }

    func finish() throws -> Commit {
        Commit(sequence: 0, changes: [], unchangedCount: 0, heldBack: [], metadata: [])
    }
}
