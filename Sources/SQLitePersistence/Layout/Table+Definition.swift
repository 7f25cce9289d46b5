import SyncPersistence

extension Table {
    /// The statements that make the table and its indexes.
    func definition(in layout: Layout) -> [String] {
        var lines = ["\(quoted("sync.row")) INTEGER PRIMARY KEY"]
        if hasEntity { lines.append("\(quoted("sync.entity")) TEXT NOT NULL") }
        if hasDigest { lines.append("\(quoted("sync.digest")) INTEGER NOT NULL") }
        lines += columns.indices.map { columnDefinition($0, in: layout) }
        if isJournal { lines.append("\(quoted("sync.isGone")) INTEGER NOT NULL DEFAULT 0") }
        return ["CREATE TABLE \(name) (\n  \(lines.joined(separator: ",\n  "))\n)"] + indexes.map(\.definition)
    }

    /// The quoted names of the indexes, and the statements that make them.
    var indexes: [(name: String, definition: String)] {
        let key = keyColumns.map { columns[$0].name }.joined(separator: ", ")
        let keyIndex =
            isJournal
            ? "CREATE INDEX \(indexName("key")) ON \(name) (\(key)) WHERE \(quoted("sync.isGone")) = 1"
            : "CREATE UNIQUE INDEX \(indexName("key")) ON \(name) (\(key))"
        return [(indexName("key"), keyIndex)] + indexedSlots.map { (slotIndexName($0), indexDefinition($0)) }
    }

    /// The definition of a column: its name, its type, and the column of another table that it refers to.
    func columnDefinition(_ position: Int, in layout: Layout) -> String {
        let column = columns[position]
        var text = "\(column.name) \(column.declaration)"
        // A key of several parts cannot be enforced by one column; the transaction enforces both kinds.
        if case .reference(let destination, let types, true) = column.slot.content, types.count == 1,
            let shape = layout.schema[destination]
        {
            let other = layout.table(of: shape)
            text +=
                " REFERENCES \(other.name) (\(other.columns[other.keyColumns[0]].name)) DEFERRABLE INITIALLY DEFERRED"
        }
        return text
    }

    /// The positions of a slot's columns.
    func columns(of slot: HierarchySlot) -> [Int] {
        columns.indices.filter { columns[$0].slot.id == slot.id }
    }

    /// The slots with an index of their own, by the position of their first column.
    var indexedSlots: [Int] {
        var seen: Set<SlotID> = []
        return columns.indices.filter { position in
            let slot = columns[position].slot
            return slot.isIndexed && seen.insert(slot.id).inserted
        }
    }

    /// The statement that makes the index of the slot whose first column is the given one.
    func indexDefinition(_ first: Int) -> String {
        let slot = columns[first].slot
        let names = columns.filter { $0.slot.id == slot.id }.map { $0.name }
        return "CREATE INDEX \(slotIndexName(first)) ON \(name) (\(names.joined(separator: ", ")))"
    }

    /// The name of the index of the slot whose first column is the given one.
    func slotIndexName(_ first: Int) -> String { indexName("slot.\(columns[first].plainName)") }

    private func indexName(_ what: String) -> String {
        quoted("sync.index.\(plainName).\(what)")
    }
}
