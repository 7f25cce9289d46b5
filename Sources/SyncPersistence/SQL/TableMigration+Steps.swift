extension TableMigration {
    /// Runs the steps of a migration that drop, convert and fill, within a transaction, and returns the layout of the
    /// reduced schema.
    ///
    /// Columns that are dropped or converted are renamed until all records have been read from them.
    ///
    /// - Throws: ``PersistenceError`` for local changes that would be lost, and for values that cannot be converted.
    /// - Complexity: O(*n*) for the records of the hierarchies that change, which are read one after the other
    package func apply(_ migration: Migration, to old: TableLayout<EntityTable>) throws -> TableLayout<EntityTable> {
        if migration.isEmpty { return old }
        var runs: [MigrationRun] = []
        try forEachAccount(of: old) { _ in
            runs.append(try withStorage(of: old) { try MigrationRun(migration, on: $0) })
        }
        let tables = MigratedTable.all(migration)
        let names = old.names.migrated(tables, by: migration)
        let aside = old.with(old.schema, names: names.aside, added: old.added)
        let added = old.added.filter { migration.reduced[$0] != nil }
        let layout = old.with(migration.reduced, names: names.reduced, added: added)
        for table in tables { try setAside(table, in: old, as: aside, for: layout) }
        try forgetStatements()
        try forEachAccount(of: aside) { account in
            try withStorage(of: aside) { storage in
                // Journals come first, because they read the present records from the tables.
                for table in tables.filter(\.isJournal) + tables.filter({ !$0.isJournal }) {
                    let (before, now) = (aside.table(of: table.root), layout.table(of: table.now))
                    try changeRows(of: before, as: now, seed: layout.digestSeed) { record in
                        try runs[account].change(of: record, in: storage)
                    }
                }
            }
        }
        // References are removed before their records, so that no reference leads to a missing record.
        for table in tables { try removeColumns(of: table, in: aside) }
        let dropped = old.schema.roots.filter { migration.reduced[$0.name] == nil }
        for root in dropped.reversed() { try execute("DROP TABLE \(old.table(of: root).name)") }
        for shape in old.schema.shapes where migration.dropsHeir(shape) {
            try run("DELETE FROM \(old.table(of: shape).name) WHERE \(entity) = \(parameter(1))", [shape.name])
        }
        for table in tables { try finish(table, from: old, for: layout) }
        try forgetStatements()
        try forEachAccount(of: layout) { account in
            try withStorage(of: layout) { try runs[account].convertInternalRecords($0) }
        }
        return layout
    }

    /// Renames the columns that are dropped or converted, and adds the columns of changed types and new slots.
    ///
    /// Indexes of renamed columns, and those that the reduced schema lacks, are removed first.
    private func setAside(
        _ migrated: MigratedTable, in old: TableLayout<EntityTable>, as aside: TableLayout<EntityTable>,
        for layout: TableLayout<EntityTable>
    ) throws {
        let (before, now) = (old.table(of: migrated.root), layout.table(of: migrated.now))
        let renamed = aside.table(of: migrated.root)
        // A store that an earlier version has migrated may have an index that its schema lacks.
        for slot in migrated.unindexed { try dropIndex(of: slot, in: before) }
        for (slot, _) in migrated.aside {
            for (column, new) in zip(before.columns(of: slot), renamed.columns(of: slot)) {
                try renameColumn(column, of: before, to: renamed.columns[new].name)
            }
        }
        for column in migrated.added.flatMap(now.columns(of:)) { try addColumn(column, to: now, in: layout) }
    }

    /// Removes the renamed columns.
    private func removeColumns(of migrated: MigratedTable, in aside: TableLayout<EntityTable>) throws {
        let table = aside.table(of: migrated.root)
        for column in migrated.aside.flatMap({ table.columns(of: $0.slot) }) {
            try execute("ALTER TABLE \(table.name) DROP COLUMN \(table.columns[column].name)")
        }
    }

    /// Creates the indexes of new columns, and removes the column of the entity if one entity remains.
    private func finish(
        _ migrated: MigratedTable, from old: TableLayout<EntityTable>, for layout: TableLayout<EntityTable>
    ) throws {
        let (before, now) = (old.table(of: migrated.root), layout.table(of: migrated.now))
        if before.hasEntity && !now.hasEntity { try execute("ALTER TABLE \(now.name) DROP COLUMN \(entity)") }
        for slot in migrated.added {
            if let first = now.indexedColumn(of: slot) { try execute(now.indexDefinition(first)) }
        }
    }

    /// The quoted name of the column for the entity.
    fileprivate var entity: String { quoted("sync.entity") }
}

extension TableMigration {
    /// Migrates from one schema to another within a transaction, and returns the new layout.
    ///
    /// - Throws: ``PersistenceError`` for changes that would lose data.
    /// - Complexity: O(size of the schema) if no index is built; O(*n*) for the records of a hierarchy that gets a
    ///   slot, because their digests change
    package func apply(
        _ changes: SchemaChanges, to old: TableLayout<EntityTable>, for new: Schema, added entities: Set<String>
    ) throws -> TableLayout<EntityTable> {
        try forEachAccount(of: old) { _ in try withStorage(of: old) { try changes.check($0) } }
        let layout = old.with(new, names: old.names.renamed(by: changes), added: entities)
        let added = Set(changes.steps.compactMap { if case .addHierarchy(let root) = $0 { root.name } else { nil } })
        for root in new.roots where !added.contains(root.name) {
            // The table had records of the root only, unless it has the column.
            let table = layout.table(of: root)
            guard table.hasEntity, try addEntityColumn(to: table) else { continue }
            try run("UPDATE \(table.name) SET \(entity) = \(parameter(1))", [root.name])
        }
        for step in changes.steps { try apply(step, in: layout) }
        try forEachAccount(of: layout) { _ in
            try withStorage(of: layout) { try changes.convertInternalRecords($0) }
            for root in new.roots where changes.changesDigests(of: root) {
                let table = layout.table(of: root)
                if table.hasDigest { try storeDigests(in: table, seed: layout.digestSeed) }
            }
        }
        return layout
    }

    /// Applies one step of a schema change to the tables.
    private func apply(_ step: SchemaChanges.Step, in layout: TableLayout<EntityTable>) throws {
        switch step {
        case .renameHierarchy, .renameSlot, .addShape:
            // Tables and columns keep their names, and a table can hold records of any shape.
            break
        case .addHierarchy(let root):
            try create(layout.table(of: root), in: layout)
        case .renameShape(let from, let to):
            let table = layout.table(of: to)
            guard table.hasEntity else { break }
            try run(
                "UPDATE \(table.name) SET \(entity) = \(parameter(1)) WHERE \(entity) = \(parameter(2))",
                [to.name, from.name])
        case .addSlot(let slot, let root):
            let table = layout.table(of: root)
            for column in table.columns(of: slot) { try addColumn(column, to: table, in: layout) }
            guard !slot.slot.defaultValue.isNull, let first = table.firstColumn(of: slot) else { break }
            try setDefault(of: slot, in: first, of: table)
        case .addIndex(let slot, let root):
            let table = layout.table(of: root)
            guard let first = table.indexedColumn(of: slot) else { break }
            // A store that an earlier version has migrated may have an index that its schema lacks.
            try dropIndex(of: slot, in: table)
            try execute(table.indexDefinition(first))
        case .dropIndex(let slot, let root):
            try dropIndex(of: slot, in: layout.table(of: root))
        }
    }

    /// Removes the index of a slot, if the table has one.
    private func dropIndex(of slot: HierarchySlot, in table: EntityTable) throws {
        if let first = table.firstColumn(of: slot) { try execute("DROP INDEX IF EXISTS \(table.slotIndexName(first))") }
    }
}

extension SQLTable {
    /// Returns the position of a slot's first column if the slot has an index.
    fileprivate func indexedColumn(of slot: HierarchySlot) -> Int? {
        firstColumn(of: slot).flatMap { indexedSlots.contains($0) ? $0 : nil }
    }
}

extension MigrationRun {
    /// Returns the change of a record's row: entries and links that are dropped are removed, other records later.
    fileprivate func change(of record: Record, in storage: any RecordStorage) throws -> RowChange {
        guard let now = try converted(record, in: storage) else { return record.shape.role == nil ? .keep : .remove }
        // A record of the same shape with the same values has the same digest.
        return now.shape == record.shape && now.values.elementsEqual(record.values) ? .keep : .replace(now)
    }
}
