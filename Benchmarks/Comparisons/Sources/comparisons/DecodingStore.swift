import BenchmarkSupport
import Foundation
import GRDB
import SyncPersistence

/// What an app does without this library: `JSONDecoder` makes structs, which are compared with the rows of a file of GRDB's.
struct DecodingStore {
    /// How rows are compared and written.
    enum Style: String, CaseIterable {
        /// All rows are read at once, and statements are prepared once: of what one can write with GRDB, the faster.
        case statements = "JSONDecoder + GRDB"
        /// Each row is fetched, and written, by the methods of records.
        case records = "JSONDecoder + GRDB, row by row"
    }

    private let folder = TemporaryFolder()
    private let pool: DatabasePool
    private let style: Style
    private let decoder = JSONDecoder()

    init(_ payload: Data? = nil, style: Style) {
        let pool = DatabasePool.open(path: "\(folder.path)/items.sqlite")
        self.pool = pool
        self.style = style
        // What `.iso8601` does takes as long, and `ISO8601DateFormatter` twenty times as long.
        let dates = Date.ISO8601FormatStyle()
        decoder.dateDecodingStrategy = .custom { try dates.parse($0.singleValueContainer().decode(String.self)) }
        unfailing { try pool.write(DecodingStore.createTables) }
        if let payload { sync(payload) }
    }

    private static func createTables(_ database: Database) throws {
        try database.create(table: DecodedItem.databaseTableName) { table in
            table.primaryKey("id", .text)
            table.column("title", .text)
            table.column("createdAt", .double)
            table.column("revision", .integer)
            table.column("price", .double)
            table.column("isActive", .boolean)
            table.column("owner", .text)
            table.column("email", .text)
            table.column("latitude", .double)
            table.column("longitude", .double)
            table.column("position", .integer)
            table.column("country", .text)
            table.column("note", .text)
        }
        try database.create(table: StoredChild.databaseTableName) { table in
            table.primaryKey("id", .integer)
            table.column("text", .text)
            table.column("position", .integer)
            table.column("isDone", .boolean)
            table.column("item", .text).indexed().references("item", onDelete: .cascade)
        }
    }

    /// Makes the rows those of a payload, in one transaction; answers how many it has changed.
    @discardableResult
    func sync(_ payload: Data) -> Int {
        unfailing {
            let items = try decoder.decode([DecodedItem].self, from: payload)
            return try pool.write { database in
                let before = database.totalChangesCount
                try store(items, in: database)
                if items.contains(where: { $0.children != nil }) {
                    let children = items.lazy.flatMap { item in
                        (item.children ?? []).lazy.map { StoredChild($0, in: item.id) }
                    }
                    try store(children, in: database)
                }
                return database.totalChangesCount - before
            }
        }
    }

    private func store<Stored: StoredRow>(_ rows: some Sequence<Stored>, in database: Database) throws {
        switch style {
        case .statements: try database.reconcile(rows)
        case .records: try database.reconcileRowByRow(rows)
        }
    }
}

extension DecodingStore {
    /// What it holds.
    var tally: RowTally {
        unfailing {
            try pool.read { database in
                var tally = RowTally()
                try DecodingStore.add(DecodedItem.self, of: database, to: &tally, as: "Item")
                try DecodingStore.add(StoredChild.self, of: database, to: &tally, as: "Child")
                return tally
            }
        }
    }

    private static func add<Stored: StoredRow>(
        _ type: Stored.Type, of database: Database, to tally: inout RowTally, as table: String
    ) throws {
        let rows = try GRDB.Row.fetchCursor(database, sql: Stored.selection)
        while let row = try rows.next() {
            let values = row.map { _, value -> Value in
                switch value.storage {
                case .null: .null
                case .int64(let number): .integer(number)
                case .double(let number): .double(number)
                case .string(let text): .string(text)
                case .blob: preconditionFailure("there are no bytes in the tables")
                }
            }
            tally.add(values, to: table)
        }
    }
}
