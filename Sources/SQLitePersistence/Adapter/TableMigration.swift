import CDifferentialSyncSQLite
import SyncPersistence

/// The steps of a migration that drop, convert and fill, within a transaction.
struct TableMigration {
    /// The connection whose transaction migrates the tables.
    private let connection: Connection
    /// The layout before the migration.
    private let old: Layout
    /// The layout of the reduced schema.
    private let layout: Layout

    /// The first version of SQLite that can drop columns.
    private static let droppingVersion: Int32 = 3_035_000

    /// Runs the steps of a migration that drop, convert and fill, within a transaction, and returns the layout of the
    /// reduced schema.
    ///
    /// Columns that are dropped or converted are renamed until all records have been read from them.
    ///
    /// - Throws: `PersistenceError` for local changes that would be lost, and for values that cannot be converted.
    /// - Complexity: O(*n*) for the records of the hierarchies that change, which are read one after the other
    static func apply(_ migration: Migration, to old: Layout, on connection: Connection) throws -> Layout {
        if migration.isEmpty { return old }
        guard sqlite3_libversion_number() >= droppingVersion else {
            throw PersistenceError(
                .schemaChange,
                "migration steps need SQLite 3.35 or later, and this is \(String(cString: sqlite3_libversion())): keep the "
                    + "older schema on this system")
        }
        let run = try MigrationRun(migration, on: SQLiteStorage(connection, old))
        let tables = MigratedTable.all(migration)
        let names = old.names.migrated(tables, by: migration)
        let aside = Layout(old.schema, names: names.aside, digestSeed: old.digestSeed, added: old.added)
        let added = old.added.filter { migration.reduced[$0] != nil }
        let layout = Layout(migration.reduced, names: names.reduced, digestSeed: old.digestSeed, added: added)
        let steps = TableMigration(connection: connection, old: old, layout: layout)
        try steps.apply(migration, to: tables, aside: aside, run)
        return layout
    }

    /// Changes the tables of the older layout into those of the reduced schema.
    ///
    /// - Parameter aside: The older layout, with the temporary names of its columns.
    private func apply(
        _ migration: Migration, to tables: [MigratedTable], aside: Layout, _ run: MigrationRun
    ) throws {
        // Statements on changed tables are prepared again.
        connection.cache.tables = nil
        for table in tables { try setAside(table) }
        let storage = SQLiteStorage(connection, aside)
        // Journals come first, because they read the present records from the tables.
        for table in tables.filter(\.isJournal) + tables.filter({ !$0.isJournal }) {
            try rewrite(aside.table(of: table.root), as: layout.table(of: table.now), aside.digestSeed) {
                try run.converted($0, in: storage)
            }
        }
        connection.cache.tables = nil
        // References are removed before their records, so that no reference leads to a missing record.
        for table in tables { try removeColumns(of: table) }
        let dropped = old.schema.roots.filter { migration.reduced[$0.name] == nil }
        for root in dropped.reversed() { try connection.execute("DROP TABLE \(old.table(of: root).name)") }
        for shape in old.schema.shapes where migration.dropsHeir(shape) { try removeRecords(of: shape) }
        for table in tables { try finish(table) }
        try run.convertInternalRecords(SQLiteStorage(connection, layout))
    }

    /// Renames the columns that are dropped or converted, and adds the columns of changed types and new slots.
    ///
    /// Indexes of renamed columns, and those that the reduced schema lacks, are removed first.
    private func setAside(_ migrated: MigratedTable) throws {
        let (before, now) = (old.table(of: migrated.root), layout.table(of: migrated.now))
        for slot in migrated.unindexed {
            // A file that an earlier version has migrated may have an index that its schema lacks.
            if let first = before.columns(of: slot).first {
                try connection.execute("DROP INDEX IF EXISTS \(before.slotIndexName(first))")
            }
        }
        for (slot, aside) in migrated.aside {
            for (column, name) in zip(before.columns(of: slot), aside) {
                try connection.execute(
                    "ALTER TABLE \(before.name) RENAME COLUMN \(before.columns[column].name) TO \(quoted(name))")
            }
        }
        for position in migrated.added.flatMap({ now.columns(of: $0) }) {
            try connection.execute("ALTER TABLE \(now.name) ADD COLUMN \(now.columnDefinition(position, in: layout))")
        }
    }

    /// Removes the renamed columns.
    private func removeColumns(of migrated: MigratedTable) throws {
        for name in migrated.aside.flatMap(\.names) {
            try connection.execute("ALTER TABLE \(layout.table(of: migrated.now).name) DROP COLUMN \(quoted(name))")
        }
    }

    /// Deletes the records of a dropped subentity.
    private func removeRecords(of shape: Shape) throws {
        try connection.withStatement("DELETE FROM \(old.table(of: shape).name) WHERE \(quoted("sync.entity")) = ?") {
            statement in
            try statement.bind(shape.name, at: 1)
            try statement.run()
        }
    }

    /// Creates the indexes of new columns, and removes the column of the entity if one entity remains.
    private func finish(_ migrated: MigratedTable) throws {
        let (before, now) = (old.table(of: migrated.root), layout.table(of: migrated.now))
        if before.hasEntity && !now.hasEntity {
            try connection.execute("ALTER TABLE \(now.name) DROP COLUMN \(quoted("sync.entity"))")
        }
        for slot in migrated.added where slot.slot.isIndexed {
            if let first = now.columns(of: slot).first { try connection.execute(now.indexDefinition(first)) }
        }
    }

    /// Writes each record of a table into its row in its new form, and deletes entries and links that are dropped.
    ///
    /// - Parameter converted: Returns the new form of a record; nil if the record is dropped.
    /// - Complexity: O(*n*) for the records of the table
    private func rewrite(
        _ table: Table, as new: Table, _ digestSeed: UInt64, _ converted: (Record) throws -> Record?
    ) throws {
        let rows = TableAccess(table, journal: nil, on: connection, digestSeed: digestSeed)
        let newRows = TableAccess(new, journal: nil, on: connection, digestSeed: digestSeed)
        try connection.withStatement("SELECT \(table.sql.selection) FROM \(table.name)") { statement in
            while try statement.step() {
                let record = try rows.read(statement)
                let row = statement.int64(at: 0)
                guard let now = try converted(record) else {
                    if record.shape.role != nil { try newRows.remove(row) }
                    continue
                }
                // A record of the same shape with the same values has the same digest.
                if now.shape == record.shape && now.values.elementsEqual(record.values) { continue }
                try newRows.replace(row, by: now, old: record)
            }
        }
    }
}
