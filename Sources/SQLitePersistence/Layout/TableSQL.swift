import SyncPersistence

/// The statements of a table that run once for each row.
struct TableSQL: Sendable {
    /// The columns of a record, as a query reads them.
    let selection: String

    /// Finds a record by its key.
    let select: String

    /// Stores a new record.
    let insert: String

    /// Stores the image of a changed record in a journal: the columns of the image, then the row.
    let insertImage: String

    /// The positions of the columns of an image; none if an image needs more than binding.
    let image: [Int]

    /// Stores a new or existing record, in the cases of ``Replacement``.
    ///
    /// Indexed columns are not named, because SQLite would write their indexes again.
    let upsert: String

    /// The same for an existing record: the values, then the key.
    let revision: String

    /// Whether an upsert has values to set, and not too many arguments.
    let hasUpsert: Bool

    /// Changes the record of a row: only columns without an index, and not the key.
    let update: String
    let updateWithIndexed: String

    /// Deletes the record of a row.
    let delete: String

    /// Finds the row of a key.
    let selectRow: String

    /// The last row.
    let selectLastRow: String

    /// The positions of the columns that are the arguments of an insertion, a revision and each kind of update.
    let inserted: [Int]
    let revised: [Int]
    let updated: [Int]
    let updatedWithIndexed: [Int]

    /// The number of arguments that a function accepts in every build of SQLite.
    private static let argumentLimit = 100

    init(
        name: String, columns: [Column], keyColumns: [Int], hasEntity: Bool, hasDigest: Bool, imageCount: Int
    ) {
        let row = quoted("sync.row")
        let own = (hasEntity ? [quoted("sync.entity")] : []) + (hasDigest ? [quoted("sync.digest")] : [])
        let all = columns.map(\.name)
        let key = keyColumns.map { all[$0] }
        selection = ([row] + (hasEntity ? [quoted("sync.entity")] : []) + all).joined(separator: ", ")
        let isKey = key.map { "\($0) = ?" }.joined(separator: " AND ")
        select = "SELECT \(selection) FROM \(name) WHERE \(isKey)"
        insert =
            "INSERT INTO \(name) (\((own + all + [row]).joined(separator: ", "))) VALUES "
            + "(\((own + all + [row]).map { _ in "?" }.joined(separator: ", ")))"
        inserted = Array(columns.indices)
        image = Array(inserted.prefix(imageCount))
        let names = all.prefix(imageCount) + [quoted("sync.isInShadow"), quoted("sync.isUnsettled"), row]
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
        // Besides the columns, a function receives the row, and the entity if there are several.
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
        selectLastRow = "SELECT max(\(row)) FROM \(name)"
        delete = "DELETE FROM \(name) WHERE \(row) = ?"
    }
}
