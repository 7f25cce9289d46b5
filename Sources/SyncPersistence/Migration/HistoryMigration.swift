/// The changes that a migration makes to the history and the fingerprint of a store.
struct HistoryMigration {
    /// Reads the rows.
    private let store: ReadTransaction
    /// Replaces and removes rows.
    private let storage: any RecordStorage

    /// Begins to change the history of a store.
    ///
    /// - Parameter storage: The store when its records have been converted.
    init(of storage: any RecordStorage) {
        self.storage = storage
        store = ReadTransaction(on: storage)
    }

    /// Counts the fingerprint anew, and removes the rows of dropped records.
    ///
    /// - Parameter isDropped: Whether a record was dropped; nil if none was.
    func update(removing isDropped: ((RecordID) -> Bool)?) throws {
        try updateFingerprint()
        guard let isDropped else { return }
        try forEachRow { row in
            if try isDropped(HistoryEntry(row).id) { _ = try storage.remove(row.key, in: row.shape) }
        }
    }

    /// Renames the entities of rows.
    ///
    /// - Parameter names: The new names of hierarchies' roots by their old names.
    func rename(_ names: [String: String]) throws {
        if names.isEmpty { return }
        try forEachRow { row in
            guard case .string(let entity) = row["entity"], let name = names[entity] else { return }
            var renamed = row
            renamed["entity"] = .string(name)
            _ = try storage.remove(row.key, in: row.shape)
            _ = try storage.put(renamed)
        }
    }

    /// Calls a body with each row, in the order of their numbers.
    ///
    /// The body may rename or remove the row.
    private func forEachRow(_ body: (Record) throws -> Void) throws {
        var sequence: Int64 = 0
        while true {
            let page = try store.historyRows(after: sequence, limit: 1_000)
            for row in page { try body(row) }
            guard case .integer(let last)? = page.last?["sequence"] else { return }
            sequence = last
        }
    }

    /// Counts the fingerprint anew, if the store keeps one.
    ///
    /// - Complexity: O(number of records)
    func updateFingerprint() throws {
        if try store.keptHistory.isEmpty { return }
        let text = try StoreFingerprint(ofAllIn: store).text
        let shape = try store.shape("sync.metadata")
        _ = try storage.put(Record(shape, slots: [.string(HistoryName.fingerprint), .string(text)]))
    }
}
