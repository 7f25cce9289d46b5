import SyncPersistence

/// What a store that was replaced by an older copy has lost, and need not be found in the end.
///
/// In its new epoch, a restored service deletes nothing that only lacks a counterpart: the devices send it again.
extension EditLedger {
    /// Forgives what only the former store of a restored device had.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - new: The new records of the copy, which sends them again even if another device has deleted them since.
    ///   - copies: The stores after the restoration.
    mutating func forgiveLost(by device: Int, sendingAgain new: Set<RecordID>, in copies: SimulatedCopies) {
        forgive { edit in
            edit.device == device && !edit.isIn(copies.served) && !copies.hasEdit(edit)
        } deletions: { id, deleter in
            deleter == device && copies.served.has(id) || new.contains(id)
        }
    }

    /// Forgives what only the former store of a restored service or relay had.
    ///
    /// An edit is only forgiven if no device can send it again: one that a device still has as a local change must
    /// arrive.
    ///
    /// - Parameters:
    ///   - lost: The former store.
    ///   - copies: The stores after the restoration.
    mutating func forgiveLost(with lost: InMemoryContent, in copies: SimulatedCopies) {
        forgive { edit in
            // The answer to a push that the service no longer knows may be under way.
            !edit.isIn(copies.served) && (edit.isIn(lost) || !copies.hasEdit(edit, isUnsent: true))
        } deletions: { id, deleter in
            // A device may have a record that the service does not have, and send it again.
            if !copies.served.has(id) { return lost.has(id) || copies.isElsewhere(id, than: deleter) }
            return !lost.has(id)
                || !copies.devices.contains { !$0.disk.content.has(id) && $0.disk.content.hasChanged(id) }
        }
    }

    /// Adds the records that only one of two stores of the service has: the former one, and its copy.
    mutating func addUndone(from lost: InMemoryContent, to copy: InMemoryContent) {
        let former = (try? lost.read { try $0.synchronizedRecords() }) ?? [:]
        let present = (try? copy.read { try $0.synchronizedRecords() }) ?? [:]
        addUndone(Set(former.keys).symmetricDifference(present.keys))
    }

    /// Forgives the deletions that a restored store has forgotten, although other devices have the records.
    mutating func forgiveDeletions(forgottenBy content: InMemoryContent, in copies: SimulatedCopies) {
        forgive(edits: { _ in false }) { id, deleter in
            !content.has(id) && copies.isElsewhere(id, than: deleter)
        }
    }
}
