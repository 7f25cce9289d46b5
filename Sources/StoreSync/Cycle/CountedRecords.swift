import SyncPersistence

/// The records with counted keys that the remote has not accepted yet, and that must not get another key.
///
/// A record is listed until the remote has accepted it, or until it is deleted.
enum CountedRecords {
    /// Why a record is listed.
    enum Mark: String {
        /// The remote may have or have had the record, and so may other devices.
        case known
        /// The record has got another key, because the remote did not authorize its insertion with the former one.
        case renamed
    }

    private static let list = RecordList("counted")

    /// Lists a record, by the root of its hierarchy. O(1)
    static func add(_ id: RecordID, _ mark: Mark, in transaction: WriteTransaction) throws {
        try list.set(mark.rawValue, for: id, in: transaction)
    }

    /// Returns why a record is listed; nil if it is not listed. O(1)
    static func mark(of id: RecordID, in transaction: ReadTransaction) throws -> Mark? {
        try list.text(of: id, in: transaction).flatMap(Mark.init(rawValue:))
    }

    /// Removes all records.
    static func removeAll(in transaction: WriteTransaction) throws { try list.removeAll(in: transaction) }

    /// Removes the records that the remote has accepted, and those that are deleted.
    ///
    /// - Complexity: O(number of listed records); O(number of entities) without counted keys
    static func removeSettled(in transaction: WriteTransaction) throws {
        if !transaction.schema.shapes.contains(where: \.hasImplicitKey) { return }
        for (id, _) in try list.all(in: transaction) {
            let entry = try transaction.journalEntry(id)
            if let entry, entry.base == nil || entry.isUnresolved { continue }
            try list.set(nil, for: id, in: transaction)
        }
    }
}
