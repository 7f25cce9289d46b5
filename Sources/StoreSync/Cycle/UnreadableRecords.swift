import SyncPersistence

/// The records of the remote that the schema does not allow, with the reason.
///
/// They do not stop the pages after them. A record is removed once a version of it can be stored.
struct UnreadableRecords {
    private static let list = RecordList("unreadable")
    private let transaction: WriteTransaction
    private var areNone: Bool?

    init(in transaction: WriteTransaction) { self.transaction = transaction }

    /// Adds a record.
    mutating func add(_ record: UnreadableRecord) throws {
        try Self.list.set(record.reason, for: record.id, in: transaction)
        areNone = false
    }

    /// Removes a record if it is listed. O(1)
    mutating func remove(_ id: RecordID) throws {
        let areNone = try self.areNone ?? Self.list.isEmpty(in: transaction)
        self.areNone = areNone
        if !areNone { try Self.list.set(nil, for: id, in: transaction) }
    }

    /// Returns the listed records of a store.
    static func all(in transaction: ReadTransaction) throws -> [UnreadableRecord] {
        try list.all(in: transaction).map { UnreadableRecord(id: $0.id, reason: $0.text) }
    }
}
