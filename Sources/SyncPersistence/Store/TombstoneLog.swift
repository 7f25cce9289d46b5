/// The tombstones of a store, as a transaction knows and changes them.
struct TombstoneLog {
    /// Whether there are any; nil as long as that is unknown.
    private var knownToExist: Bool?
    /// Whether the store keeps them; nil as long as that is unknown.
    private var knownToBeKept: Bool?
    /// The tombstones of records that were inserted again.
    private var removed: [RecordID: Record] = [:]

    /// Whether there are tombstones. O(1)
    mutating func exist(in transaction: WriteTransaction) throws -> Bool {
        if let knownToExist { return knownToExist }
        let answer = try transaction.storage.count(Query("sync.tombstones", limit: 1)) > 0
        knownToExist = answer
        return answer
    }

    /// Whether the store keeps tombstones. O(1)
    mutating func areKept(in transaction: WriteTransaction) throws -> Bool {
        if let knownToBeKept { return knownToBeKept }
        let answer = try transaction.metadata(ReadTransaction.keepsTombstonesName) != nil
        knownToBeKept = answer
        return answer
    }

    /// Changes whether the store keeps tombstones, which removes those that it has.
    mutating func keep(_ isKept: Bool, in transaction: WriteTransaction) throws {
        try removeAll(from: transaction)
        try transaction.note(isKept ? "1" : nil, as: ReadTransaction.keepsTombstonesName)
        knownToBeKept = isKept
    }

    /// Adds the tombstone of a deleted record; of a record that the transaction has inserted, restores the former one.
    ///
    /// A store that keeps no tombstones removes those of an older version.
    mutating func put(_ id: RecordID, wasThere: Bool, in transaction: WriteTransaction) throws {
        guard try areKept(in: transaction) else { return try removeAll(from: transaction) }
        let tombstone =
            wasThere
            ? try Tombstone(id: id, sequence: transaction.nextSequence()).record(in: transaction.schema) : removed[id]
        guard let tombstone else { return }
        _ = try transaction.storage.put(tombstone)
        knownToExist = true
    }

    /// Removes the tombstone of a record that is inserted again.
    mutating func remove(_ id: RecordID, from transaction: WriteTransaction) throws {
        guard try exist(in: transaction) else { return }
        let key: Value = [.string(id.entity), .string(Tombstone.text(of: id.key))]
        let shape = try transaction.shape("sync.tombstones")
        if let tombstone = try transaction.storage.remove(key, in: shape) { removed[id] = tombstone }
    }

    /// Removes the tombstones of deletions up to a commit. O(number of these tombstones)
    mutating func removeAll(through sequence: Int64, from transaction: WriteTransaction) throws {
        let query = Query("sync.tombstones", where: .comparison(path: "sequence", .lessOrEqual, .integer(sequence)))
        for tombstone in try transaction.records(query) {
            _ = try transaction.storage.remove(tombstone.key, in: tombstone.shape)
        }
        removed = removed.filter { _, tombstone in
            guard case .integer(let number) = tombstone["sequence"] else { return false }
            return number > sequence
        }
    }

    /// Removes all tombstones.
    private mutating func removeAll(from transaction: WriteTransaction) throws {
        if try exist(in: transaction) {
            for tombstone in try transaction.records(Query("sync.tombstones")) {
                _ = try transaction.storage.remove(tombstone.key, in: tombstone.shape)
            }
        }
        removed = [:]
        knownToExist = false
    }
}
