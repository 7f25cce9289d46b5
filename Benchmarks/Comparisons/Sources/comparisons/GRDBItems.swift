import BenchmarkSupport
import GRDB

/// Records in a file of GRDB's.
struct GRDBItems {
    private let pool: DatabasePool

    init(path: String, items: [GRDBItem]) {
        let pool = DatabasePool.open(path: path)
        self.pool = pool
        unfailing {
            try pool.write { database in
                try database.create(table: GRDBItem.databaseTableName) { table in
                    table.primaryKey("id", .text)
                    table.column("payload", .text).notNull()
                    table.column("title", .text).notNull()
                    table.column("revision", .integer).notNull()
                }
                for item in items { try item.insert(database) }
            }
        }
    }

    /// Stores records in one transaction, whether they are new or not.
    func upsert(_ items: [GRDBItem]) {
        write(rows: items.count) { database in for item in items { try item.upsert(database) } }
    }

    /// The same without records, by a statement that is prepared once.
    func upsertByStatement(_ items: [GRDBItem]) {
        write(rows: items.count) { database in
            let statement = try database.makeStatement(
                sql: """
                    INSERT INTO item (id, payload, title, revision) VALUES (?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, title = excluded.title,
                    revision = excluded.revision
                    """)
            for item in items {
                statement.setUncheckedArguments([item.id, item.payload, item.title, item.revision])
                try statement.execute()
            }
        }
    }

    /// Stores the columns that differ from what is there, of as many records as have such.
    func updateChanges(_ items: [GRDBItem], differing: Int) {
        write(rows: differing) { database in
            for item in items {
                if let old = try GRDBItem.fetchOne(database, key: item.id) {
                    try item.updateChanges(database, from: old)
                } else {
                    try item.insert(database)
                }
            }
        }
    }

    /// Runs the body in a transaction, which is to write so many rows.
    private func write(rows: Int, _ body: (Database) throws -> Void) {
        unfailing {
            try pool.write { database in
                let before = database.totalChangesCount
                try body(database)
                precondition(database.totalChangesCount - before == rows)
            }
        }
    }

    /// Reads all records, one after the other.
    func readAll() -> Int {
        unfailing {
            try pool.read { database in
                var sum = 0
                let items = try GRDBItem.fetchCursor(database)
                while let item = try items.next() { sum &+= Int(item.revision) }
                return sum
            }
        }
    }
}
