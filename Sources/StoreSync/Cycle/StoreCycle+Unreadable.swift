import SyncPersistence

/// The records of the remote that the schema did not allow.
extension StoreCycle {
    /// Stores the records that an earlier schema did not allow, merged with local changes.
    ///
    /// - Complexity: O(number of unreadable records)
    mutating func tryUnreadableAgain(in transaction: WriteTransaction) throws {
        let entries = try UnreadableRecords(in: transaction).entriesToTryAgain()
        if entries.isEmpty { return }
        var pull = PagePull(
            in: transaction, policies.all, seen: nil,
            kept: try KeptAttributes(in: transaction, shapes(of: transaction)))
        try pull.apply(entries)
        take(pull)
    }
}
