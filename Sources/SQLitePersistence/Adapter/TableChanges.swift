import SyncPersistence

/// The changes of a file's tables that follow from a change of the schema, within a transaction.
struct TableChanges {
    /// The connection whose transaction changes the tables.
    private let connection: Connection
    /// The layout after the changes.
    private let layout: Layout

    /// Migrates from one schema to another within a transaction, and returns the new layout.
    ///
    /// - Throws: `PersistenceError` for changes that would lose data.
    /// - Complexity: O(size of the schema) if no index is built; O(*n*) for the records of a hierarchy that gets a
    ///   slot, because their digests change
    static func apply(
        _ changes: SchemaChanges, to old: Layout, for new: Schema, added entities: Set<String>,
        on connection: Connection
    ) throws -> Layout {
        try changes.check(SQLiteStorage(connection, old))
        let names = old.names.renamed(by: changes)
        let layout = Layout(new, names: names, digestSeed: old.digestSeed, added: entities)
        // Statements on changed tables are prepared again.
        connection.cache.tables = nil
        try TableChanges(connection: connection, layout: layout).apply(changes)
        return layout
    }

    /// Creates, renames and extends tables, in the order of the steps.
    private func apply(_ changes: SchemaChanges) throws {
        let roots = layout.schema.roots
        let added = Set(changes.steps.compactMap { if case .addHierarchy(let root) = $0 { root.name } else { nil } })
        for root in roots where !added.contains(root.name) { try addEntityColumn(to: layout.table(of: root)) }
        for step in changes.steps { try apply(step) }
        try changes.convertInternalRecords(SQLiteStorage(connection, layout))
        for root in roots where changes.changesDigests(of: root) {
            try storeDigests(of: root)
        }
    }

    /// Applies one step of a schema change to the tables.
    private func apply(_ step: SchemaChanges.Step) throws {
        switch step {
        case .renameHierarchy, .renameSlot, .addShape:
            // Tables and columns keep their names, and a table can hold records of any shape.
            break
        case .addHierarchy(let root):
            for statement in layout.table(of: root).definition(in: layout) { try connection.execute(statement) }
        case .renameShape(let from, let to):
            let table = layout.table(of: to)
            guard table.hasEntity else { break }
            let column = quoted("sync.entity")
            try connection.withStatement("UPDATE \(table.name) SET \(column) = ? WHERE \(column) = ?") { statement in
                try statement.bind(to.name, at: 1)
                try statement.bind(from.name, at: 2)
                try statement.run()
            }
        case .addSlot(let slot, let root):
            let table = layout.table(of: root)
            for position in table.columns(of: slot) {
                try connection.execute(
                    "ALTER TABLE \(table.name) ADD COLUMN \(table.columnDefinition(position, in: layout))")
            }
            try setDefault(of: slot, in: table)
        case .addIndex(let slot, let root):
            let table = layout.table(of: root)
            guard let first = table.columns(of: slot).first else { break }
            // A file that an earlier version has migrated may have an index that its schema lacks.
            try connection.execute("DROP INDEX IF EXISTS \(table.slotIndexName(first))")
            try connection.execute(table.indexDefinition(first))
        case .dropIndex(let slot, let root):
            let table = layout.table(of: root)
            if let first = table.columns(of: slot).first {
                try connection.execute("DROP INDEX \(table.slotIndexName(first))")
            }
        }
    }

    /// Adds a column for the entity to a table that had records of the root only, if the schema now needs one.
    private func addEntityColumn(to table: Table) throws {
        guard table.hasEntity else { return }
        let column = quoted("sync.entity")
        let hasColumn = try connection.withStatement("SELECT 1 FROM pragma_table_info(?) WHERE name = 'sync.entity'") {
            statement in
            try statement.bind(table.plainName, at: 1)
            return try statement.step()
        }
        if hasColumn { return }
        try connection.execute("ALTER TABLE \(table.name) ADD COLUMN \(column) TEXT NOT NULL DEFAULT ''")
        try connection.withStatement("UPDATE \(table.name) SET \(column) = ?") { statement in
            try statement.bind(table.root.name, at: 1)
            try statement.run()
        }
    }

    /// Writes the default value of a new slot into all existing records of its entities.
    ///
    /// - Complexity: O(*n*) for the records of the table
    private func setDefault(of slot: HierarchySlot, in table: Table) throws {
        guard !slot.slot.defaultValue.isNull, let column = table.columns(of: slot).first else { return }
        var sql = "UPDATE \(table.name) SET \(table.columns[column].name) = ?"
        let entities = slot.positions.keys.sorted()
        if table.hasEntity {
            sql += " WHERE \(quoted("sync.entity")) IN (\(entities.map { _ in "?" }.joined(separator: ", ")))"
        }
        try connection.withStatement(sql) { statement in
            try statement.bind(slot.slot.defaultValue, as: table.columns[column].type, at: 1)
            if table.hasEntity {
                for (position, entity) in entities.enumerated() { try statement.bind(entity, at: position + 2) }
            }
            try statement.run()
        }
    }

    /// Computes and writes the digests of a hierarchy's records anew.
    ///
    /// - Complexity: O(*n*) for the records of the table
    private func storeDigests(of root: Shape) throws {
        let table = layout.table(of: root)
        guard table.hasDigest else { return }
        let rows = TableAccess(table, journal: nil, on: connection, digestSeed: layout.digestSeed)
        let update = "UPDATE \(table.name) SET \(quoted("sync.digest")) = ? WHERE \(quoted("sync.row")) = ?"
        try connection.withStatement("SELECT \(table.sql.selection) FROM \(table.name)") { statement in
            try connection.withStatement(update) { update in
                while try statement.step() {
                    let digest = try rows.read(statement).digest(seed: layout.digestSeed)
                    try update.bind(Int64(bitPattern: digest), at: 1)
                    try update.bind(statement.int64(at: 0), at: 2)
                    try update.run()
                }
            }
        }
    }
}
