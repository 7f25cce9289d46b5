import CDifferentialSyncSQLite
import SyncPersistence

/// Authors and posts, inserted into the tables of a store through SQLite's own functions.
final class RawDownload {
    private var database: OpaquePointer?
    private var author: OpaquePointer?
    private var post: OpaquePointer?

    init(path: String) {
        check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
        for pragma in ["journal_mode = WAL", "synchronous = FULL", "cache_size = -16000", "foreign_keys = ON"] {
            execute("PRAGMA \(pragma)")
        }
        author = prepare("INSERT INTO \"Author\" (\"sync.digest\", \"id\", \"name\") VALUES (?, ?, ?)")
        post = prepare(
            """
            INSERT INTO "Post" ("sync.digest", "id", "payload", "revision", "author") VALUES (?, ?, ?, ?, ?)
            """)
    }

    deinit {
        for statement in [author, post] { sqlite3_finalize(statement) }
        sqlite3_close(database)
    }

    /// Inserts the records in one transaction, with a number where the digest stands.
    func store(_ records: [Record]) {
        execute("BEGIN IMMEDIATE")
        for (position, record) in records.enumerated() {
            let statement = record.values.count == 2 ? author : post
            sqlite3_bind_int64(statement, 1, Int64(position))
            for (index, value) in record.values.enumerated() { bind(value, to: statement, at: Int32(index + 2)) }
            precondition(sqlite3_step(statement) == SQLITE_DONE)
            sqlite3_reset(statement)
        }
        execute("COMMIT")
    }

    private func bind(_ value: Value, to statement: OpaquePointer?, at index: Int32) {
        switch value {
        case .string(var text):
            text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { bytes in
                    _ = sqlite3_bind_text(
                        statement, index, bytes.baseAddress, Int32(bytes.count), differential_sync_sqlite_transient())
                }
            }
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        default: preconditionFailure("authors and posts hold text and integers")
        }
    }

    private func execute(_ sql: String) { check(sqlite3_exec(database, sql, nil, nil, nil)) }

    private func prepare(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        return statement
    }

    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, String(cString: sqlite3_errmsg(database)))
    }
}
