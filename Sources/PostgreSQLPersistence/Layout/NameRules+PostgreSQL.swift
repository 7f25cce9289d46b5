import SyncPersistence

extension NameRules {
    /// PostgreSQL allows 63 bytes, and has columns of its own.
    ///
    /// A column that cannot be read well has a suffix; see `Column`.
    static let postgreSQL = NameRules(
        reservedTables: [Table.layoutName], reservedColumns: Table.ownColumns + Table.systemColumns,
        suffixes: Column.suffixes, allowed: { shortened($0, to: maximumNameLength - $1) })
}
