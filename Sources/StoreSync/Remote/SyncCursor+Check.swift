extension SyncCursor {
    /// Requires that the cursor is a position in a history.
    ///
    /// - Parameters:
    ///   - epoch: The name of the history.
    ///   - sequence: The number of the history's last change.
    /// - Throws: ``RemoteError/handshakeNeeded(_:)``.
    func check(epoch: String, sequence: Int64) throws(RemoteError) {
        if self.epoch != epoch { throw .handshakeNeeded("the position belongs to another history") }
        if self.sequence < 0 || self.sequence > sequence {
            throw .handshakeNeeded("the position is not one of the history, which ends at \(sequence)")
        }
    }

    /// Requires that no deletion after the cursor is forgotten.
    ///
    /// - Parameter horizon: The number up to which tombstones were removed.
    /// - Throws: ``RemoteError/handshakeNeeded(_:)``.
    func check(horizon: Int64) throws(RemoteError) {
        if sequence < horizon {
            throw .handshakeNeeded("deletions up to \(horizon) are no longer known: compare everything")
        }
    }
}
