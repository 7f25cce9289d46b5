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

    /// The texts of a query's first column.
    func texts(_ sql: String) throws -> [String] {
        try withStatement(sql) { statement throws in
            var texts: [String] = []
            while try statement.step() { texts.append(statement.text(at: 0)) }
            return texts
        }
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
