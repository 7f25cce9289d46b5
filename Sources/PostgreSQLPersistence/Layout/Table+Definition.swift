import SyncPersistence

extension Table {
    /// The statements that create the table and its indexes.
    var definition: [String] {
        let row = quoted("sync.row")
        var lines = ["\(row) bigint NOT NULL"]
        if namespace.isShared {
            lines.insert(
                "\(Namespace.accountColumn) text COLLATE \"C\" NOT NULL DEFAULT \(Namespace.currentAccount)", at: 0)
        }
        if hasEntity { lines.append("\(quoted("sync.entity")) \(Table.entityType)") }
        if hasDigest { lines.append("\(quoted("sync.digest")) bigint NOT NULL") }
        lines += columns.flatMap(\.definitions)
        lines.append("CONSTRAINT \(quoted(indexName("row"))) PRIMARY KEY (\(accountPrefix)\(row))")
        return ["CREATE TABLE \(name) (\n  \(lines.joined(separator: ",\n  "))\n)", keyIndexDefinition]
            + indexedSlots.map(indexDefinition)
    }

    /// The type of the column for the entity.
    static let entityType = "text COLLATE \"C\" NOT NULL"

    /// The statement that creates the index of the key.
    ///
    /// It is unique if PostgreSQL can index the whole key. Otherwise the lock of the writers guarantees that keys are
    /// unique.
    private var keyIndexDefinition: String {
        let key = keyColumns.map { columns[$0] }
        let isUnique = !key.contains(where: \.type.isLong)
        return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(quoted(indexName("key"))) ON \(name) "
            + indexed(key, isSorted: false)
    }

    /// The positions of the first columns of the slots with an index.
    var indexedSlots: [Int] {
        var seen: Set<SlotID> = []
        return columns.indices.filter { position in
            let slot = columns[position].slot
            return slot.isIndexed && slot.columnTypes != [.json] && seen.insert(slot.id).inserted
        }
    }

    /// Returns the statement that creates the index of a slot.
    ///
    /// - Parameter first: The position of the slot's first column.
    func indexDefinition(_ first: Int) -> String {
        let slot = columns[first].slot
        return "CREATE INDEX \(quoted(plainIndexName(first))) ON \(name) "
            + indexed(columns.filter { $0.slot.id == slot.id }, isSorted: true)
    }

    /// Returns the quoted name of the index of a slot, with that of the namespace.
    ///
    /// - Parameter first: The position of the slot's first column.
    func slotIndexName(_ first: Int) -> String { namespace.qualified(plainIndexName(first)) }

    private func plainIndexName(_ first: Int) -> String { indexName("slot.\(columns[first].plainName)") }

    /// Returns the name of an index of this table.
    private func indexName(_ what: String) -> String { shortened("sync.index.\(plainName).\(what)") }

    /// Returns the kind and the expressions of an index.
    ///
    /// An index of one column with long values is a hash index, which has no limit for them. Hash indexes have one
    /// column, so that of a shared table is a B-tree of hashes.
    ///
    /// - Parameter isSorted: Whether queries sort by the index.
    private func indexed(_ columns: [Column], isSorted: Bool) -> String {
        if columns.count == 1, columns[0].type.isLong, !columns[0].isHashed { return "USING hash (\(columns[0].name))" }
        if columns.count == 1, !columns[0].isHashed {
            return "(\(accountPrefix)\(columns[0].name)\(isSorted ? " NULLS FIRST, \(quoted("sync.row"))" : ""))"
        }
        // A hash in an expression of its own parentheses.
        let expressions = columns.map { $0.type.isLong ? "(\($0.indexExpression))" : $0.name }
        return "(\(accountPrefix)\(expressions.joined(separator: ", ")))"
    }

    /// The first column of each index of a shared table, with a comma; otherwise empty.
    private var accountPrefix: String { namespace.isShared ? "\(Namespace.accountColumn), " : "" }
}
