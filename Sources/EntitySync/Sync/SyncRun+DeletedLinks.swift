import SyncPersistence

/// Links that were taken away here, of records that the remote has no more.
///
/// With a record, the remote has lost its links too. If it has the record again one day, it says anew what that is linked
/// with, and nothing of that was taken away here.
extension SyncRun {
    /// Notes that the remote has deleted a record, if links of it were changed here.
    func noteDeletion(of record: Record) throws {
        guard origin == .remote else { return }
        for incoming in record.shape.incoming {
            let links = try transaction.shape(incoming.shape)
            if links.role == .links, try transaction.mayHaveEntries(of: links) { return deleted.append(record) }
        }
    }

    /// Notes that the remote has deleted a record that was deleted here before.
    func noteDeletedHere(_ id: RecordID) throws {
        guard origin == .remote, try transaction.record(id) == nil else { return }
        if let known = try transaction.known(id, to: origin) { try noteDeletion(of: known) }
    }

    /// Forgets what was taken away of the links of records that neither side has any more.
    func forgetLinksOfDeleted() throws {
        if deleted.isEmpty { return }
        // A deletion that has to wait is put back before.
        try transaction.settleIncoming()
        for record in deleted where try transaction.record(record.id) == nil {
            if try transaction.known(record.id, to: origin) == nil { try forgetLinks(of: record) }
        }
    }

    /// Forgets which links of a record were taken away here.
    ///
    /// - Complexity: O(number of these links), and once O(*d*) for *d* changed links of each relationship
    func forgetLinks(of record: Record) throws {
        for incoming in record.shape.incoming {
            let links = try transaction.shape(incoming.shape)
            guard links.role == .links, try transaction.mayHaveEntries(of: links) else { continue }
            for link in try knownLinks.records(of: links, naming: record.key, in: incoming.slot)
            where try transaction.record(link.id) == nil {
                try transaction.acknowledge(link.id, base: link, sent: nil)
            }
        }
    }
}
