import SyncPersistence

/// Changes of a store's tables from one schema to another, within a transaction.
///
/// PostgreSQL rolls back changes of tables as it does those of rows, so a failed migration leaves nothing behind. Tables are
/// changed once. Records are converted account by account if several share the tables.
struct TableMigration {
    /// The connection that runs the transaction.
    let connection: Connection
}

extension TableMigration {
    /// Migrates from one schema to another within a transaction, and returns the new layout.
    ///
    /// - Throws: `PersistenceError` for changes that would lose data.
    /// - Complexity: O(size of the schema) if no index is built; O(*n*) for the records of a hierarchy that gets a
    ///   slot, because their digests change
    func apply(
        _ changes: SchemaChanges, to old: Layout, for new: Schema, added entities: Set<String>
    ) throws -> Layout {
        try forEachAccount(of: old) { try changes.check(PostgreSQLStorage(connection, old)) }
        let names = old.names.renamed(by: changes)
        let layout = old.with(new, names: names, added: entities)
        let added = Set(changes.steps.compactMap { if case .addHierarchy(let root) = $0 { root.name } else { nil } })
        for root in new.roots where !added.contains(root.name) { try addEntityColumn(to: layout.table(of: root)) }
        for step in changes.steps { try take(step, in: layout) }
        try forEachAccount(of: layout) {
            let storage = PostgreSQLStorage(connection, layout)
            try changes.convertInternalRecords(storage)
            try storage.finish()
            for root in new.roots where changes.changesDigests(of: root) {
                try storeDigests(of: root, in: layout)
            }
        }
        return layout
    }

    /// Calls the body for each account that has records, whose rows the statements of the body find; once if the tables are
    /// not shared.
    func forEachAccount(of layout: Layout, _ body: () throws -> Void) throws {
        guard layout.namespace.isShared else { return try body() }
        // Each commit has a number in the metadata.
        guard let metadata = layout.schema["sync.metadata"] else { return }
        let table = layout.table(of: metadata).name
        let rows = try connection.query(
            "SELECT DISTINCT \(Namespace.accountColumn) FROM \(table) ORDER BY 1", isKept: false)
        for row in 0..<rows.count {
            var parameters = Parameters()
            parameters.append(rows.text(row, 0) ?? "")
            try connection.query("SELECT set_config('differentialsync.account', $1, true)", parameters, isKept: false)
            try body()
        }
    }

    /// Applies one step of a schema change to the tables.
    ///
    /// A new column without a default takes the same time for any number of records. A readable column, which PostgreSQL
    /// computes, rewrites the table.
    private func take(_ step: SchemaChanges.Step, in layout: Layout) throws {
        switch step {
        case .renameHierarchy, .renameSlot, .addShape:
            // Tables and columns keep their names, and a table can hold records of any shape.
            break
        case .addHierarchy(let root):
            try connection.execute(layout.table(of: root).definition.joined(separator: ";\n"))
        case .renameShape(let from, let to):
            let table = layout.table(of: to)
            guard table.hasEntity else { break }
            let column = quoted("sync.entity")
            var parameters = Parameters()
            parameters.append(to.name)
            parameters.append(from.name)
            try connection.query(
                "UPDATE \(table.name) SET \(column) = $1 WHERE \(column) = $2", parameters, isKept: false)
        case .addSlot(let slot, let root):
            let table = layout.table(of: root)
            for position in table.columns(of: slot) {
                for column in table.columns[position].definitions {
                    try connection.execute("ALTER TABLE \(table.name) ADD COLUMN \(column)")
                }
            }
            try setDefault(of: slot, in: table)
        case .addIndex(let slot, let root):
            let table = layout.table(of: root)
            if let first = table.columns(of: slot).first, table.indexedSlots.contains(first) {
                // Tables that an earlier version has migrated may have an index that their schema lacks.
                try connection.execute("DROP INDEX IF EXISTS \(table.qualifiedIndexName(first))")
                try connection.execute(table.indexDefinition(first))
            }
        case .dropIndex(let slot, let root):
            let table = layout.table(of: root)
            if let first = table.columns(of: slot).first {
                try connection.execute("DROP INDEX IF EXISTS \(table.qualifiedIndexName(first))")
            }
        }
    }

    /// Adds a column for the entity to a table that had records of the root only, if the schema now needs one.
    private func addEntityColumn(to table: Table) throws {
        guard table.hasEntity else { return }
        let column = quoted("sync.entity")
        var parameters = Parameters()
        parameters.append(table.name)
        let found = try connection.query(
            "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'sync.entity' "
                + "AND NOT attisdropped", parameters)
        if found.count > 0 { return }
        try connection.execute("ALTER TABLE \(table.name) ADD COLUMN \(column) \(Table.entityType) DEFAULT ''")
        try connection.execute("ALTER TABLE \(table.name) ALTER COLUMN \(column) DROP DEFAULT")
        parameters = Parameters()
        parameters.append(table.root.name)
        try connection.query("UPDATE \(table.name) SET \(column) = $1", parameters, isKept: false)
    }

    /// Writes the default value of a new slot into all existing records of its entities.
    ///
    /// - Complexity: O(*n*) for the records of the table
    private func setDefault(of slot: HierarchySlot, in table: Table) throws {
        guard !slot.slot.defaultValue.isNull, let column = table.columns(of: slot).first else { return }
        var parameters = Parameters()
        try parameters.append(slot.slot.defaultValue, as: table.columns[column].type)
        var sql = "UPDATE \(table.name) SET \(table.columns[column].name) = $1"
        if table.hasEntity {
            try parameters.append(slot.positions.keys.sorted().map { .string($0) }, ofType: .string)
            sql += " WHERE \(quoted("sync.entity")) = ANY($2::text[])"
        }
        try connection.query(sql, parameters, isKept: false)
    }

    /// Computes and writes the digests of a hierarchy's records anew.
    ///
    /// - Complexity: O(*n*) for the records of the table
    private func storeDigests(of root: Shape, in layout: Layout) throws {
        let table = layout.table(of: root)
        guard table.hasDigest else { return }
        try forEachRow(of: table) { _, record in
            record
        } written: { rows, records in
            try connection.pipelined { try $0.update(rows, by: records, in: table, digestSeed: layout.digestSeed) }
        }
    }

    /// Calls a body with each record of a table, and writes what it returns.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - converted: Receives a row number and its record, and returns the new form; nil if the row is not written.
    ///   - written: Writes new records into their rows.
    func forEachRow(
        of table: Table, _ converted: (Int64, Record) throws -> Record?, written: ([Int64], [Record]) throws -> Void
    ) throws {
        var last = Int64.min
        while true {
            var parameters = Parameters()
            parameters.append(last)
            let row = quoted("sync.row")
            let rows = try connection.query(
                "SELECT \(table.sql.selection) FROM \(table.name) WHERE \(row) > $1\(table.isOfAccount()) ORDER BY \(row) LIMIT 1000",
                parameters,
                isKept: false)
            if rows.count == 0 { return }
            var changed: (rows: [Int64], records: [Record]) = ([], [])
            for position in 0..<rows.count {
                last = rows.int64(position, 0)
                guard let record = try converted(last, table.record(rows, at: position)) else { continue }
                changed.rows.append(last)
                changed.records.append(record)
            }
            try written(changed.rows, changed.records)
        }
    }
}
