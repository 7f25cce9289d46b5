import SyncPersistence

/// The statements that change a store's tables from one schema to another, within a transaction.
///
/// PostgreSQL rolls back changes of tables as it does those of rows, so a failed migration leaves nothing behind. Tables are
/// changed once. Records are converted account by account if several share the tables.
struct PostgreSQLMigration: TableMigration {
    typealias EntityTable = Table

    /// The connection that runs the transaction.
    let connection: Connection
    /// The namespace of the store.
    let namespace: Namespace
}

extension PostgreSQLMigration {
    func forEachAccount(of layout: Layout, _ body: (Int) throws -> Void) throws {
        guard namespace.isShared else { return try body(0) }
        // Each commit has a number in the metadata.
        guard let metadata = layout.schema["sync.metadata"] else { return }
        let table = layout.table(of: metadata).name
        let rows = try connection.query(
            "SELECT DISTINCT \(Namespace.accountColumn) FROM \(table) ORDER BY 1", isKept: false)
        for row in 0..<rows.count {
            try run("SELECT set_config('differentialsync.account', \(parameter(1)), true)", [rows.text(row, 0) ?? ""])
            try body(row)
        }
    }

    func withStorage<Result>(of layout: Layout, _ body: (any RecordStorage) throws -> Result) throws -> Result {
        let storage = PostgreSQLStorage(connection, layout)
        let result = try body(storage)
        try storage.finish()
        return result
    }

    func forgetStatements() throws { try connection.forgetStatements() }

    func execute(_ sql: String) throws { try connection.execute(sql) }

    func run(_ sql: String, _ texts: [String]) throws {
        var parameters = Parameters()
        for text in texts { parameters.append(text) }
        try connection.query(sql, parameters, isKept: false)
    }

    func parameter(_ number: Int) -> String { "$\(number)" }

    func create(_ table: Table, in layout: Layout) throws {
        try execute(table.definition.joined(separator: ";\n"))
    }

    /// Adds a column, and the readable one if there is one.
    ///
    /// A new column without a default takes the same time for any number of records. A readable column, which PostgreSQL
    /// computes, rewrites the table.
    func addColumn(_ position: Int, to table: Table, in layout: Layout) throws {
        for column in table.columns[position].definitions {
            try execute("ALTER TABLE \(table.name) ADD COLUMN \(column)")
        }
    }

    /// Renames a column, and drops the readable one that is computed from it.
    func renameColumn(_ position: Int, of table: Table, to name: String) throws {
        let column = table.columns[position]
        if let readable = column.readableName { try execute("ALTER TABLE \(table.name) DROP COLUMN \(readable)") }
        try execute("ALTER TABLE \(table.name) RENAME COLUMN \(column.name) TO \(name)")
    }

    func addEntityColumn(to table: Table) throws -> Bool {
        var parameters = Parameters()
        parameters.append(table.name)
        let found = try connection.query(
            "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'sync.entity' "
                + "AND NOT attisdropped", parameters)
        if found.count > 0 { return false }
        let column = quoted("sync.entity")
        try execute("ALTER TABLE \(table.name) ADD COLUMN \(column) \(Table.entityType) DEFAULT ''")
        try execute("ALTER TABLE \(table.name) ALTER COLUMN \(column) DROP DEFAULT")
        return true
    }

    func setDefault(of slot: HierarchySlot, in column: Int, of table: Table) throws {
        var parameters = Parameters()
        try parameters.append(slot.slot.defaultValue, as: table.columns[column].type)
        var sql = "UPDATE \(table.name) SET \(table.columns[column].name) = $1"
        if table.hasEntity {
            try parameters.append(slot.positions.keys.sorted().map { .string($0) }, ofType: .string)
            sql += " WHERE \(quoted("sync.entity")) = ANY($2::text[])"
        }
        try connection.query(sql, parameters, isKept: false)
    }

    func storeDigests(in table: Table, seed: UInt64) throws {
        try changeRows(of: table, as: table, seed: seed) { .replace($0) }
    }

    /// Changes the records of a table, 1,000 at a time.
    func changeRows(
        of table: Table, as new: Table, seed: UInt64, _ change: (Record) throws -> RowChange
    ) throws {
        let row = quoted("sync.row")
        var last = Int64.min
        var removed: [Int64] = []
        while true {
            var parameters = Parameters()
            parameters.append(last)
            let rows = try connection.query(
                "SELECT \(table.sql.selection) FROM \(table.name) WHERE \(row) > $1\(table.isOfAccount()) ORDER BY \(row) LIMIT 1000",
                parameters,
                isKept: false)
            if rows.count == 0 { break }
            var changed: (rows: [Int64], records: [Record]) = ([], [])
            for position in 0..<rows.count {
                last = rows.int64(position, 0)
                switch try change(table.record(rows, at: position)) {
                case .keep: break
                case .remove: removed.append(last)
                case .replace(let record):
                    changed.rows.append(last)
                    changed.records.append(record)
                }
            }
            try connection.pipelined { try $0.update(changed.rows, by: changed.records, in: new, digestSeed: seed) }
        }
        try connection.pipelined { try $0.delete(removed, from: new) }
    }
}
