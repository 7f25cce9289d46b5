import SyncPersistence

/// The records that left the device's scope before their deletion was sent, so that it is not sent any more.
///
/// They stay listed until the app has dismissed them, because an outcome is lost with its process.
struct UnsentDeletions {
    private static let list = RecordList("unsentDeletion")

    /// Adds a record. O(1)
    static func add(_ id: RecordID, in transaction: WriteTransaction) throws {
        try list.set("", for: id, in: transaction)
    }

    /// Removes a record. O(1)
    static func remove(_ id: RecordID, in transaction: WriteTransaction) throws {
        try list.set(nil, for: id, in: transaction)
    }

    /// Removes all records.
    static func removeAll(in transaction: WriteTransaction) throws { try list.removeAll(in: transaction) }

    /// Returns the records of a store, in a stable order.
    static func all(in transaction: ReadTransaction) throws -> [RecordID] { try list.all(in: transaction).map(\.id) }
}
