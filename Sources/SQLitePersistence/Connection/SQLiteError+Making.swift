import CDifferentialSyncSQLite

extension SQLiteError {
    /// Creates the error of a result code.
    ///
    /// Without a message, the error has SQLite's general message for the code.
    init(resultCode: Int32, message: String? = nil, path: String?, sql: String? = nil) {
        self.init(
            Code(resultCode: resultCode), extendedCode: resultCode,
            message: message ?? String(cString: sqlite3_errstr(resultCode)), path: path, sql: sql)
    }

    /// Returns the error for a file whose format is newer than this version of the library supports.
    static func newerFormat(_ found: Int, supported: Int, path: String?) -> SQLiteError {
        SQLiteError(
            .newerFormat, message: "the database has format \(found), and the latest one known here is \(supported)",
            path: path)
    }

    /// Returns the error for an SQLite database that another program created.
    static func foreignFile(path: String?) -> SQLiteError {
        SQLiteError(.foreignFile, message: "the database belongs to another program", path: path)
    }

    /// Returns the error for a file that was renamed, replaced or deleted while it was open.
    static func movedFile(path: String?) -> SQLiteError {
        SQLiteError(
            .movedFile, message: "the file or its write-ahead log was renamed, replaced or deleted while it was open",
            path: path)
    }

    /// Returns the error for the use of a closed database.
    static func closed(path: String?, sql: String? = nil) -> SQLiteError {
        SQLiteError(.closed, message: "the database is closed", path: path, sql: sql)
    }

    /// Returns the error for a file system that does not support a write-ahead log.
    static func noWriteAheadLog(path: String?) -> SQLiteError {
        SQLiteError(.noWriteAheadLog, message: "the database cannot have a write-ahead log", path: path)
    }
}

extension SQLiteError.Code {
    /// Creates the code for a primary or extended result code of SQLite.
    init(resultCode: Int32) {
        self =
            switch resultCode & 0xff {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .locked
            case SQLITE_FULL: .full
            case SQLITE_READONLY: .readOnly
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_CORRUPT: .corrupt
            case SQLITE_CANTOPEN, SQLITE_PERM: .cannotOpen
            case SQLITE_CONSTRAINT: .constraint
            case SQLITE_IOERR: .ioFailure
            case SQLITE_TOOBIG: .tooBig
            case SQLITE_INTERRUPT: .interrupted
            // The library's statements are valid for its own tables. `SQLITE_ERROR` therefore means that the file has
            // different tables.
            case SQLITE_ERROR: .structure
            default: .other
            }
    }
}
