import GRDB

extension Database {
    /// Makes the rows of a table those that are given, by statements; writes what differs.
    func reconcile<Stored: StoredRow>(_ rows: some Sequence<Stored>) throws {
        var stored: [Stored.ID: Stored] = [:]
        let cursor = try Row.fetchCursor(self, sql: Stored.selection)
        while let row = try cursor.next() {
            let known = try Stored(row: row)
            stored[known.id] = known
        }
        let (insert, update) = (try cachedStatement(sql: Stored.insertion), try cachedStatement(sql: Stored.update))
        for row in rows {
            let known = stored.removeValue(forKey: row.id)
            if let known, row.isStored(as: known) { continue }
            let statement = known == nil ? insert : update
            statement.setUncheckedArguments(StatementArguments(row.values))
            try statement.execute()
        }
        let deletion = try cachedStatement(sql: Stored.deletion)
        for id in stored.keys {
            deletion.setUncheckedArguments([id])
            try deletion.execute()
        }
    }

    /// The same by the methods of records, each of which is fetched.
    func reconcileRowByRow<Stored: StoredRow>(_ rows: some Sequence<Stored>) throws {
        var ids: Set<Stored.ID> = []
        for row in rows {
            ids.insert(row.id)
            if let known = try Stored.filter(key: row.id).fetchOne(self) {
                if !row.isStored(as: known) { try row.update(self) }
            } else {
                try row.insert(self)
            }
        }
        let stored = try Stored.ID.fetchAll(self, sql: "SELECT id FROM \(Stored.databaseTableName)")
        for id in stored where !ids.contains(id) { try Stored.filter(key: id).deleteAll(self) }
    }
}
