import SyncPersistence

extension Connection {
    /// Migrates from one schema to another within a transaction, and returns the new layout.
    ///
    /// - Throws: `PersistenceError` for changes that would lose data.
    /// - Complexity: O(size of the schema) if no index is built; O(*n*) for the records of a hierarchy that gets a
    ///   slot, because their digests change
    func apply(
        _ changes: SchemaChanges, to old: Layout, for new: Schema, added entities: Set<String>
    ) throws -> Layout {
        try changes.check(SQLiteStorage(self, old))
        var names = old.names
        for case .renameHierarchy(let from, let to) in changes.steps { names.renameRoot(from.name, to: to.name) }
        for case .renameSlot(let from, let to, let root) in changes.steps {
            names.renameSlot(from.id, to: to.id, in: root.name)
        }
        let layout = Layout(new, names: names, digestSeed: old.digestSeed, added: entities)
        // Statements on changed tables are prepared again.
        cache.tables = nil
        let added = Set(changes.steps.compactMap { if case .addHierarchy(let root) = $0 { root.name } else { nil } })
        for root in new.roots where !added.contains(root.name) { try tellEntities(in: layout.table(of: root)) }
        for step in changes.steps { try take(step, in: layout) }
        try changes.convertInternalRecords(SQLiteStorage(self, layout))
        for root in new.roots where changes.steps.contains(where: { $0.changesDigests(of: root) }) {
            try storeDigests(of: root, in: layout)
        }
        return layout
    }

    /// Applies one step of a schema change to the tables.
    private func take(_ step: SchemaChanges.Step, in layout: Layout) throws {
        switch step {
        case .renameHierarchy, .renameSlot, .addShape:
            // Tables and columns keep their names, and a table can hold records of any shape.
            break
        case .addHierarchy(let root):
            for statement in layout.table(of: root).definition(in: layout) { try execute(statement) }
        case .renameShape(let from, let to):
            let table = layout.table(of: to)
            guard table.hasEntity else { break }
            let column = quoted("sync.entity")
            try withStatement("UPDATE \(table.name) SET \(column) = ? WHERE \(column) = ?") { statement in
                try statement.bind(to.name, at: 1)
                try statement.bind(from.name, at: 2)
                try statement.run()
            }
        case .addSlot(let slot, let root):
            let table = layout.table(of: root)
            for position in table.columns(of: slot) {
                try execute("ALTER TABLE \(table.name) ADD COLUMN \(table.columnDefinition(position, in: layout))")
            }
            try setDefault(of: slot, in: table)
        case .addIndex(let slot, let root):
            let table = layout.table(of: root)
            if let first = table.columns(of: slot).first { try execute(table.indexDefinition(first)) }
        case .dropIndex(let slot, let root):
            let table = layout.table(of: root)
            if let first = table.columns(of: slot).first { try execute("DROP INDEX \(table.slotIndexName(first))") }
        }
    }

    /// Adds a column for the entity to a table that had records of the root only, if the schema now needs one.
    private func tellEntities(in table: Table) throws {
        guard table.hasEntity else { return }
        let column = quoted("sync.entity")
        let hasColumn = try withStatement("SELECT 1 FROM pragma_table_info(?) WHERE name = 'sync.entity'") {
            statement in
            try statement.bind(table.plainName, at: 1)
            return try statement.step()
        }
        if hasColumn { return }
        try execute("ALTER TABLE \(table.name) ADD COLUMN \(column) TEXT NOT NULL DEFAULT ''")
        try withStatement("UPDATE \(table.name) SET \(column) = ?") { statement in
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
        try withStatement(sql) { statement in
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
    private func storeDigests(of root: Shape, in layout: Layout) throws {
        let table = layout.table(of: root)
        guard table.hasDigest else { return }
        let rows = TableAccess(table, journal: nil, on: self, digestSeed: layout.digestSeed)
        let update = "UPDATE \(table.name) SET \(quoted("sync.digest")) = ? WHERE \(quoted("sync.row")) = ?"
        try withStatement("SELECT \(table.sql.selection) FROM \(table.name)") { statement in
            try withStatement(update) { update in
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

extension SchemaChanges.Step {
    /// Whether the digests of a hierarchy's records change.
    fileprivate func changesDigests(of root: Shape) -> Bool {
        switch self {
        case .addSlot(_, let other): other.name == root.name
        case .renameShape(_, let shape): shape.root == root.name
        default: false
        }
    }
}
