/// A table whose records a migration changes.
package struct MigratedTable {
    /// The topmost shape in the older schema.
    package let root: Shape
    /// The topmost shape in the reduced schema.
    package let now: Shape

    /// The slots whose columns are dropped or get other values, and the temporary names of their columns.
    package let aside: [(slot: HierarchySlot, names: [String])]

    /// The slots of the reduced schema that get columns.
    package let added: [HierarchySlot]

    /// The slots of the older schema whose columns are dropped, get other values or lose their index.
    package let unindexed: [HierarchySlot]

    /// Whether the table is a journal.
    package var isJournal: Bool { if case .journal = root.role { true } else { false } }

    /// Creates the table's changes from its shapes in the older and the reduced schema.
    private init(_ root: Shape, _ now: Shape, _ migration: Migration) {
        self.root = root
        self.now = now
        let before = migration.old.columns(of: root)
        let after = migration.reduced.columns(of: now)
        func byID(_ slots: [HierarchySlot]) -> [SlotID: Slot] {
            Dictionary(uniqueKeysWithValues: slots.map { ($0.id, $0.slot) })
        }
        let (oldSlots, newSlots) = (byID(before), byID(after))
        // A reference has an index and refers to a table, so an attribute of the same type has another column.
        func isKept(_ id: SlotID) -> Bool {
            guard let old = oldSlots[id], let new = newSlots[id] else { return false }
            switch (old.content, new.content) {
            case (.attribute, .attribute), (.reference, .reference): return old.columnTypes == new.columnTypes
            default: return false
            }
        }
        var count = 0
        aside = before.filter { !isKept($0.id) }.map { slot in
            let names = slot.slot.columnTypes.indices.map { "sync.old.\(count + $0 + 1)" }
            count += names.count
            return (slot, names)
        }
        added = after.filter { !isKept($0.id) }
        unindexed = before.filter { !isKept($0.id) || $0.slot.isIndexed && newSlots[$0.id]?.isIndexed == false }
    }

    /// Returns the tables whose records a migration changes, without the dropped tables.
    package static func all(_ migration: Migration) -> [MigratedTable] {
        migration.old.roots.compactMap { root in
            guard migration.changesRecords(of: root), let now = migration.reduced[root.name] else { return nil }
            return MigratedTable(root, now, migration)
        }
    }
}

extension NameMap {
    /// Returns the names while a migration converts records, with temporary ones for columns that are dropped or get
    /// another type, and the names of the reduced schema, where these columns have none yet.
    package func migrated(_ tables: [MigratedTable], by migration: Migration) -> (aside: NameMap, reduced: NameMap) {
        var (aside, reduced) = (self, self)
        for table in tables {
            for (slot, names) in table.aside {
                aside.setColumns(names, of: slot.id, in: table.root.name)
                reduced.removeSlot(slot.id, in: table.root.name)
            }
        }
        for root in migration.old.roots where migration.reduced[root.name] == nil { reduced.removeRoot(root.name) }
        return (aside, reduced)
    }

    /// Returns the names after changes: renamed tables and columns keep theirs.
    package func renamed(by changes: SchemaChanges) -> NameMap {
        var names = self
        for case .renameHierarchy(let from, let to) in changes.steps { names.renameRoot(from.name, to: to.name) }
        for case .renameSlot(let from, let to, let root) in changes.steps {
            names.renameSlot(from.id, to: to.id, in: root.name)
        }
        return names
    }
}

extension SchemaChanges {
    /// Whether the digests of a hierarchy's records change.
    ///
    /// A digest depends on the order of the values, so a new order of attributes changes it too.
    package func changesDigests(of root: Shape) -> Bool {
        let isReordered = conversions.values.contains { conversion in
            conversion.shape.root == root.name && conversion.positions != Array(conversion.positions.indices)
        }
        if isReordered { return true }
        return steps.contains { step in
            switch step {
            case .addSlot(_, let other): other.name == root.name
            case .renameShape(_, let shape): shape.root == root.name
            default: false
            }
        }
    }
}
