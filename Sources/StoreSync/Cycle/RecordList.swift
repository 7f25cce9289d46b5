import SyncPersistence

/// A list of records with a text each, in the metadata of a store.
struct RecordList {
    /// The name of the list.
    private let list: String

    /// Creates the list with a name.
    init(_ name: String) { list = name }

    /// Sets the text of a record, or removes the record for nil. O(1)
    func set(_ text: String?, for id: RecordID, in transaction: WriteTransaction) throws {
        try transaction.setLibraryMetadata(text, for: name(of: id))
    }

    /// Returns the text of a record; nil if it is not listed. O(1)
    func text(of id: RecordID, in transaction: ReadTransaction) throws -> String? {
        try transaction.metadata(name(of: id))
    }

    private func name(of id: RecordID) -> String { ListedRecord(id, in: list).name }

    /// Whether there are no records.
    ///
    /// - Complexity: O(log *n*) for *n* metadata in an SQL database; in memory O(number of metadata before the first
    ///   record)
    func isEmpty(in transaction: ReadTransaction) throws -> Bool {
        try transaction.records(Query("sync.metadata", where: names, limit: 1)).isEmpty
    }

    /// Returns the records with their texts, in a stable order.
    func all(in transaction: ReadTransaction) throws -> [(id: RecordID, text: String)] {
        let rows = try transaction.records(Query("sync.metadata", where: names, sort: [Query.SortKey("name")]))
        return rows.compactMap { row in
            guard case .string(let name) = row["name"], case .string(let text) = row["value"],
                let listed = ListedRecord(name: name)
            else { return nil }
            return (listed.id, text)
        }
    }

    /// Removes all records.
    func removeAll(in transaction: WriteTransaction) throws {
        for (id, _) in try all(in: transaction) { try set(nil, for: id, in: transaction) }
    }

    /// The condition that metadata is of this list.
    private var names: Filter {
        let prefix = ListedRecord.prefix(of: list)
        return .and([
            .comparison(path: "name", .greaterOrEqual, .string(prefix)),
            .comparison(path: "name", .less, .string(prefix + "\u{10FFFF}")),
        ])
    }
}
