import CDifferentialSyncSQLite
import SyncPersistence

/// A query of tasks by a statement that stays prepared: the same records by the best plan of SQLite.
struct RawQuery {
    private let database: RawDatabase
    private let statement: OpaquePointer?
    private let shape: Shape

    init(path: String, sql: String, shape: Shape) {
        database = RawDatabase(path: path)
        statement = database.prepare(sql)
        self.shape = shape
    }

    /// Reads the records that match several times in one transaction, and returns how many there were.
    func run(_ parameters: [Value], times: Int) -> Int {
        database.execute("BEGIN")
        defer { database.execute("COMMIT") }
        return (0..<times).reduce(0) { count, _ in count + run(parameters).count }
    }

    private func run(_ parameters: [Value]) -> [Record] {
        for (index, value) in parameters.enumerated() { database.bind(value, to: statement, at: Int32(index + 1)) }
        var records: [Record] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            records.append(
                Record(
                    shape,
                    slots: [
                        .integer(sqlite3_column_int64(statement, 0)),
                        .string(String(cString: sqlite3_column_text(statement, 1))),
                        .integer(sqlite3_column_int64(statement, 2)), .integer(sqlite3_column_int64(statement, 3)),
                        .integer(sqlite3_column_int64(statement, 4)),
                    ]))
        }
        sqlite3_reset(statement)
        return records
    }
}
