import SyncPersistence

extension Table {
    /// Returns the statements that create the table and its indexes.
    func definition(in layout: Layout) -> [String] {
        var lines = ["\(quoted("sync.row")) INTEGER PRIMARY KEY"]
        if hasEntity { lines.append("\(quoted("sync.entity")) TEXT NOT NULL") }
        if hasDigest { lines.append("\(quoted("sync.digest")) INTEGER NOT NULL") }
        lines += columns.indices.map { columnDefinition($0, in: layout) }
        if isJournal { lines.append("\(quoted("sync.isGone")) INTEGER NOT NULL DEFAULT 0") }
        return ["CREATE TABLE \(name) (\n  \(lines.joined(separator: ",\n  "))\n)"] + indexes.map(\.definition)
    }

    /// The quoted names of the indexes, and the statements that create them.
    var indexes: [(name: String, definition: String)] {
        let key = keyColumns.map { columns[$0].name }.joined(separator: ", ")
        let keyIndex =
            isJournal
            ? "CREATE INDEX \(indexName("key")) ON \(name) (\(key)) WHERE \(quoted("sync.isGone")) = 1"
            : "CREATE UNIQUE INDEX \(indexName("key")) ON \(name) (\(key))"
        return [(indexName("key"), keyIndex)] + indexedSlots.map { (slotIndexName($0), indexDefinition($0)) }
    }

    /// Returns the definition of a column: its name, its type, and the column of another table that it references.
    func columnDefinition(_ position: Int, in layout: Layout) -> String {
        let column = columns[position]
        var text = "\(column.name) \(column.declaration)"
        // One column cannot enforce a key of several parts. The transaction checks all references itself.
        if case .reference(let destination, let types, true) = column.slot.content, types.count == 1,
            let shape = layout.schema[destination]
        {
            let other = layout.table(of: shape)
            text +=
                " REFERENCES \(other.name) (\(other.columns[other.keyColumns[0]].name)) DEFERRABLE INITIALLY DEFERRED"
        }
        return text
    }

    /// The positions of the first columns of the slots with an index.
    var indexedSlots: [Int] {
        var seen: Set<SlotID> = []
        return columns.indices.filter { position in
            let slot = columns[position].slot
            return slot.isIndexed && seen.insert(slot.id).inserted
        }
    }

    /// Returns the statement that creates the index of a slot.
    ///
    /// - Parameter first: The position of the slot's first column.
    func indexDefinition(_ first: Int) -> String {
        let slot = columns[first].slot
        let names = columns.filter { $0.slot.id == slot.id }.map { $0.name }
        return "CREATE INDEX \(slotIndexName(first)) ON \(name) (\(names.joined(separator: ", ")))"
    }

    /// Returns the name of the index of a slot.
    ///
    /// - Parameter first: The position of the slot's first column.
    func slotIndexName(_ first: Int) -> String { indexName("slot.\(columns[first].plainName)") }

    /// Returns the quoted name of an index of this table.
    private func indexName(_ what: String) -> String {
        quoted("sync.index.\(plainName).\(what)")
    }
}
