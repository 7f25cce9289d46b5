import SyncPersistence

/// The records that the pages of a comparison have had so far.
///
/// They are stored, so that a comparison continues after a crash. A record is stored as a token of 64 bits. Two
/// records with one token, one of 2⁶⁴ pairs, are not told apart.
struct SeenRecords {
    private let transaction: WriteTransaction
    private let family: String

    /// The records of the comparison in progress.
    init(in transaction: WriteTransaction) { self.init(in: transaction, "sync.seen") }

    private init(in transaction: WriteTransaction, _ family: String) {
        (self.transaction, self.family) = (transaction, family)
    }

    /// The records of an earlier comparison of the same history, which was not completed: both ends had them.
    static func agreed(in transaction: WriteTransaction) -> SeenRecords { SeenRecords(in: transaction, "sync.agreed") }

    /// Adds a record. O(1)
    func add(_ id: RecordID, of shape: Shape) throws {
        try transaction.payloadRows.set(family, Self.number(id.key, of: shape), [])
    }

    /// Returns the records of a hierarchy that no page has had.
    ///
    /// - Complexity: O(number of records of the hierarchy), each with a lookup
    func unseen(of root: Shape) throws -> [RecordID] {
        let areNone = try isEmpty()
        var unseen: [RecordID] = []
        for key in try transaction.keys(of: root.name) where try areNone || !contains(key, of: root) {
            unseen.append(RecordID(root.name, key))
        }
        return unseen
    }

    private func isEmpty() throws -> Bool {
        var isEmpty = true
        try transaction.payloadRows.forEach(of: family) { _, _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    /// Whether a page has had a record. O(1)
    func contains(_ key: Value, of shape: Shape) throws -> Bool {
        try transaction.payloadRows.content(family, Self.number(key, of: shape)) != nil
    }

    /// Forgets all records.
    ///
    /// - Complexity: O(number of records)
    func removeAll() throws {
        for number in try transaction.payloadRows.numbers(of: family) {
            try transaction.payloadRows.set(family, number, nil)
        }
    }

    /// Moves all records to those of an earlier comparison.
    ///
    /// - Complexity: O(number of records)
    func moveToAgreed() throws {
        let agreed = SeenRecords.agreed(in: transaction)
        for number in try transaction.payloadRows.numbers(of: family) {
            try transaction.payloadRows.set(family, number, nil)
            try transaction.payloadRows.set(agreed.family, number, [])
        }
    }

    private static func number(_ key: Value, of shape: Shape) -> Int64 {
        Int64(bitPattern: RecordToken.record(key, of: shape))
    }
}
