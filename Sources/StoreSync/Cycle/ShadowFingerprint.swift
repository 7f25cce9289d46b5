import SyncPersistence

extension WriteTransaction {
    /// Returns the fingerprint of what the remote is known to have: the records without local changes.
    ///
    /// - Complexity: O(number of local changes)
    func shadowFingerprint(_ shapes: SyncedShapes) throws -> StoreFingerprint? {
        guard var fingerprint = try fingerprint() else { return nil }
        if try shapes.roots.allSatisfy({ try journalEntries(of: $0).hasEmptyShadow }) { return StoreFingerprint() }
        for root in shapes.roots {
            try journalEntries(of: root).forEachChange { entry, record in
                if let record { fingerprint = fingerprint - StoreFingerprint(of: record) }
                if let known = entry.isUnresolved ? entry.remote : entry.base {
                    fingerprint = fingerprint + StoreFingerprint(of: known)
                }
                return true
            }
        }
        return fingerprint
    }
}
