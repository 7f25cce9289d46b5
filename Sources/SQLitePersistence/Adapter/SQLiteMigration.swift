import CDifferentialSyncSQLite
import SyncPersistence

/// The statements that change a file's tables from one schema to another, within a transaction.
struct SQLiteMigration: TableMigration {
    typealias EntityTable = Table

    /// The connection whose transaction changes the tables.
    let connection: Connection

    /// The first version of SQLite that can drop columns.
    private static let droppingVersion: Int32 = 3_035_000

    /// Throws if SQLite is too old for steps that drop, convert or fill.
    func requireDropping() throws {
        guard sqlite3_libversion_number() >= Self.droppingVersion else {
            throw PersistenceError(
                .schemaChange,
                "migration steps need SQLite 3.35 or later, and this is \(String(cString: sqlite3_libversion())): keep the "
                    + "older schema on this system")
        }
    }
}

extension SQLiteMigration {
    func forEachAccount(of layout: Layout, _ body: (Int) throws -> Void) throws { try body(0) }

    func withStorage<Result>(of layout: Layout, _ body: (any RecordStorage) throws -> Result) throws -> Result {
        let storage = SQLiteStorage(connection, layout)
        return try storage.finish { try body(storage) }
    }

    /// Forgets the statements on changed tables, which are prepared again.
    ///
    /// A change without steps need not forget any, because the storage of another layout has statements of its own.
    func forgetStatements() { connection.cache.tables = nil }

    func execute(_ sql: String) throws { try connection.execute(sql) }

    func run(_ sql: String, _ parameters: [String]) throws {
        try connection.withStatement(sql) { statement in
            for (position, text) in parameters.enumerated() { try statement.bind(text, at: position + 1) }
            try statement.run()
        }
    }

    func parameter(_ number: Int) -> String { "?" }

    func create(_ table: Table, in layout: Layout) throws {
        for statement in table.definition(in: layout) { try execute(statement) }
    }

    func addColumn(_ position: Int, to table: Table, in layout: Layout) throws {
        try execute("ALTER TABLE \(table.name) ADD COLUMN \(table.columnDefinition(position, in: layout))")
    }

    func renameColumn(_ position: Int, of table: Table, to name: String) throws {
        try execute("ALTER TABLE \(table.name) RENAME COLUMN \(table.columns[position].name) TO \(name)")
    }

    func addEntityColumn(to table: Table) throws -> Bool {
        let hasColumn = try connection.withStatement("SELECT 1 FROM pragma_table_info(?) WHERE name = 'sync.entity'") {
            statement in
            try statement.bind(table.plainName, at: 1)
            return try statement.step()
        }
        if hasColumn { return false }
        try execute("ALTER TABLE \(table.name) ADD COLUMN \(quoted("sync.entity")) TEXT NOT NULL DEFAULT ''")
        return true
    }

    func setDefault(of slot: HierarchySlot, in column: Int, of table: Table) throws {
        var sql = "UPDATE \(table.name) SET \(table.columns[column].name) = ?"
        let entities = table.hasEntity ? slot.positions.keys.sorted() : []
        if table.hasEntity {
            sql += " WHERE \(quoted("sync.entity")) IN (\(entities.map { _ in "?" }.joined(separator: ", ")))"
        }
        try connection.withStatement(sql) { statement in
            try statement.bind(slot.slot.defaultValue, as: table.columns[column].type, at: 1)
            for (position, entity) in entities.enumerated() { try statement.bind(entity, at: position + 2) }
            try statement.run()
        }
    }

    func storeDigests(in table: Table, seed: UInt64) throws {
        let rows = TableAccess(table, journal: nil, on: connection, digestSeed: seed)
        let update = "UPDATE \(table.name) SET \(quoted("sync.digest")) = ? WHERE \(quoted("sync.row")) = ?"
        try connection.withStatement("SELECT \(table.sql.selection) FROM \(table.name)") { statement in
            try connection.withStatement(update) { update in
                while try statement.step() {
                    let digest = try rows.read(statement).digest(seed: seed)
                    try update.bind(Int64(bitPattern: digest), at: 1)
                    try update.bind(statement.int64(at: 0), at: 2)
                    try update.run()
                }
            }
        }
    }

    func changeRows(
        of table: Table, as new: Table, seed: UInt64, _ change: (Record) throws -> RowChange
    ) throws {
        let rows = TableAccess(table, journal: nil, on: connection, digestSeed: seed)
        let newRows = TableAccess(new, journal: nil, on: connection, digestSeed: seed)
        try connection.withStatement("SELECT \(table.sql.selection) FROM \(table.name)") { statement in
            while try statement.step() {
                let record = try rows.read(statement)
                let row = statement.int64(at: 0)
                switch try change(record) {
                case .keep: break
                case .remove: try newRows.remove(row)
                case .replace(let now): try newRows.replace(row, by: now, old: record)
                }
            }
        }
    }
}
