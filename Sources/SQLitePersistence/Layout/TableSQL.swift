import SyncPersistence

/// The SQL of a table's statements for single rows.
struct TableSQL: Sendable {
    /// The selected columns of a record: the row, the entity if there are several, and the slots.
    let selection: String

    /// The columns of ``selection``.
    let selected: [String]

    /// Selects a record by its key.
    let select: String

    /// Inserts a record.
    let insert: String

    /// Inserts the old values of a changed record into a journal.
    ///
    /// The parameters are the values, then the row.
    let insertImage: String

    /// The positions of the columns of `insertImage`; empty if the values need more than binding.
    let image: [Int]

    /// Inserts a record, or overwrites the existing one if `Replacement` allows it.
    ///
    /// It does not set indexed columns, because SQLite would write their indexes again.
    let upsert: String

    /// Overwrites an existing record if `Replacement` allows it.
    ///
    /// The parameters are the values, then the key.
    let revision: String

    /// Whether `upsert` sets at least one column, and `sync_replaces` does not have too many arguments.
    let hasUpsert: Bool

    /// Updates the record of a row, without the key and the columns with an index.
    let update: String
    /// Updates the record of a row, without the key.
    let updateWithIndexed: String

    /// Deletes the record of a row.
    let delete: String

    /// Selects the row of a key.
    let selectRow: String

    /// Reads the records after a row, in the order of their rows.
    let selectAfterRow: String

    /// Selects the greatest row number.
    let selectLastRow: String

    /// The positions of the columns that are parameters of `insert` and `upsert`.
    let inserted: [Int]
    /// The positions of the columns that are parameters of `revision`.
    let revised: [Int]
    /// The positions of the columns that are parameters of `update`.
    let updated: [Int]
    /// The positions of the columns that are parameters of `updateWithIndexed`.
    let updatedWithIndexed: [Int]

    /// The maximum number of function arguments in every build of SQLite.
    private static let argumentLimit = 100

    /// Creates the SQL of a table.
    ///
    /// - Parameter imageCount: The number of leading columns that `insertImage` fills; 0 if it cannot be used.
    init(
        name: String, columns: [Column], keyColumns: [Int], hasEntity: Bool, hasDigest: Bool, imageCount: Int
    ) {
        let row = quoted("sync.row")
        let own = (hasEntity ? [quoted("sync.entity")] : []) + (hasDigest ? [quoted("sync.digest")] : [])
        let all = columns.map(\.name)
        let key = keyColumns.map { all[$0] }
        selected = [row] + (hasEntity ? [quoted("sync.entity")] : []) + all
        selection = selected.joined(separator: ", ")
        let isKey = key.map { "\($0) = ?" }.joined(separator: " AND ")
        select = "SELECT \(selection) FROM \(name) WHERE \(isKey)"
        insert =
            "INSERT INTO \(name) (\((own + all + [row]).joined(separator: ", "))) VALUES "
            + "(\((own + all + [row]).map { _ in "?" }.joined(separator: ", ")))"
        inserted = Array(columns.indices)
        image = Array(inserted.prefix(imageCount))
        let names = all.prefix(imageCount) + [quoted("sync.isInShadow"), quoted(JournalShape.unresolvedName), row]
        insertImage =
            "INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES "
            + "(\((image.map { _ in "?" } + ["1", "0", "?"]).joined(separator: ", ")))"
        updatedWithIndexed = inserted.filter { !keyColumns.contains($0) }
        updated = updatedWithIndexed.filter { !columns[$0].slot.isIndexed }
        func update(_ positions: [Int]) -> String {
            let names = own + positions.map { all[$0] }
            return names.isEmpty
                ? "" : "UPDATE \(name) SET \(names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE \(row) = ?"
        }
        let replaced = own + updated.map { all[$0] }
        revised = updated + keyColumns
        // A function also receives the row, and the entity if there are several.
        hasUpsert = !replaced.isEmpty && all.count + (hasEntity ? 2 : 1) <= TableSQL.argumentLimit
        upsert =
            "INSERT INTO \(name) (\((own + all).joined(separator: ", "))) VALUES "
            + "(\((own + all).map { _ in "?" }.joined(separator: ", "))) ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET "
            + replaced.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
            + " WHERE sync_replaces(\(selection))"
        revision =
            "UPDATE \(name) SET \(replaced.map { "\($0) = ?" }.joined(separator: ", ")) "
            + "WHERE \(isKey) AND sync_replaces(\(selection))"
        self.update = update(updated)
        updateWithIndexed = update(updatedWithIndexed)
        selectRow = "SELECT \(row) FROM \(name) WHERE \(isKey)"
        selectAfterRow = "SELECT \(selection) FROM \(name) WHERE \(row) > ? ORDER BY \(row)"
        selectLastRow = "SELECT max(\(row)) FROM \(name)"
        delete = "DELETE FROM \(name) WHERE \(row) = ?"
    }
}
