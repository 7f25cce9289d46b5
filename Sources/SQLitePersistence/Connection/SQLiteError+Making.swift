import CDifferentialSyncSQLite

extension SQLiteError {
    /// The error that a result code of SQLite stands for; the message is SQLite's general one unless another is given.
    init(resultCode: Int32, message: String? = nil, path: String?, sql: String? = nil) {
        self.init(
            Code(resultCode: resultCode), extendedCode: resultCode,
            message: message ?? String(cString: sqlite3_errstr(resultCode)), path: path, sql: sql)
    }

    /// The file's format is of a later version of this library than the one that reads it.
    static func newerFormat(_ found: Int, supported: Int, path: String?) -> SQLiteError {
        SQLiteError(
            .newerFormat, message: "the database has format \(found), and the latest one known here is \(supported)",
            path: path)
    }

    /// The file is an SQLite database that another program made.
    static func foreignFile(path: String?) -> SQLiteError {
        SQLiteError(.foreignFile, message: "the database belongs to another program", path: path)
    }

    /// The file was renamed, replaced or deleted while it was open.
    static func movedFile(path: String?) -> SQLiteError {
        SQLiteError(
            .movedFile, message: "the file or its write-ahead log was renamed, replaced or deleted while it was open",
            path: path)
    }

    /// The database was closed before.
    static func closed(path: String?, sql: String? = nil) -> SQLiteError {
        SQLiteError(.closed, message: "the database is closed", path: path, sql: sql)
    }

    /// The file is where a write-ahead log is not possible.
    static func noWriteAheadLog(path: String?) -> SQLiteError {
        SQLiteError(.noWriteAheadLog, message: "the database cannot have a write-ahead log", path: path)
    }
}

extension SQLiteError.Code {
    /// The code for a result code of SQLite, extended or not.
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
            // Statements are right for the tables that the library makes: those of the file are others.
            case SQLITE_ERROR: .structure
            default: .other
            }
    }
}
