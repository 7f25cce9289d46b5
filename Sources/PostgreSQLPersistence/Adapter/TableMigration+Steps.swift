import SyncPersistence

extension TableMigration {
    /// Runs the steps of a migration that drop, convert and fill, within a transaction, and returns the layout of the
    /// reduced schema.
    ///
    /// Columns that are dropped or converted are renamed until all records have been read from them.
    ///
    /// - Throws: `PersistenceError` for local changes that would be lost, and for values that cannot be converted.
    /// - Complexity: O(*n*) for the records of the hierarchies that change, which are read one after the other
    func apply(_ migration: Migration, to old: Layout) throws -> Layout {
        if migration.isEmpty { return old }
        var runs: [MigrationRun] = []
        try forEachAccount(of: old) { runs.append(try MigrationRun(migration, on: PostgreSQLStorage(connection, old))) }
        let tables = MigratedTable.all(migration)
        let names = old.names.migrated(tables, by: migration)
        let aside = old.with(old.schema, names: names.aside, added: old.added)
        let added = old.added.filter { migration.reduced[$0] != nil }
        let layout = old.with(migration.reduced, names: names.reduced, added: added)
        for table in tables { try setAside(table, in: old, as: aside, for: layout) }
        try connection.forgetStatements()
        var number = 0
        try forEachAccount(of: aside) {
            let (run, storage) = (runs[number], PostgreSQLStorage(connection, aside))
            number += 1
            // Journals come first, because they read the present records from the tables.
            for table in tables.filter(\.isJournal) + tables.filter({ !$0.isJournal }) {
                try rewrite(aside.table(of: table.root), as: layout.table(of: table.now), old.digestSeed) {
                    try run.converted($0, in: storage)
                }
            }
        }
        for table in tables { try removeColumns(of: table, in: aside) }
        let dropped = old.schema.roots.filter { migration.reduced[$0.name] == nil }
        for root in dropped.reversed() { try connection.execute("DROP TABLE \(old.table(of: root).name)") }
        for shape in old.schema.shapes where migration.dropsHeir(shape) { try removeRecords(of: shape, in: old) }
        for table in tables { try finish(table, from: old, for: layout) }
        try connection.forgetStatements()
        number = 0
        try forEachAccount(of: layout) {
            let reduced = PostgreSQLStorage(connection, layout)
            try runs[number].convertInternalRecords(reduced)
            try reduced.finish()
            number += 1
        }
        return layout
    }

    /// Renames the columns that are dropped or converted, and adds the columns of changed types and new slots.
    ///
    /// Indexes of renamed columns, and those that the reduced schema lacks, are removed first.
    private func setAside(
        _ migrated: MigratedTable, in old: Layout, as aside: Layout, for layout: Layout
    ) throws {
        let (before, now) = (old.table(of: migrated.root), layout.table(of: migrated.now))
        let renamed = aside.table(of: migrated.root)
        for slot in migrated.unindexed {
            // Tables that an earlier version has migrated may have an index that their schema lacks.
            if let first = before.columns(of: slot).first {
                try connection.execute("DROP INDEX IF EXISTS \(before.qualifiedIndexName(first))")
            }
        }
        for (slot, _) in migrated.aside {
            for (column, new) in zip(before.columns(of: slot), renamed.columns(of: slot)) {
                if let readable = before.columns[column].readableName {
                    try connection.execute("ALTER TABLE \(before.name) DROP COLUMN \(readable)")
                }
                try connection.execute(
                    "ALTER TABLE \(before.name) RENAME COLUMN \(before.columns[column].name) "
                        + "TO \(renamed.columns[new].name)")
            }
        }
        for position in migrated.added.flatMap({ now.columns(of: $0) }) {
            for column in now.columns[position].definitions {
                try connection.execute("ALTER TABLE \(now.name) ADD COLUMN \(column)")
            }
        }
    }

    /// Removes the renamed columns.
    private func removeColumns(of migrated: MigratedTable, in aside: Layout) throws {
        let table = aside.table(of: migrated.root)
        for column in migrated.aside.flatMap({ table.columns(of: $0.slot) }) {
            try connection.execute("ALTER TABLE \(table.name) DROP COLUMN \(table.columns[column].name)")
        }
    }

    /// Deletes the records of a dropped subentity.
    private func removeRecords(of shape: Shape, in layout: Layout) throws {
        var parameters = Parameters()
        parameters.append(shape.name)
        try connection.query(
            "DELETE FROM \(layout.table(of: shape).name) WHERE \(quoted("sync.entity")) = $1", parameters, isKept: false
        )
    }

    /// Creates the indexes of new columns, and removes the column of the entity if one entity remains.
    private func finish(_ migrated: MigratedTable, from old: Layout, for layout: Layout) throws {
        let (before, now) = (old.table(of: migrated.root), layout.table(of: migrated.now))
        if before.hasEntity && !now.hasEntity {
            try connection.execute("ALTER TABLE \(now.name) DROP COLUMN \(quoted("sync.entity"))")
        }
        for slot in migrated.added {
            if let first = now.columns(of: slot).first, now.indexedSlots.contains(first) {
                try connection.execute(now.indexDefinition(first))
            }
        }
    }

    /// Writes each record of a table into its row in its new form, and deletes entries and links that are dropped.
    ///
    /// - Parameter converted: Returns the new form of a record; nil if the record is dropped.
    /// - Complexity: O(*n*) for the records of the table
    private func rewrite(
        _ table: Table, as new: Table, _ digestSeed: UInt64, _ converted: (Record) throws -> Record?
    ) throws {
        var dropped: [Int64] = []
        try forEachRow(of: table) { row, record in
            guard let now = try converted(record) else {
                if record.shape.role != nil { dropped.append(row) }
                return nil
            }
            // A record of the same shape with the same values has the same digest.
            return now.shape == record.shape && now.values.elementsEqual(record.values) ? nil : now
        } written: { rows, records in
            try connection.pipelined { try $0.update(rows, by: records, in: new, digestSeed: digestSeed) }
        }
        try connection.pipelined { try $0.delete(dropped, from: new) }
    }
}
