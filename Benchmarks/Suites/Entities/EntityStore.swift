import BenchmarkSupport
import CDifferentialSyncSQLite
import EntitySync
import Foundation
import SQLitePersistence
import SyncPersistence

/// A store of what a ``JSONPayload`` holds, in a file of its own.
final class EntityStore {
    static let schema = unfailing {
        try Schema {
            Entity("Item") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("createdAt", .date)
                Attribute("revision", .integer)
                Attribute("price", .double)
                Attribute("isActive", .bool)
                Attribute("owner", .string)
                Attribute("email", .string)
                Attribute("latitude", .double)
                Attribute("longitude", .double)
                Attribute("position", .integer)
                Attribute("country", .string)
                Attribute("note", .string)
                Relationship("children", toMany: "Child", inverse: "item", deleteRule: .cascade)
            }
            Entity("Child") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Attribute("position", .integer)
                Attribute("isDone", .bool)
                Relationship("item", to: "Item", inverse: "children")
            }
        }
    }

    let path: String
    private let folder: URL
    let adapter: SQLiteAdapter

    init(_ payload: Data? = nil, schema: Schema = EntityStore.schema) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("diffsync-\(UUID().uuidString)")
        let path = folder.appendingPathComponent("items.sqlite").path
        self.path = path
        let folder = folder
        adapter = unfailing {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return try blocking { try await SQLiteAdapter.open(at: path, schema: schema) }
        }
        if let payload { sync(payload) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Syncs a payload; answers how many records it has changed.
    @discardableResult
    func sync(_ payload: Data, into entity: String = "Item", operations: SyncOperations = .all) -> Int {
        let adapter = adapter
        return unfailing {
            try blocking { try await adapter.sync(payload, into: entity, operations: operations) }
        }.changes.values
            .reduce(0) { $0 + $1.count }
    }

    /// Syncs the payload of a file.
    func sync(file: String) -> Int {
        let adapter = adapter
        return unfailing { try blocking { try await adapter.sync(contentsOfFile: file, into: "Item") } }.changes.values
            .reduce(0) { $0 + $1.count }
    }

    /// All items as JSON.
    func export() -> [UInt8] {
        let adapter = adapter
        return unfailing { try blocking { try await adapter.exportJSON("Item") } }
    }

    /// All items as a value.
    func exportedValue() -> Value {
        let adapter = adapter
        return unfailing { try blocking { try await adapter.export("Item") } }
    }

    /// Reads all records; answers how many there are.
    func readAll() -> Int {
        let adapter = adapter
        return unfailing {
            try blocking {
                try await adapter.read { transaction in
                    var count = 0
                    for entity in ["Item", "Child"] {
                        try transaction.forEach(Query(entity)) { record in
                            count += record.values.count
                            return true
                        }
                    }
                    return count
                }
            }
        }
    }

    /// All records.
    func records() -> [Record] {
        let adapter = adapter
        return unfailing {
            try blocking {
                try await adapter.read { try $0.records(Query("Item")) + $0.records(Query("Child")) }
            }
        }
    }

    func close() {
        let adapter = adapter
        unfailing { try blocking { await adapter.close() } }
    }
}

/// The same tables through SQLite's own functions: the least that an import can cost.
final class RawEntities {
    private var database: OpaquePointer?
    private var items: OpaquePointer?
    private var children: OpaquePointer?

    init(path: String) {
        check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
        for pragma in ["journal_mode = WAL", "synchronous = FULL", "cache_size = -16000", "foreign_keys = ON"] {
            execute("PRAGMA \(pragma)")
        }
        items = prepare("Item", EntityStore.schema["Item"]!)
        children = prepare("Child", EntityStore.schema["Child"]!)
    }

    deinit {
        sqlite3_finalize(items)
        sqlite3_finalize(children)
        sqlite3_close(database)
    }

    /// Stores new records in one transaction.
    func store(_ records: [Record]) {
        execute("BEGIN IMMEDIATE")
        for (position, record) in records.enumerated() {
            let statement = record.entity == "Item" ? items : children
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
        case .double(let number): sqlite3_bind_double(statement, index, number)
        case .date(let date): sqlite3_bind_double(statement, index, date.timeIntervalSinceReferenceDate)
        case .bool(let flag): sqlite3_bind_int64(statement, index, flag ? 1 : 0)
        case .null: sqlite3_bind_null(statement, index)
        default: preconditionFailure("items hold text, numbers, dates and truth values")
        }
    }

    private func execute(_ sql: String) { check(sqlite3_exec(database, sql, nil, nil, nil)) }

    private func prepare(_ table: String, _ shape: Shape) -> OpaquePointer? {
        let columns = ["sync.digest"] + shape.slots.map(\.name)
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        var statement: OpaquePointer?
        check(
            sqlite3_prepare_v2(database, "INSERT INTO \"\(table)\" (\(names)) VALUES (\(places))", -1, &statement, nil))
        return statement
    }

    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, String(cString: sqlite3_errmsg(database)))
    }
}
