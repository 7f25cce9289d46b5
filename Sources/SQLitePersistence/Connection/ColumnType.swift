import CDifferentialSyncSQLite

/// The storage class of one value in SQLite.
enum ColumnType: Hashable, Sendable {
    /// The storage class of a value, which SQLite keeps with each value and not with its column.
    case null, integer, double, text, blob

    /// Creates the type from a fundamental datatype code of SQLite, such as `SQLITE_TEXT`.
    @inline(__always)
    init(_ type: Int32) {
        self =
            switch type {
            case SQLITE_INTEGER: .integer
            case SQLITE_FLOAT: .double
            case SQLITE_TEXT: .text
            case SQLITE_BLOB: .blob
            default: .null
            }
    }
}
