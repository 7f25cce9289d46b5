import CDifferentialSyncSQLite

/// A program that opens a store's file with SQLite alone.
final class OtherProgram {
    private let handle: OpaquePointer

    /// Opens an existing file.
    init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Failure(code: code, message: "\(path) cannot be opened")
        }
        self.handle = handle
    }

    deinit { sqlite3_close_v2(handle) }

    /// An error of SQLite.
    struct Failure: Error {
        let code: Int32
        let message: String
    }
}

extension OtherProgram {
    /// Runs statements without results.
    func run(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw failure(code) }
    }

    /// Returns the texts of a query's first column.
    func texts(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        if code != SQLITE_OK { throw failure(code) }
        var texts: [String] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
            case SQLITE_DONE: return texts
            case let code: throw failure(code)
            }
        }
    }

    private func failure(_ code: Int32) -> Failure {
        Failure(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }
}
