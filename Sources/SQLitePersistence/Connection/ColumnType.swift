import CDifferentialSyncSQLite

/// What SQLite stores in one column of one row.
enum ColumnType: Hashable, Sendable {
    case null, integer, double, text, blob

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
