/// The tombstones of a store, as a transaction knows and changes them.
final class TombstoneLog {
    /// Whether there are any; nil as long as that is unknown.
    private var knownToExist: Bool?
    /// Whether the store keeps them; nil as long as that is unknown.
    private var knownToBeKept: Bool?
    /// The tombstones of records that were inserted again.
    private var removed: [RecordID: Record] = [:]

    private let store: ReadTransaction
    private let log: ChangeLog
    private let metadata: MetadataLog

    /// Creates the tombstones of a transaction.
    ///
    /// - Parameters:
    ///   - store: Reads what is stored.
    ///   - log: Has the touched records.
    ///   - metadata: Stores whether tombstones are kept, and numbers the commit.
    init(of store: ReadTransaction, _ log: ChangeLog, _ metadata: MetadataLog) {
        self.store = store
        self.log = log
        self.metadata = metadata
    }

    /// Whether there are tombstones. O(1)
    func exist() throws -> Bool {
        if let knownToExist { return knownToExist }
        let exist = try store.storage.count(Query("sync.tombstones", limit: 1)) > 0
        knownToExist = exist
        return exist
    }

    /// Whether the store keeps tombstones. O(1)
    private func areKept() throws -> Bool {
        if let knownToBeKept { return knownToBeKept }
        let areKept = try store.metadata(ReadTransaction.keepsTombstonesName) != nil
        knownToBeKept = areKept
        return areKept
    }

    /// Changes whether the store keeps tombstones, which removes those that it has.
    func keep(_ isKept: Bool) throws {
        if try areKept() == isKept { return }
        try removeAll()
        try metadata.set(isKept ? "1" : nil, for: ReadTransaction.keepsTombstonesName)
        knownToBeKept = isKept
        // The deletions of earlier commits are unknown.
        try metadata.set(
            isKept ? "\(metadata.nextSequence() - 1)" : nil, for: ReadTransaction.tombstoneHorizonName)
        for change in isKept ? log.touched : [] where change.new == nil {
            if let old = change.old { try put(RecordID(old.shape.root, old.key), existedBefore: true) }
        }
    }

    /// Adds the tombstone of a deleted record; of a record that the transaction has inserted, restores the former one.
    ///
    /// A store that keeps no tombstones removes those of an older version.
    func put(_ key: DigestedKey, of state: HierarchyState) throws {
        try put(RecordID(state.root.name, key.key), existedBefore: log.existedBefore(key, in: state))
    }

    private func put(_ id: RecordID, existedBefore: Bool) throws {
        guard try areKept() else { return try removeAll() }
        let tombstone =
            existedBefore
            ? try Tombstone(id: id, sequence: metadata.nextSequence()).record(in: store.schema) : removed[id]
        guard let tombstone else { return }
        _ = try store.storage.put(tombstone)
        knownToExist = true
    }

    /// Removes the tombstone of a record that is inserted again.
    func remove(_ key: Value, of root: Shape) throws {
        guard try exist() else { return }
        let id = RecordID(root.name, key)
        let shape = try store.shape("sync.tombstones")
        let tombstone = try store.storage.remove([.string(id.entity), .string(Tombstone.text(of: key))], in: shape)
        if let tombstone { removed[id] = tombstone }
    }

    /// Removes the tombstones of deletions up to a commit. O(number of these tombstones)
    func removeAll(through sequence: Int64) throws {
        guard try areKept() else { return }
        let limit = min(sequence, try metadata.nextSequence() - 1)
        let query = Query("sync.tombstones", where: .comparison(path: "sequence", .lessOrEqual, .integer(limit)))
        for tombstone in try store.records(query) {
            _ = try store.storage.remove(tombstone.key, in: tombstone.shape)
        }
        removed = removed.filter { _, tombstone in
            guard case .integer(let number) = tombstone["sequence"] else { return false }
            return number > limit
        }
        let horizon = try store.number(ReadTransaction.tombstoneHorizonName) ?? 0
        try metadata.set("\(max(horizon, limit))", for: ReadTransaction.tombstoneHorizonName)
    }

    /// Removes all tombstones.
    private func removeAll() throws {
        if try exist() {
            for tombstone in try store.records(Query("sync.tombstones")) {
                _ = try store.storage.remove(tombstone.key, in: tombstone.shape)
            }
        }
        removed = [:]
        knownToExist = false
    }
}
