import CDifferentialSyncSQLite
import Testing

@testable import SQLitePersistence

extension Connection {
    /// An empty database in memory.
    static func inMemory() throws -> Connection { try open(.memory) }

    /// The one integer that a query gives.
    func integer(_ sql: String) throws -> Int64 {
        try withStatement(sql) { statement throws in
            try #require(try statement.step())
            return statement.int64(at: 0)
        }
    }

    /// Whether there is nothing in the database, not even an empty table.
    var isEmpty: Bool { get throws { try integer("SELECT EXISTS (SELECT 1 FROM sqlite_master)") == 0 } }

    /// The numbers in the file that tell whose it is, and the version of its format.
    var formatNumbers: [Int64] {
        get throws { [try integer("PRAGMA application_id"), try integer("PRAGMA user_version")] }
    }

    /// Lowers a limit of SQLite, such as `SQLITE_LIMIT_LENGTH`.
    func setLimit(_ category: Int32, to value: Int32) throws { _ = sqlite3_limit(try openHandle, category, value) }

    /// The texts of a query's first column.
    func texts(_ sql: String) throws -> [String] {
        try withStatement(sql) { statement throws in
            var texts: [String] = []
            while try statement.step() { texts.append(statement.text(at: 0)) }
            return texts
        }
    }
}

extension Statement {
    /// The number of columns of a row.
    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// Returns the name of a column; nil if there is none.
    func columnName(at index: Int) -> String? {
        sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) }
    }

    /// Whether a column, as text, has the same bytes as a string.
    func isText(_ text: String, at index: Int) -> Bool {
        withOptionalUTF8(at: index) { $0.map { text.hasUTF8($0) } ?? false }
    }
}

/// The error of SQLite that the body throws.
func sqliteError(_ body: () throws -> Void) -> SQLiteError? {
    do {
        try body()
        return nil
    } catch {
        return error as? SQLiteError
    }
}
