import SyncPersistence

/// The records that the pages of a comparison have had so far, by token, so that a comparison continues after a crash.
///
/// Two records have one token once in 2⁶⁴ pairs; a missing one is then found by the next comparison.
struct SeenRecords {
    private static let family = "sync.seen"
    private let transaction: WriteTransaction

    init(in transaction: WriteTransaction) { self.transaction = transaction }

    /// Adds a record. O(1)
    func add(_ id: RecordID, of shape: Shape) throws {
        try transaction.setPayloadRow(Self.family, Self.number(id.key, of: shape), [])
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
        try transaction.forEachPayloadRow(of: Self.family) { _, _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    /// Whether a page has had a record. O(1)
    func contains(_ key: Value, of shape: Shape) throws -> Bool {
        try transaction.payloadRow(Self.family, Self.number(key, of: shape)) != nil
    }

    /// Forgets all records.
    ///
    /// - Complexity: O(number of records)
    func removeAll() throws {
        var numbers: [Int64] = []
        try transaction.forEachPayloadRow(of: Self.family) { number, _ in
            numbers.append(number)
            return true
        }
        for number in numbers { try transaction.setPayloadRow(Self.family, number, nil) }
    }

    private static func number(_ key: Value, of shape: Shape) -> Int64 {
        Int64(bitPattern: RecordToken.record(key, of: shape))
    }
}
