import SyncPersistence

/// The comparison of fingerprints, which shows whether both ends have the same records.
///
/// A fingerprint is a digest of all records. The remote sends its own with the last page, and the device computes one
/// of its shadow. A difference means that an end has lost or damaged a record, which no cursor shows.
extension StoreCycle {
    /// Whether the fingerprints differ, and all records must be compared.
    ///
    /// A cycle compares once. Contents that still differ are compared again after as many changes as there are records,
    /// so that a remote whose fingerprint is always wrong costs little.
    mutating func mustCompare(_ page: PullResponse, _ turn: inout CycleTurn) throws -> Bool {
        let transaction = turn.transaction
        outcome.isVerified = nil
        guard let fingerprint = page.fingerprint,
            remote?.entities == nil || remote?.entities == SyncedShapes.slotNames(of: transaction.schema),
            let known = try transaction.shadowFingerprint(turn.shapes)
        else { return false }
        outcome.isVerified = known == fingerprint
        if known == fingerprint {
            turn.state.comparesAfter = nil
            // Both ends have the same records, so no record of the remote is unreadable here.
            var unreadable = try UnreadableRecords(in: transaction)
            try unreadable.removeAll()
            return false
        }
        guard !hasCompared, page.cursor.sequence >= turn.state.comparesAfter ?? 0,
            try UnreadableRecords.all(in: transaction).isEmpty
        else { return false }
        hasCompared = true
        let (next, isTooLarge) = page.cursor.sequence.addingReportingOverflow(max(known.count, 1))
        turn.state.comparesAfter = isTooLarge ? .max : next
        return true
    }
}
