import SyncPersistence

extension SQLiteStorage {
    func forEachEntry(
        in journal: Shape, of hierarchy: Shape, _ body: (Record, Record?) throws -> Bool
    ) throws {
        try forEachRow(of: Query(journal.name)) { rows, statement in
            // An entry has the row number of its record.
            let row = statement.int64(at: 0)
            return try body(rows.read(statement), access(hierarchy).records.find(row: row))
        }
    }

    func removeSettledEntries(_ keys: [Value], in journal: Shape, of hierarchy: Shape) throws -> [Value] {
        try writing(RecordID(journal.name, .null)) {
            let records = access(hierarchy).records
            guard let entries = records.journal else { return keys }
            return try keys.filter { try !entries.removeSettled($0, of: records) }
        }
    }
}
