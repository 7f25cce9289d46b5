import CDifferentialSyncSQLite
import SyncPersistence

/// The same tables through SQLite's own functions, with the same settings: the least that a library on top can cost.
final class RawItems {
    private var database: OpaquePointer?
    private var upsert: OpaquePointer?
    private var scan: OpaquePointer?
    var digests: OpaquePointer?
    var lookup: OpaquePointer?

    init(path: String) {
        check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
        for pragma in ["journal_mode = WAL", "synchronous = FULL", "cache_size = -16000", "foreign_keys = ON"] {
            execute("PRAGMA \(pragma)")
        }
        upsert = prepare(
            """
            INSERT INTO "Item" ("sync.digest", "id", "payload", "title", "revision") VALUES (?, ?, ?, ?, ?)
            ON CONFLICT ("id") DO UPDATE SET "sync.digest" = excluded."sync.digest", "payload" = excluded."payload",
            "title" = excluded."title", "revision" = excluded."revision"
            """)
        scan = prepare("SELECT \"id\", \"payload\", \"title\", \"revision\" FROM \"Item\"")
        lookup = prepare("SELECT \"payload\", \"title\", \"revision\" FROM \"Item\" WHERE \"id\" = ?")
        digests = prepare("SELECT \"id\", \"sync.digest\" FROM \"Item\"")
    }

    deinit {
        for statement in [upsert, scan, digests, lookup] { sqlite3_finalize(statement) }
        sqlite3_close(database)
    }

    /// Stores records in one transaction, whether they are new or not.
    func store(_ records: [Record]) {
        execute("BEGIN IMMEDIATE")
        for (position, record) in records.enumerated() {
            sqlite3_bind_int64(upsert, 1, Int64(position))
            for (index, value) in record.values.enumerated() {
                switch value {
                case .string(var text):
                    text.withUTF8 { utf8 in
                        utf8.withMemoryRebound(to: CChar.self) { bytes in
                            _ = sqlite3_bind_text(
                                upsert, Int32(index + 2), bytes.baseAddress, Int32(bytes.count),
                                differential_sync_sqlite_transient())
                        }
                    }
                case .integer(let number): sqlite3_bind_int64(upsert, Int32(index + 2), number)
                default: preconditionFailure("items hold text and integers")
                }
            }
            precondition(sqlite3_step(upsert) == SQLITE_DONE)
            sqlite3_reset(upsert)
        }
        execute("COMMIT")
    }

    /// Steps through all rows and reads each column where SQLite has it.
    func readAll() -> Int {
        var sum = 0
        execute("BEGIN")
        while sqlite3_step(scan) == SQLITE_ROW {
            for column in Int32(0)..<3 {
                sum &+= sqlite3_column_text(scan, column).map { Int($0[0]) } ?? 0
                sum &+= Int(sqlite3_column_bytes(scan, column))
            }
            sum &+= Int(sqlite3_column_int64(scan, 3))
        }
        sqlite3_reset(scan)
        execute("COMMIT")
        return sum
    }

    /// What the digests of the file's records start from.
    func digestSeed() throws -> UInt64 {
        let statement = prepare("SELECT value FROM \"sync.layout\" WHERE name = 'digestSeed'")
        defer { sqlite3_finalize(statement) }
        precondition(sqlite3_step(statement) == SQLITE_ROW)
        return UInt64(String(cString: sqlite3_column_text(statement, 0)))!
    }

    func execute(_ sql: String) { check(sqlite3_exec(database, sql, nil, nil, nil)) }

    func prepare(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        return statement
    }

    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, String(cString: sqlite3_errmsg(database)))
    }
}
