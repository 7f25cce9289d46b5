import SyncPersistence

/// The records of the remote that the schema did not allow.
extension StoreCycle {
    /// Stores the records that an earlier schema did not allow, merged with local changes.
    ///
    /// - Complexity: O(number of unreadable records)
    mutating func tryUnreadableAgain(_ state: DeviceState, in transaction: WriteTransaction) throws {
        let entries = try UnreadableRecords(in: transaction).entriesToTryAgain()
        if entries.isEmpty { return }
        var pull = try PagePull(
            in: transaction, policies.all, shapes(of: transaction), state, seen: nil)
        try pull.apply(entries)
        take(pull)
    }
}
