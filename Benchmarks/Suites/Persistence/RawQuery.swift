import CDifferentialSyncSQLite
import SyncPersistence

/// A query of tasks by a statement that stays prepared: the least that an app does with the best plan of SQLite.
struct RawQuery {
    private let database: RawDatabase
    private let statement: OpaquePointer?

    /// A row as an app reads it.
    struct Task {
        let id: Int64
        let name: String
        let status: Int64
        let project: Int64
        let rank: Int64
    }

    init(path: String, sql: String) {
        database = RawDatabase(path: path)
        statement = database.prepare(sql)
    }

    /// Reads the rows that match several times in one transaction, and returns how many there were.
    func run(_ parameters: [Value], times: Int) -> Int {
        database.execute("BEGIN")
        defer { database.execute("COMMIT") }
        return (0..<times).reduce(0) { count, _ in count + run(parameters).count }
    }

    private func run(_ parameters: [Value]) -> [Task] {
        for (index, value) in parameters.enumerated() { database.bind(value, to: statement, at: Int32(index + 1)) }
        var tasks: [Task] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            tasks.append(
                Task(
                    id: sqlite3_column_int64(statement, 0),
                    name: String(cString: sqlite3_column_text(statement, 1)),
                    status: sqlite3_column_int64(statement, 2), project: sqlite3_column_int64(statement, 3),
                    rank: sqlite3_column_int64(statement, 4)))
        }
        sqlite3_reset(statement)
        return tasks
    }
}
