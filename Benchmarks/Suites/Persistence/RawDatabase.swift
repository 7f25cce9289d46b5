import CDifferentialSyncSQLite
import Foundation
import SyncPersistence

/// The file of a store through SQLite's own functions, with the settings of this library.
final class RawDatabase {
    private var handle: OpaquePointer?

    init(path: String) {
        check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
        for pragma in ["journal_mode = WAL", "synchronous = FULL", "cache_size = -16000", "foreign_keys = ON"] {
            execute("PRAGMA \(pragma)")
        }
    }

    deinit {
        while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    func execute(_ sql: String) { check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    /// A statement, which is the database's.
    func prepare(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        return statement
    }

    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, String(cString: sqlite3_errmsg(handle)))
    }
}

extension RawDatabase {
    /// Writes records in one transaction, with a number where the digest stands.
    ///
    /// - Parameter statement: The one that takes the number and the values of a record.
    func store(_ records: [Record], by statement: (Record) -> OpaquePointer?) {
        execute("BEGIN IMMEDIATE")
        for (position, record) in records.enumerated() {
            let statement = statement(record)
            sqlite3_bind_int64(statement, 1, Int64(position))
            for (index, value) in record.values.enumerated() { bind(value, to: statement, at: Int32(index + 2)) }
            precondition(sqlite3_step(statement) == SQLITE_DONE)
            sqlite3_reset(statement)
        }
        execute("COMMIT")
    }

    /// Binds a value to a parameter.
    func bind(_ value: Value, to statement: OpaquePointer?, at index: Int32) {
        switch value {
        case .string(var text):
            text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { bytes in
                    _ = sqlite3_bind_text(
                        statement, index, bytes.baseAddress, Int32(bytes.count), differential_sync_sqlite_transient())
                }
            }
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .double(let number): sqlite3_bind_double(statement, index, number)
        case .date(let date): sqlite3_bind_double(statement, index, date.timeIntervalSinceReferenceDate)
        case .bool(let flag): sqlite3_bind_int64(statement, index, flag ? 1 : 0)
        case .null: sqlite3_bind_null(statement, index)
        default: preconditionFailure("the records hold text, numbers, dates and truth values")
        }
    }
}
