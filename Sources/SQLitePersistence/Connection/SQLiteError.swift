/// Why SQLite could not do what it was asked to.
///
/// The description says what, where, and what to do about it:
///
/// ```
/// database is locked (SQLite 5), at '/data/notes.db', in 'BEGIN IMMEDIATE': another connection is writing; try again,
/// or allow it a longer busy timeout
/// ```
///
/// Callers of a store see it as a `PersistenceError`. Values that were to be stored or looked up do not appear in it, as statements have parameters in their place.
struct SQLiteError: Error, Hashable {
    /// What kind of failure it is, for programs that act on it.
    let code: Code

    /// SQLite's own result code, in its extended form; 0 where it was not SQLite that failed.
    let extendedCode: Int32

    /// What happened, in SQLite's own words where it was SQLite that failed.
    let message: String

    /// The path of the database; nil for one in memory.
    let path: String?

    /// The statement that failed, with parameters in the place of values.
    let sql: String?

    init(_ code: Code, extendedCode: Int32 = 0, message: String, path: String?, sql: String? = nil) {
        self.code = code
        self.extendedCode = extendedCode
        self.message = message
        self.path = path
        self.sql = sql
    }
}

extension SQLiteError {
    /// What kind of failure it is.
    struct Code: Hashable, Sendable {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// Another connection holds the lock that is needed.
        static let locked = Code("locked")
        /// The disk is full, or the database is as large as it may be.
        static let full = Code("full")
        /// The file, its folder or the connection is for reading only.
        static let readOnly = Code("readOnly")
        /// The file is of another format than SQLite's.
        static let notADatabase = Code("notADatabase")
        /// The file is an SQLite database that is damaged.
        static let corrupt = Code("corrupt")
        /// The file cannot be opened: a folder or a permission is missing, or it is no file.
        static let cannotOpen = Code("cannotOpen")
        /// The file is of a later version of this library.
        static let newerFormat = Code("newerFormat")
        /// The file is an SQLite database of another program.
        static let foreignFile = Code("foreignFile")
        /// The file is where a write-ahead log is not possible.
        static let noWriteAheadLog = Code("noWriteAheadLog")
        /// The tables of the database are not those that the library has made.
        static let structure = Code("structure")
        /// The file was renamed, replaced or deleted while it was open.
        static let movedFile = Code("movedFile")
        /// What was to be written breaks a constraint of the schema.
        static let constraint = Code("constraint")
        /// The disk or the file system failed.
        static let ioFailure = Code("ioFailure")
        /// A value or a statement is larger than SQLite allows.
        static let tooBig = Code("tooBig")
        /// A floating-point value is not a number, for which SQLite would store NULL.
        static let notANumber = Code("notANumber")
        /// The work was interrupted.
        static let interrupted = Code("interrupted")
        /// The database was closed before.
        static let closed = Code("closed")
        /// Anything else; ``SQLiteError/extendedCode`` tells what.
        static let other = Code("other")
    }
}

extension SQLiteError.Code: CustomStringConvertible {
    /// The name of the code's static member.
    var description: String { name }
}
