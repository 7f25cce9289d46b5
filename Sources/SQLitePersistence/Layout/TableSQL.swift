import SyncPersistence

/// The statements of a table that are used row after row.
struct TableSQL: Sendable {
    /// The columns of a record, as a query reads them.
    let selection: String

    /// Finds a record by its key.
    let select: String

    /// Stores a new record.
    let insert: String

    /// Stores the image of a changed record in a journal: the columns of the image, then the row.
    let insertImage: String

    /// The positions of the columns of an image; none where an image needs more than to be bound.
    let image: [Int]

    /// Stores a record, new or not, where ``Replacement`` wants that.
    ///
    /// The columns with an index are left as they are: to name them is to write the index anew.
    let upsert: String

    /// The same for a record that is there: what is set, then the key.
    let revision: String

    /// Whether an upsert has something to set, and not too much to ask.
    let hasUpsert: Bool

    /// Changes the record of a row: the columns without an index alone, and all but the key.
    let update: String
    let updateWithIndexed: String

    /// Takes the record of a row away.
    let delete: String

    /// Finds the row of a key.
    let selectRow: String

    /// The last row.
    let selectLastRow: String

    /// The positions of the columns that an insertion, a revision and each kind of update are given.
    let inserted: [Int]
    let revised: [Int]
    let updated: [Int]
    let updatedWithIndexed: [Int]

    /// How many arguments a function has at most, in every build of SQLite.
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
        // Besides the columns, a function is given the row, and the entity where there are several.
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
