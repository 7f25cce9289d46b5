/// An error of SQLite, or of this library's use of it.
///
/// The description contains the failure, its place and a remedy:
///
/// ```
/// database is locked (SQLite 5), at '/data/notes.db', in 'BEGIN IMMEDIATE': another connection is writing; try again,
/// or allow it a longer busy timeout
/// ```
///
/// Callers of a store receive it as a `PersistenceError`. Stored values do not appear in it, because statements contain
/// parameters instead.
struct SQLiteError: Error, Hashable {
    /// The kind of the failure.
    let code: Code

    /// SQLite's extended result code; 0 for an error that SQLite did not report.
    let extendedCode: Int32

    /// The failure in words, which are SQLite's own if SQLite reported it.
    let message: String

    /// The path of the database; nil for a database in memory.
    let path: String?

    /// The statement that failed, with parameters instead of values.
    let sql: String?

    /// Creates an error; the SQL is that of the statement that has failed.
    init(_ code: Code, extendedCode: Int32 = 0, message: String, path: String?, sql: String? = nil) {
        self.code = code
        self.extendedCode = extendedCode
        self.message = message
        self.path = path
        self.sql = sql
    }
}

extension SQLiteError {
    /// The kinds of failure.
    enum Code: String, Hashable, Sendable {
        /// Another connection holds a required lock.
        case locked
        /// The disk is full, or the database has reached its maximum size.
        case full
        /// The file, its folder or the connection is read-only.
        case readOnly
        /// The file is not an SQLite database.
        case notADatabase
        /// The SQLite database is damaged.
        case corrupt
        /// The file cannot be opened: its folder or a permission is missing, or the path names no regular file.
        case cannotOpen
        /// The file was written by a later version of this library.
        case newerFormat
        /// The file is an SQLite database of another program.
        case foreignFile
        /// The file system does not support a write-ahead log.
        case noWriteAheadLog
        /// The tables differ from those that the library created.
        case structure
        /// The file was renamed, replaced or deleted while it was open.
        case movedFile
        /// A write violates a constraint of the schema.
        case constraint
        /// The disk or the file system failed.
        case ioFailure
        /// A value or a statement exceeds a limit of SQLite.
        case tooBig
        /// A floating-point value is NaN, which SQLite would store as NULL.
        case notANumber
        /// The statement was interrupted.
        case interrupted
        /// The database is already closed.
        case closed
        /// Any other failure; see `SQLiteError.extendedCode`.
        case other
    }
}
