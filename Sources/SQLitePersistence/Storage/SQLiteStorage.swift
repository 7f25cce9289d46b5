import SyncPersistence

/// The records of a database within one transaction on one connection.
final class SQLiteStorage: RecordStorage {
    /// The tables of the schema.
    let layout: Layout

    /// The connection, within a transaction.
    let connection: Connection
    /// The tables and query plans that the connection keeps between transactions.
    private let tables: TableCache
    /// The inserted rows that are not yet written.
    let newRows: WriteBehind
    /// Whether the transaction only reads.
    private var isReading = false

    /// Creates the storage of a transaction.
    ///
    /// The connection's database must have the layout.
    init(_ connection: Connection, _ layout: Layout) {
        self.connection = connection
        self.layout = layout
        let cache = connection.cache
        let tables = cache.tables.flatMap { $0.layout === layout ? $0 : nil } ?? TableCache(layout)
        cache.tables = tables
        tables.begin()
        cache.operands.removeAll()
        self.tables = tables
        newRows = WriteBehind { row in
            try connection.reporting(row.id) { try tables.write(row, on: connection) }
        } preparing: { rows in
            try connection.reporting { try tables.dropIndexes(forInserting: rows, on: connection) }
        }
    }

    /// The schema of the tables.
    var schema: Schema { layout.schema }

    /// Returns a record by its key, after rows that are being written.
    ///
    /// - Complexity: One indexed lookup
    func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        try connection.reporting(RecordID(hierarchy.name, key)) {
            try newRows.settle()
            let access = access(hierarchy)
            if let journal = access.journal { return try journal.find(key, of: access.records)?.record }
            if isReading { return try access.records.scan.find(key, in: access.records) }
            return try access.records.find(key)?.record
        }
    }

    /// Whether there is a record with a key, without reading its columns.
    func contains(_ key: Value, in hierarchy: Shape) throws -> Bool {
        try connection.reporting(RecordID(hierarchy.name, key)) {
            try newRows.settle()
            let access = access(hierarchy)
            if let journal = access.journal { return try journal.find(key, of: access.records) != nil }
            if case .stored = try access.records.place(of: key) { return true }
            return false
        }
    }

    /// Calls a body with the records of a query, as rows are read.
    ///
    /// The SQL selects, sorts and limits the rows. Conditions on text that SQL cannot express call back into Swift.
    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        try connection.reporting {
            try newRows.settle()
            let (shape, sql) = try sql(of: query)
            let rows = access(shape).rows
            try connection.withStatement(sql.text, isKept: sql.isShort) { statement in
                try sql.bind(to: statement, on: connection)
                while try statement.step() {
                    if try !body(rows.read(statement)) { return }
                }
            }
        }
    }

    /// Returns the SQL of a query, from the caches if possible.
    private func sql(of query: Query) throws -> (shape: Shape, sql: QuerySQL) {
        if !query.sort.isEmpty || query.filter != nil { try tables.makeIndexes() }
        if let known = tables.equalityQueries.find(query) { return known }
        let plan = try tables.plans.find(query) ?? QueryPlan(query, in: layout)
        let sql = plan.selection(ledBy: try connection.mostSelective(plan))
        tables.equalityQueries.add(query, plan.query.shape, sql)
        tables.plans.add(query, plan, sql)
        return (plan.query.shape, sql)
    }

    /// Counts the records of a query in SQL.
    func count(_ query: Query) throws -> Int {
        try connection.reporting {
            try newRows.settle()
            if query.filter != nil { try tables.makeIndexes() }
            let plan = try QueryPlan(query, in: layout)
            let sql = QuerySQL(countOf: plan.query, ledBy: try connection.mostSelective(plan), in: layout)
            return try connection.withStatement(sql.text, isKept: sql.isShort) { statement in
                try sql.bind(to: statement, on: connection)
                _ = try statement.step()
                return Int(statement.int64(at: 0))
            }
        }
    }

    /// Calls a body with the keys of records, without reading other columns.
    func forEachKey(_ entity: Shape, where filter: Filter?, _ body: (Value) throws -> Void) throws {
        try connection.reporting {
            try newRows.settle()
            if filter != nil { try tables.makeIndexes() }
            let rows = access(entity).rows
            let plan = try QueryPlan(Query(entity.name, where: filter), in: layout)
            let sql = QuerySQL(keysOf: plan.query, ledBy: try connection.mostSelective(plan), in: layout)
            try connection.withStatement(sql.text, isKept: sql.isShort) { statement in
                try sql.bind(to: statement, on: connection)
                while try statement.step() { try body(rows.readKey(statement, from: 0)) }
            }
        }
    }

    /// Calls a body with keys and digests; rows that keep their digest are not read.
    func forEachDigest(
        _ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void
    ) throws {
        try connection.reporting {
            try newRows.settle()
            if filter != nil { try tables.makeIndexes() }
            let rows = access(entity).rows
            let plan = try QueryPlan(Query(entity.name, where: filter), in: layout)
            guard rows.table.hasDigest else {
                return try forEach(Query(entity.name, where: filter)) { record in
                    try body(record.key, digest(of: record))
                    return true
                }
            }
            let sql = QuerySQL(
                keysOf: plan.query, after: [quoted("sync.digest")], ledBy: try connection.mostSelective(plan),
                in: layout)
            try connection.withStatement(sql.text, isKept: sql.isShort) { statement in
                try sql.bind(to: statement, on: connection)
                while try statement.step() {
                    try body(rows.readKey(statement, from: 1), UInt64(bitPattern: statement.int64(at: 0)))
                }
            }
        }
    }

    /// Returns the digest of a record, as a row keeps it.
    func digest(of record: Record) -> UInt64 {
        record.digest(seed: layout.digestSeed)
    }

    /// Inserts or replaces a record, and returns the replaced one.
    func put(_ record: Record) throws -> Record? {
        try writing(record.id) {
            let access = access(record.shape)
            if let journal = access.journal { return try journal.put(record, of: access.records) }
            return try access.records.put(record)
        }
    }

    /// Inserts a record, which another thread writes while the transaction goes on.
    func insert(_ record: Record) throws { try newRows.append(.record(record)) }

    /// Inserts a journal entry, which another thread writes.
    func insertEntry(_ old: Record?, key: Value, of shape: Shape, in journal: Shape) throws {
        try newRows.append(.entry(old, key: key, of: shape, in: journal))
    }

    /// Replaces a record without reading the former one.
    func store(_ record: Record) throws { try newRows.append(.replacement(record)) }

    /// Removes a record, and returns it; nil if there is none.
    func remove(_ key: Value, in hierarchy: Shape) throws -> Record? {
        try writing(RecordID(hierarchy.name, key)) {
            let access = access(hierarchy)
            if let journal = access.journal { return try journal.remove(key, of: access.records) }
            return try access.records.remove(key)
        }
    }

    /// Runs a body that writes, once all new rows are written.
    func writing<Result>(_ id: RecordID, _ body: () throws -> Result) throws -> Result {
        try connection.reporting(id) {
            try newRows.settle()
            try connection.requireTransaction()
            return try body()
        }
    }

    /// Runs the body of a transaction that only reads.
    func reading<Result>(_ body: () throws -> Result) rethrows -> Result {
        isReading = true
        defer {
            isReading = false
            tables.endScans()
        }
        return try body()
    }

    /// Runs the body of the transaction, then writes the remaining rows and creates the missing indexes.
    ///
    /// Afterwards no other thread uses the connection, even if the body throws.
    func finish<Result>(_ body: () throws -> Result) throws -> Result {
        defer { newRows.abandon() }
        let result = try body()
        try newRows.settle()
        try connection.reporting { try tables.makeIndexes() }
        return result
    }

    /// Returns access to the table of a shape, with the columns of the shape.
    func access(_ shape: Shape) -> TableCache.Access {
        tables.access(shape, on: connection)
    }
}

extension TableCache {
    /// Inserts a row whose key is known to be new.
    fileprivate func write(_ row: WriteBehind.Row, on connection: Connection) throws {
        try connection.requireTransaction()
        switch row {
        case .record(let record):
            let access = access(record.shape, on: connection)
            if let journal = access.journal { return try journal.insert(record, of: access.records) }
            try access.records.store(record)
        case .replacement(let record):
            let access = access(record.shape, on: connection)
            if let journal = access.journal {
                _ = try journal.put(record, of: access.records)
            } else {
                _ = try access.records.put(record)
            }
        case .entry(let old, let key, let shape, let journal):
            let records = access(journal, on: connection).records
            if let old, try records.journal?.insert(old, key: key, of: records) == true { return }
            try write(.record(JournalEntry.record(in: journal, of: shape, key: key, base: old)), on: connection)
        }
    }
}
