public import SyncPersistence

extension PersistenceError.Code {
    /// The file cannot be opened: a folder or a permission is missing, or it is no file.
    public static let cannotOpen = PersistenceError.Code("cannotOpen")
    /// The file is not an SQLite database.
    public static let notADatabase = PersistenceError.Code("notADatabase")
    /// The file is an SQLite database of another program.
    public static let foreignFile = PersistenceError.Code("foreignFile")
    /// The file is of a later version of this library.
    public static let newerFormat = PersistenceError.Code("newerFormat")
    /// The file is where a write-ahead log is not possible.
    public static let noWriteAheadLog = PersistenceError.Code("noWriteAheadLog")
    /// What was to be written breaks a constraint that another program has added to the file.
    public static let constraint = PersistenceError.Code("constraint")
    /// A value or a statement is larger than SQLite allows.
    public static let tooBig = PersistenceError.Code("tooBig")
}

extension PersistenceError {
    /// The error of a store whose file has failed with an error of SQLite.
    init(_ error: SQLiteError, id: RecordID? = nil) {
        let code: Code =
            switch error.code {
            case .corrupt, .structure: .unreadable
            default: Code(error.code.description)
            }
        self.init(code, error.detail() + ": " + error.remedy, id: id, path: error.path)
    }
}

extension Connection {
    /// Runs a body whose errors name the file and the record that it is about, and are those of every store.
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
    /// Returns an error of a store's operation as callers of the store see it.
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
