import SyncPersistence

/// The records of a store within one transaction on one connection.
///
/// It lives as long as the transaction. Changes of records wait in memory, by table, and are written:
///
/// - before a query that reads their table,
/// - when 1,000 have collected,
/// - at the end of the transaction, together with the statements of the commit.
final class PostgreSQLStorage: RecordStorage {
    let layout: Layout

    private let connection: Connection
    /// The records of each table that the transaction has used, by the name of the root shape.
    private var tables: [String: TableRows] = [:]

    /// The number of queries so far, which names their cursors.
    private var queryCount = 0

    /// Creates the storage of a transaction.
    ///
    /// The connection's database must have the layout.
    init(_ connection: Connection, _ layout: Layout) {
        self.connection = connection
        self.layout = layout
    }

    var schema: Schema { layout.schema }

    /// Returns the records of the table of a shape, which all shapes of a hierarchy share.
    private func rows(of shape: Shape) -> TableRows {
        if let known = tables[shape.root] { return known }
        let rows = TableRows(layout.table(of: shape), on: connection, digestSeed: layout.digestSeed)
        tables[shape.root] = rows
        return rows
    }

    /// Returns the record with a key, which may be one that was changed and not yet written.
    func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        try connection.reporting(RecordID(hierarchy.name, key)) { try rows(of: hierarchy).record(key) }
    }

    /// Reads records that are about to be looked up, in one round trip for all tables.
    ///
    /// A lookup that was prefetched takes no round trip, whether or not there is a record.
    func prefetch(_ lookups: () throws -> [KeyLookup]) throws {
        let lookups = try lookups()
        // A single record is read when it is looked up.
        guard lookups.reduce(0, { $0 + $1.keys.count }) > 1 else { return }
        try connection.reporting {
            for lookup in lookups { try rows(of: lookup.hierarchy).makeRoom(for: lookup.keys.count) }
            try connection.pipelined { pipeline in
                for lookup in lookups { try rows(of: lookup.hierarchy).prefetch(lookup.keys, in: pipeline) }
            }
        }
    }

    func put(_ record: Record) throws -> Record? {
        try connection.reporting(record.id) { try rows(of: record.shape).put(record) }
    }

    func insert(_ record: Record) throws {
        try connection.reporting(record.id) { try rows(of: record.shape).insert(record) }
    }

    func remove(_ key: Value, in hierarchy: Shape) throws -> Record? {
        try connection.reporting(RecordID(hierarchy.name, key)) { try rows(of: hierarchy).remove(key) }
    }

    func digest(of record: Record) -> UInt64 { record.digest(seed: layout.digestSeed) }

    /// Writes all changes.
    func finish() throws { try connection.reporting { try connection.pipelined(finish(in:)) } }

    /// Sends the statements that write all changes.
    func finish(in pipeline: Pipeline) throws { for rows in tables.values { try rows.write(in: pipeline) } }

    /// Writes the changes of the tables that a query reads.
    private func write(for query: BoundQuery) throws {
        for root in query.roots { try tables[root]?.write() }
    }
}

extension PostgreSQLStorage {
    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        let bound = try BoundQuery(query, in: schema)
        try connection.reporting { try write(for: bound) }
        guard bound.isTranslatable else { return try forEachExamined(query, bound, body) }
        let table = layout.table(of: bound.shape)
        try forEachRow(try QuerySQL(bound, .records, in: layout)) { rows, row in
            try body(connection.reporting { try table.record(rows, at: row) })
        }
    }

    /// Calls a body with the records of a query that SQL does not express wholly, until it returns false.
    ///
    /// SQL finds the records that match the part of the filter that it expresses.
    private func forEachExamined(_ query: Query, _ bound: BoundQuery, _ body: (Record) throws -> Bool) throws {
        let table = layout.table(of: bound.shape)
        var failure: (any Error)?
        let chunks = chunks(of: try QuerySQL(bound, .candidates, in: layout))
        defer { chunks.close() }
        let records = AnyIterator<Record> {
            do {
                guard failure == nil, let (rows, row) = try chunks.next() else { return nil }
                return try table.record(rows, at: row)
            } catch {
                failure = PostgreSQLError.reported(error)
                return nil
            }
        }
        try select(query, from: IteratorSequence(records)) { try failure == nil && body($0) }
        if let failure { throw failure }
    }

    func count(_ query: Query) throws -> Int {
        let bound = try BoundQuery(query, in: schema)
        try connection.reporting { try write(for: bound) }
        guard bound.isTranslatable else {
            var count = 0
            try forEachExamined(query, bound) { _ in
                count += 1
                return true
            }
            return count
        }
        return try connection.reporting {
            let sql = try QuerySQL(bound, .count, in: layout)
            return Int(try connection.query(sql.text, sql.parameters).int64(0, 0))
        }
    }

    func forEachKey(_ entity: Shape, where filter: Filter?, _ body: (Value) throws -> Void) throws {
        let query = Query(entity.name, where: filter)
        let bound = try BoundQuery(query, in: schema)
        try connection.reporting { try write(for: bound) }
        guard bound.isTranslatable else {
            return try forEachExamined(query, bound) { record in
                try body(record.key)
                return true
            }
        }
        let table = layout.table(of: entity)
        try forEachRow(try QuerySQL(bound, .keys, in: layout)) { rows, row in
            try body(connection.reporting { try table.key(rows, at: row, from: 0) })
            return true
        }
    }

    func forEachDigest(
        _ entity: Shape, where filter: Filter?, _ body: (Value, UInt64) throws -> Void
    ) throws {
        let query = Query(entity.name, where: filter)
        let bound = try BoundQuery(query, in: schema)
        let table = layout.table(of: entity)
        guard bound.isTranslatable, table.hasDigest else {
            return try forEach(query) { record in
                try body(record.key, digest(of: record))
                return true
            }
        }
        try connection.reporting { try write(for: bound) }
        try forEachRow(try QuerySQL(bound, .digests, in: layout)) { rows, row in
            try body(
                connection.reporting { try table.key(rows, at: row, from: 1) },
                UInt64(bitPattern: rows.int64(row, 0)))
            return true
        }
    }

    /// Returns the rows of a query in chunks; each query of the connection has a number for its cursor.
    private func chunks(of sql: QuerySQL) -> RowChunks {
        queryCount += 1
        return RowChunks(sql, on: connection, number: queryCount)
    }

    /// Calls the body with the rows of a query, until it returns false.
    private func forEachRow(_ sql: QuerySQL, _ body: (Rows, Int) throws -> Bool) throws {
        let chunks = chunks(of: sql)
        defer { chunks.close() }
        func next() throws -> (Rows, Int)? { try connection.reporting { try chunks.next() } }
        while let (rows, row) = try next() {
            if try !body(rows, row) { return }
        }
    }
}
