public import SyncPersistence

extension PersistenceError.Code {
    /// The file cannot be opened: its folder or a permission is missing, or the path names no regular file.
    public static let cannotOpen = PersistenceError.Code("cannotOpen")
    /// The file is not an SQLite database.
    public static let notADatabase = PersistenceError.Code("notADatabase")
    /// The file is an SQLite database of another program.
    public static let foreignFile = PersistenceError.Code("foreignFile")
    /// The file was written by a later version of this library.
    public static let newerFormat = PersistenceError.Code("newerFormat")
    /// The file system does not support a write-ahead log.
    public static let noWriteAheadLog = PersistenceError.Code("noWriteAheadLog")
    /// A write violates a constraint that another program added to the file.
    public static let constraint = PersistenceError.Code("constraint")
    /// A value or a statement exceeds a limit of SQLite.
    public static let tooBig = PersistenceError.Code("tooBig")
}

extension PersistenceError {
    /// Creates the error that a store reports for an SQLite error.
    init(_ error: SQLiteError, id: RecordID? = nil) {
        let code: Code =
            switch error.code {
            case .corrupt, .structure: .unreadable
            default: Code(error.code.rawValue)
            }
        self.init(code, error.detail() + ": " + error.remedy, id: id, path: error.path)
    }
}

extension Connection {
    /// Runs the body, and converts its errors to those of a store.
    ///
    /// They name the file and the given record.
    @inline(__always)
    func reporting<Result>(
        _ id: @autoclosure () -> RecordID? = nil, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            throw SQLiteError.reported(error, id: id(), path: location.path)
        }
    }
}

extension SQLiteError {
    /// Returns an error as callers of the store see it.
    @inline(never)
    static func reported(_ error: any Error, id: RecordID? = nil, path: String?) -> any Error {
        switch error {
        case let error as SQLiteError: PersistenceError(error, id: id)
        case let error as PersistenceError where [.unreadable, .readOnly].contains(error.code):
            error.about(id, path: path)
        default: error
        }
    }
}
