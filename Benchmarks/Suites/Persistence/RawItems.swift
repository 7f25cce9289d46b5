import CDifferentialSyncSQLite
import SyncPersistence

/// The same tables through SQLite's own functions, with the same settings: the least that a library on top can cost.
struct RawItems {
    let database: RawDatabase
    private let upsert: OpaquePointer?
    private let scan: OpaquePointer?
    let digests: OpaquePointer?
    let lookup: OpaquePointer?

    init(path: String) {
        database = RawDatabase(path: path)
        upsert = database.prepare(
            """
            INSERT INTO "Item" ("sync.digest", "id", "payload", "title", "revision") VALUES (?, ?, ?, ?, ?)
            ON CONFLICT ("id") DO UPDATE SET "sync.digest" = excluded."sync.digest", "payload" = excluded."payload",
            "title" = excluded."title", "revision" = excluded."revision"
            """)
        scan = database.prepare("SELECT \"id\", \"payload\", \"title\", \"revision\" FROM \"Item\"")
        lookup = database.prepare("SELECT \"payload\", \"title\", \"revision\" FROM \"Item\" WHERE \"id\" = ?")
        digests = database.prepare("SELECT \"id\", \"sync.digest\" FROM \"Item\"")
    }

    /// Stores records in one transaction, whether they are new or not.
    func store(_ records: [Record]) { database.store(records) { _ in upsert } }

    /// Steps through all rows and reads each column where SQLite has it.
    func readAll() -> Int {
        var sum = 0
        database.execute("BEGIN")
        while sqlite3_step(scan) == SQLITE_ROW {
            for column in Int32(0)..<3 {
                sum &+= sqlite3_column_text(scan, column).map { Int($0[0]) } ?? 0
                sum &+= Int(sqlite3_column_bytes(scan, column))
            }
            sum &+= Int(sqlite3_column_int64(scan, 3))
        }
        sqlite3_reset(scan)
        database.execute("COMMIT")
        return sum
    }

    /// What the digests of the file's records start from.
    func digestSeed() throws -> UInt64 {
        let statement = database.prepare("SELECT value FROM \"sync.layout\" WHERE name = 'digestSeed'")
        defer { sqlite3_finalize(statement) }
        precondition(sqlite3_step(statement) == SQLITE_ROW)
        return UInt64(String(cString: sqlite3_column_text(statement, 0)))!
    }
}
