import SyncPersistence

/// The fingerprints, which find out whether both ends are equal.
extension StoreCycle {
    /// Whether the remote has other contents than the shadow, and everything must be compared.
    ///
    /// A cycle compares once. Contents that still differ are compared again after as many changes as there are records,
    /// so that a remote whose fingerprint is always wrong costs little.
    mutating func mustCompare(
        _ page: PullResponse, _ state: inout DeviceState, in transaction: WriteTransaction
    ) throws -> Bool {
        outcome.isVerified = nil
        guard let fingerprint = page.fingerprint,
            remote?.entities == nil || remote?.entities == SyncedShapes.slotNames(of: transaction.schema),
            let known = try transaction.shadowFingerprint(shapes(of: transaction))
        else { return false }
        outcome.isVerified = known == fingerprint
        if known == fingerprint {
            state.comparesAfter = nil
            // Equal contents have no record that this store cannot hold.
            var unreadable = try UnreadableRecords(in: transaction)
            try unreadable.removeAll()
            return false
        }
        guard !hasCompared, page.cursor.sequence >= state.comparesAfter ?? 0,
            try UnreadableRecords.all(in: transaction).isEmpty
        else { return false }
        hasCompared = true
        let (next, isTooLarge) = page.cursor.sequence.addingReportingOverflow(max(known.count, 1))
        state.comparesAfter = isTooLarge ? .max : next
        return true
    }
}
