import SyncPersistence

/// The SQL of a table's statements for records.
///
/// Each of them treats any number of rows: a parameter is an array with one element for each row.
///
/// The text of a statement therefore does not depend on the number of rows, and a connection prepares it once. For an entity
/// with a key `id` and an attribute `title`, the statement that deletes is:
///
/// ```sql
/// DELETE FROM "notes"."Note" WHERE "sync.row" = ANY($1::bigint[])
/// ```
///
/// In a table of several accounts, each condition also requires the account of the transaction:
///
/// ```sql
/// … AND "sync.account" = current_setting('differentialsync.account')
/// ```
struct TableSQL: Sendable {
    /// The selected columns of a record: the row, the entity if there are several, and the slots.
    let selection: String

    /// Selects the record with a key, whose parts are the parameters.
    let select: String

    /// Selects the records with some keys.
    ///
    /// There is an array for each column of the key.
    let selectSeveral: String

    /// Inserts records with new row numbers, and returns the last row number before.
    ///
    /// There are arrays for the entities, the digests and the columns; a table may lack the first two.
    let insert: String

    /// Updates the records of rows; empty if the table has only key columns.
    ///
    /// There are arrays for the rows, the entities, the digests and the updated columns; a table may lack the entities
    /// and the digests.
    let update: String

    /// The positions of the columns that `update` sets.
    let updated: [Int]

    /// Deletes rows.
    ///
    /// There is an array for the rows.
    let delete: String

    /// Creates the SQL of a table.
    init(name: String, isShared: Bool, columns: [Column], keyColumns: [Int], hasEntity: Bool, hasDigest: Bool) {
        let row = quoted("sync.row")
        let own: [(name: String, type: AttributeType)] =
            (hasEntity ? [(quoted("sync.entity"), .string)] : [])
            + (hasDigest ? [(quoted("sync.digest"), .integer)] : [])
        let key = keyColumns.map { columns[$0] }
        selection =
            ([row] + (hasEntity ? [quoted("sync.entity")] : []) + columns.map { $0.selection() })
            .joined(separator: ", ")
        let values = key.indices.map { "$\($0 + 1)" }
        let account = TableSQL.isOfAccount(isShared: isShared)
        select = "SELECT \(selection) FROM \(name) WHERE \(TableSQL.areEqual(key, nil, values))\(account)"
        if let only = key.first, key.count == 1 {
            let array = "$1::\(only.type.arrayName)" + (only.type == .decimal ? "::numeric[]" : "")
            selectSeveral =
                "SELECT \(selection) FROM \(name) WHERE \(TableSQL.isContained(only, only.name, in: array))\(account)"
        } else {
            let parts = key.enumerated().map { TableSQL.element($0, $1.type) }
            let chosen =
                (["t.\(row)"] + (hasEntity ? ["t.\(quoted("sync.entity"))"] : []) + columns.map { $0.selection("t") })
                .joined(separator: ", ")
            selectSeveral =
                "SELECT \(chosen) FROM \(TableSQL.unnested(key.map(\.type))) JOIN \(name) AS t "
                + "ON \(TableSQL.areEqual(key, "t", parts))\(TableSQL.isOfAccount("t", isShared: isShared))"
        }
        let inserted = own + columns.map { ($0.name, $0.type) }
        insert =
            "WITH last AS (SELECT coalesce(max(\(row)), 0) AS number FROM \(name) WHERE TRUE\(account)), new AS (INSERT INTO \(name) "
            + "(\(([row] + inserted.map(\.name)).joined(separator: ", "))) SELECT last.number + u.n, "
            + inserted.enumerated().map { TableSQL.element($0, $1.type) }.joined(separator: ", ")
            + " FROM \(TableSQL.unnested(inserted.map(\.type), isNumbered: true)) CROSS JOIN last) "
            + "SELECT number FROM last"
        let updated = columns.indices.filter { !keyColumns.contains($0) }
        let set = own + updated.map { (columns[$0].name, columns[$0].type) }
        self.updated = updated
        update =
            set.isEmpty
            ? ""
            : "UPDATE \(name) AS t SET "
                + set.enumerated().map { "\($1.name) = \(TableSQL.element($0 + 1, $1.type))" }.joined(separator: ", ")
                + " FROM \(TableSQL.unnested([.integer] + set.map(\.type))) WHERE t.\(row) = u.c0"
                + TableSQL.isOfAccount("t", isShared: isShared)
        delete = "DELETE FROM \(name) WHERE \(row) = ANY($1::bigint[])\(account)"
    }

    /// Returns the condition that columns equal values, which are expressions.
    ///
    /// Several columns with long values are found by an index of their hashes.
    static func areEqual(_ columns: [Column], _ alias: String?, _ values: [String]) -> String {
        zip(columns, values).flatMap { column, value in
            let name = alias.map { "\($0).\(column.name)" } ?? column.name
            let equal = "\(name) = \(value)"
            if columns.count == 1 && !column.isHashed || !column.type.isLong { return [equal] }
            return ["\(Column.hash(of: name, column.type)) = \(Column.hash(of: value, column.type))", equal]
        }.joined(separator: " AND ")
    }

    /// Returns the condition that an array, which is a parameter, contains the value of a column.
    ///
    /// - Parameter name: The name of the column, with its alias.
    static func isContained(_ column: Column, _ name: String, in array: String) -> String {
        let isContained = "\(name) = ANY(\(array))"
        if !column.isHashed { return isContained }
        let hashes = "SELECT \(Column.hash(of: "e", column.type)) FROM unnest(\(array)) AS e"
        return "\(Column.hash(of: name, column.type)) = ANY(ARRAY(\(hashes))) AND \(isContained)"
    }

    /// Returns the condition that a row is of the account of the transaction, with `AND` before it; empty if the table is
    /// not shared.
    static func isOfAccount(_ alias: String? = nil, isShared: Bool) -> String {
        if !isShared { return "" }
        let column = (alias.map { "\($0)." } ?? "") + Namespace.accountColumn
        return " AND \(column) = \(Namespace.currentAccount)"
    }

    /// Returns the source `u` of rows with a column for each array: `c0`, `c1` and so on.
    ///
    /// - Parameter isNumbered: Whether the rows are numbered from 1 on, in the column `n`.
    static func unnested(_ types: [AttributeType], from first: Int = 1, isNumbered: Bool = false) -> String {
        let arrays = types.enumerated().map { "$\($0 + first)::\($1.arrayName)" }.joined(separator: ", ")
        let names = (types.indices.map { "c\($0)" } + (isNumbered ? ["n"] : [])).joined(separator: ", ")
        return "unnest(\(arrays))\(isNumbered ? " WITH ORDINALITY" : "") AS u(\(names))"
    }

    /// Returns the element of the array at a position, as a column's type.
    static func element(_ position: Int, _ type: AttributeType) -> String {
        type == .decimal ? "u.c\(position)::numeric" : "u.c\(position)"
    }
}

extension AttributeType {
    /// The name of the type of arrays in SQL.
    var arrayName: String { self == .decimal ? "text[]" : "\(sqlName)[]" }
}
